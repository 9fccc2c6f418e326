# SPDX-License-Identifier: Apache-2.0
"""No include points up: every #include below src/ and variants/ against the table of rooms in
docs/architecture.md, which allows no more than is used.

Argument: the repository's root.
"""

import sys
from pathlib import Path

from rules import circle, family_of, includes_of, read_rules, room_of, words_for


def own_folder(variant):
    """Where a variant's own headers lie: variants/acoustic/st_async.cpp has variants/acoustic/
    st_async/."""
    path = Path(variant)
    return (path.parent if len(path.parts) > 3 else path.with_suffix("")).as_posix() + "/"


def fault(rules, root, source, target):
    """What is wrong with `source` including `target`; None where nothing is."""
    if not (root / target).is_file():
        return "there is no such file: includes name a path from src/ (or variants/...)"
    here, there = room_of(source), room_of(target)
    for path, room in ((source, here), (target, there)):
        if room not in rules:
            return f"{path} is in no room of docs/architecture.md"
    if here != there and not words_for(target) & rules[here]:
        allowed = ", ".join(sorted(rules[here])) or "nothing"
        return f"{here} may include {allowed}, not {there} ({target})"
    if there == "variants" and not target.startswith(own_folder(source)):
        return "a variant's own headers are for that variant alone"
    if len({family_of(source), family_of(target)} - {None}) > 1:
        return "families do not include each other"
    return None


def unused(rules, includes):
    """Every permission of the table that no include needs, a line each."""
    used = {(room_of(source), word) for source, _, target in includes for word in words_for(target)}
    for room, allowed in rules.items():
        for word in sorted(allowed):
            if (room, word) not in used:
                yield f"docs/architecture.md: {room} may include {word}, and includes nothing of it"


def faults(root):
    """Every broken rule, a line each."""
    try:
        rules = read_rules(root / "docs" / "architecture.md")
    except ValueError as error:
        yield str(error)
        return
    if circle(rules):
        yield f"docs/architecture.md: the rooms go in a circle: {' -> '.join(circle(rules))}"
    for storey in ("src/base", "src/program"):
        for folder in sorted((root / storey).iterdir()):
            if folder.is_dir() and folder.name not in rules:
                yield f"{storey}/{folder.name}/ is in no room of docs/architecture.md"
    includes = list(includes_of(root))
    yield from unused(rules, includes)
    for source, number, target in includes:
        wrong = fault(rules, root, source, target)
        if wrong:
            yield f"{source}:{number}: includes {target}: {wrong}"


def main():
    """Prints what fails."""
    found = list(faults(Path(sys.argv[1]).resolve()))
    for line in found:
        print(f"FAILED: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
