# SPDX-License-Identifier: Apache-2.0
"""The rooms of the tree, what each may include, and what it includes."""

import re
from pathlib import Path

ROW = re.compile(r"^\| `([^`]+)` \| [^|]* \| ([^|]*) \|$")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
GENERATED = {"git_revision.hpp"}
SUFFIXES = {".hpp", ".cpp"}


def room_of(path):
    """The room of a file, by its path from the repository's root: src/base/tile/vec.hpp is in `tile`,
    src/main.cpp in a room of its own; of a family's folder the formulas, `kernels`, the case
    (`cases`), and the variants with their own headers are rooms."""
    parts = Path(path).parts
    if parts[0] == "src":
        return parts[2] if len(parts) > 3 else Path(parts[-1]).stem
    if len(parts) == 3:
        formulas = path.endswith(".hpp") or parts[2] == "formula.cpp"
        return "formulas" if formulas else "variants"
    return {"kernels": "kernels", "case": "cases"}.get(parts[2], "variants")


def family_of(path):
    """The family whose folder a file is in; None outside of variants/."""
    parts = Path(path).parts
    return parts[1] if parts[0] == "variants" else None


def room_meant(word):
    """The room of a word among those that a row may include: a room, or one file of a room."""
    return word.split("/")[0]


def words_for(target):
    """What a row may say to allow an included file: its room, or the room and the file's name."""
    return {room_of(target), f"{room_of(target)}/{Path(target).name}"}


def read_rules(page):
    """{room: rooms and files it may include} of the table in docs/architecture.md. Raises
    ValueError where it is none."""
    rules = {}
    for line in page.read_text("utf-8").splitlines():
        row = ROW.match(line)
        if not row or row[1].split("/")[0] not in ("src", "variants"):
            continue
        room = room_of(row[1].replace("*", "x") + ("x" if row[1].endswith("/") else ""))
        allowed = set() if row[2].strip() == "nothing" else {w.strip() for w in row[2].split(",")}
        if rules.setdefault(room, allowed) != allowed:
            raise ValueError(f"{page}: {room} has two rows that differ")
    if not rules:
        raise ValueError(f"{page}: no row like | `src/base/tile/` | what it holds | grid, device |")
    for room, allowed in rules.items():
        unknown = {word for word in allowed if room_meant(word) not in rules}
        if unknown:
            names = ", ".join(sorted(unknown))
            raise ValueError(f"{page}: {room} may include {names}: no such room")
    return rules


def includes_of(root):
    """(file, line number, included file) of every include below src/ and variants/ of what is
    quoted or lies there, as paths from the root. Includes name a path from src/, or, of a family's
    headers, from the root."""
    for folder in ("src", "variants"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match or match[2] in GENERATED:
                    continue
                target = match[2] if match[2].startswith("variants/") else f"src/{match[2]}"
                if match[1] == '"' or (root / target).is_file():
                    yield name, number, target


def circle(rules):
    """Rooms that may include each other in a circle, in its order; empty where there is none."""
    done, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return []
        path.append(room)
        for other in sorted({room_meant(word) for word in rules[room]} - {room}):
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(room)
        return []

    for room in rules:
        found = visit(room)
        if found:
            return found
    return []
