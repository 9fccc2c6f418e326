# SPDX-License-Identifier: Apache-2.0
"""A table, defined in a TOML file beside this, as Markdown: a line for each of its lines.

    [name]
    lines = ["hosts", ["stencil variant", "x vec", "y lds"]]  # lists of values, each with each
    picks.best = "{folder}/run.json family/{variant}"         # rows, by the line's values: Pick
    head = "machine | stencil | GCell/s"
    row = "{machine} | {stencil} | {rate(best)}"              # cells.py

Values are split at blanks, or where a line has one at ` | `; `hosts` and `gpus` are the machines of
machines.toml. Instead of `lines`: `made`, a function of lines.py and its arguments. `like`: all else
as in another table; `with`: values of all lines. A pick may have several names, {pick} in it; a list
is the fastest of several; {best[configuration]} is of a pick before it. `means`: columns that end in
a geometric mean; `from`: the picks that the caption names, none for false; `extra`: what it says
besides; `absent`: what stands in an empty cell; `skip`: lines that have no row are left out.
"""

from __future__ import annotations

import fnmatch
import functools
import itertools
import os
import re
import statistics
from pathlib import Path

from .. import results
from ..errors import ToolError
from ..files import read_json, read_toml
from .cells import It, cells, make, wrapped

FOLDER = Path(__file__).parent
MACHINES = read_toml(FOLDER / "machines.toml")["machine"]
LISTS = {"hosts": [m for m in MACHINES if m["kind"] == "cpu"],
         "gpus": [m for m in MACHINES if m["kind"] == "gpu"]}


@functools.cache
def stored(path: Path) -> results.ResultFile:
    """A file of results/; a test holds all of these against their schema."""
    content = read_json(path)
    file = results.ResultFile(path, content)
    file.rows.extend(results.Row(file, record) for record in content["results"])
    return file


@functools.cache
def rows_of(root: Path, name: str) -> list[dict]:
    """The records of a result file below results/, each with the rest of the file as `header` and its
    name as `file`; in the header the deck of a study's run."""
    file, manifest = stored(root / "results" / name), (root / "results" / name).with_name("manifest.json")
    runs = read_json(manifest)["runs"] if manifest.exists() else ()
    deck = next((f"inputs/{run['deck']}" for run in runs if run["name"] == file.path.stem), "")
    header = {**{key: file.content[key] for key in file.content if key != "results"}, "run deck": deck}
    return [{**row.record, "header": header, "file": name} for row in file.rows]


def speed(row: dict) -> float:
    """Median GCell/s."""
    return (row["gcell_per_s"] or {}).get("median") or 0.0


class Pick:
    """`FILE VARIANT KEY=GLOB ...`: the fastest valid row of a file below results/ whose variant and
    fields match; {name} stands for a value of the line. Before the file a ? says that it, or the row,
    may be missing."""

    def __init__(self, text: str):
        self.may_lack = text.startswith("?")
        self.file, self.variant, *where = text.removeprefix("?").split()
        self.where = dict(word.split("=", 1) for word in where)

    def choose(self, root: Path, values: dict) -> dict | None:
        """The row, or None where none matches."""
        file, variant = self.file.format_map(values), self.variant.format_map(values)
        if self.may_lack and not (root / "results" / file).is_file():
            return None
        globs = {key: value.format_map(values) for key, value in self.where.items()}
        pattern = variant if ":" in variant else f"{variant}:*"
        found = [row for row in rows_of(root, file) if row["status"] == "valid"
                 and fnmatch.fnmatchcase(f"{row['variant']}:{row['configuration']}", pattern)
                 and all(fnmatch.fnmatchcase(str(row[key]), glob) for key, glob in globs.items())]
        return max(found, key=speed, default=None)


def put(text, constants: dict):
    """A text, or texts, with the constants in it."""
    if isinstance(text, list):
        return [put(part, constants) for part in text]
    return re.sub(r"\{(\w+)\}", lambda m: constants.get(m[1], m[0]), text)


def split(text: str) -> list[str]:
    """Cells or values between bars."""
    return [part.strip() for part in re.split(r"(?:^|(?<=\s))\|(?=\s|$)", text)]


def block(rows: list[str]) -> list[dict]:
    """Values by the names in the first."""
    parts = [split(row) if "|" in row else row.split() for row in rows]
    return [dict(zip(parts[0], values)) for values in parts[1:]]


class Table:
    """A definition, read."""

    def __init__(self, name: str, spec: dict):
        self.name, self.spec, self.constants = name, spec, spec.get("with", {})
        said = {key: put(spec.get(key, ""), self.constants) for key in ("head", "row", "extra")}
        self.head, self.row, self.extra = split(said["head"]), split(said["row"]), said["extra"]
        self.picks = {}
        for names, texts in spec.get("picks", {}).items():
            for pick in names.split():
                texts_of = put(texts, {**self.constants, "pick": pick})
                self.picks[pick] = [Pick(text) for text in (
                    texts_of if isinstance(texts_of, list) else [texts_of])]
        if len(self.head) != len(self.row):
            raise ToolError(f"table {name}: {len(self.head)} titles for {len(self.row)} cells")

    def lines(self, root: Path) -> list[dict]:
        """The lines' values."""
        if "made" in self.spec:
            from . import lines
            function, *arguments = put(self.spec["made"], self.constants)
            found = getattr(lines, function)(root, *arguments)
            keys = dict.fromkeys(key for values in found for key in values)
            return [{**self.constants, **keys, **values} for values in found]
        parts = [LISTS[part] if isinstance(part, str) else block(part) for part in self.spec["lines"]]
        return [{**self.constants, **{name: text for part in entry for name, text in part.items()}}
                for entry in itertools.product(*parts)]

    def chosen(self, root: Path, values: dict) -> dict:
        """The rows that a line's picks find."""
        rows = {}
        for key, picks in self.picks.items():
            found = [pick.choose(root, {**values, **rows}) for pick in picks]
            rows[key] = max(filter(None, found), key=speed, default=None)
        return rows


def definitions() -> dict[str, Table]:
    """The tables by name, `like` and `with` put in."""
    found = {}
    for path in sorted(FOLDER.glob("*.toml")):
        if path.name != "machines.toml":
            found |= read_toml(path)

    def whole(spec):
        if "like" not in spec:
            return spec
        base = whole(found[spec["like"]])
        return {**base, **spec, "with": {**base.get("with", {}), **spec.get("with", {})}}

    return {name: Table(name, whole(spec)) for name, spec in found.items()}


def render(table: Table, root: Path) -> list[str]:
    """The Markdown between the markers: the table, and what it is made from."""
    spec, body = table.spec, []
    means, used = {title: [] for title in spec.get("means", ())}, {key: [] for key in table.picks}
    for values in table.lines(root):
        rows = table.chosen(root, values)
        if rows and not any(rows.values()):
            if spec.get("skip"):
                continue
            raise ToolError(f"table {table.name}: nothing matches {values}")
        for key, row in rows.items():
            used[key] += [row] if row else []
        names = {key: wrapped(value) for key, value in {**values, **rows}.items()}
        made = [make(cell, names) for cell in table.row]
        for title, (_, value) in zip(table.head, made):
            if title in means and value is not None:
                means[title].append(value)
        body.append([text or spec.get("absent", "") for text, _ in made])
    for key, rows in used.items():
        if not rows and not all(pick.may_lack for pick in table.picks[key]):
            raise ToolError(f"table {table.name}: nothing in results/ is a {key}")
    if means:
        body.append(["geometric mean", *(
            f"{statistics.geometric_mean(means[title]):.2f}" if means.get(title) else ""
            for title in table.head[1:])])
    said = caption(table, used)
    return [*("| " + " | ".join(line) + " |"
              for line in (table.head, ["---"] * len(table.head), *body)),
            *(["", said] if said else [])]


def span(values: list, unit: str) -> str:
    """`low to high unit` of some numbers."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return ""
    low, high = f"{known[0]:.0f}", f"{known[-1]:.0f}"
    return f"{low} {unit}".strip() if low == high else f"{low} to {high} {unit}".strip()


def caption(table: Table, used: dict) -> str:
    """Decks, case, machines, dates, streams and files of what the table shows."""
    wanted = table.spec.get("from", [])
    if wanted is False:
        return table.extra
    runs, shown, machines = {}, [], {}
    for key in wanted or table.picks:
        for row in used[key]:
            several = len(table.picks[key]) > 1
            runs.setdefault(row["file"], ("*" if several else table.picks[key][0].file, row))
            shown.append(row)
    for pattern, row in runs.values():
        machine = row["header"]["machine"]
        device = machine.get("device") or machine["host"]["cpu"]
        said = f"{device}, {machine['concurrency']} threads" if machine["kind"] == "cpu" else device
        machines.setdefault(said, []).append((pattern, row))
    parts = [case_of(shown)] if shown else []
    parts += [describe(machine, entries) for machine, entries in machines.items()]
    samples = [len(row["samples_s"]) for rows in used.values() for row in rows]
    if min(samples, default=5) < 5:
        parts.append(span(samples, "samples a row"))
    said = "; ".join(part for part in (*parts, table.extra) if part)
    return f"From {said}." if said else ""


def deck_of(row: dict) -> str:
    """The deck of a study's run, or the one named on a file's command line."""
    typed = (row["header"].get("command_line") or "").split()
    return row["header"]["run deck"] or next(
        (word for word in typed if word.endswith(".toml") and "=" not in word), "")


def case_of(rows: list[dict]) -> str:
    """Decks, cells, precision and steps, as far as the runs share them."""
    decks = sorted({deck_of(row) for row in rows} - {""})
    grids = {cells(It(row)) for row in rows}
    if len(decks) > 2:
        decks = [f"{os.path.commonprefix(decks)}*.toml"]
    words = [", ".join(f"`{deck}`" for deck in decks)] if decks else []
    words += [f"{next(iter(grids))} cells"] if len(grids) == 1 else []
    words += [" and ".join(sorted({row["precision"] for row in rows}))]
    return ", ".join([*words, span([row["steps"] for row in rows], "steps")])


def describe(machine: str, entries: list[tuple[str, dict]]) -> str:
    """One clause for a machine: date, streams, files; a * where a pick named several."""
    headers, names, by_pattern = [row["header"] for _, row in entries], [], {}
    dates = sorted({header["date"][:10] for header in headers})
    streams = ", ".join(
        f"{key} {span([header['streams'][key] for header in headers], 'GB/s')}"
        for key in ("copy", "update"))
    for pattern, row in entries:
        by_pattern.setdefault(pattern, []).append(row["file"])
    for pattern, files in by_pattern.items():
        wild = re.sub(r"\{[^}]*\}", "*", pattern)
        names += files if len(files) == 1 or re.match(r"\*|.*/\*\.", wild) else [wild]
    files = ", ".join(f"`results/{name}`" for name in dict.fromkeys(names))
    return f"{machine}, {' to '.join(dict.fromkeys((dates[0], dates[-1])))}, {streams}: {files}"
