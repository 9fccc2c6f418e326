# SPDX-License-Identifier: Apache-2.0
"""A table, defined in a TOML file beside this, as Markdown: a line for each of its lines.

    [name]
    lines = ["hosts", ["stencil variant", "x vec", "y lds"]]  # lists of values, each with each
    picks.best = "{folder}/run.json family/{variant}"         # data.Pick: rows, by the line's values
    head = "machine | stencil | GCell/s"
    row = "{machine} | {stencil} | {rate(best)}"              # cells.py

Values are split at blanks, or where a line has one at ` | `; `hosts` and `gpus` are the machines of
machines.toml. Instead of `lines`: `each`, a pick whose every row makes a line and is called `row`
(`order = "fastest"`; `first`: the first of each value of a key); `made`: a function of lines.py and
its arguments. `like`: all else as in another table; `with`: values of all lines. A pick may have
several names, {pick} in it, and a list is the fastest of several. `means`: columns that end in a
geometric mean; `from`: the picks that the caption names, none for false; `extra`: what it says
besides; `absent`: what stands in an empty cell; `skip`: lines that have no row are left out, and for
"any" those that lack one; `lenient`: they stay.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from pathlib import Path

from ..errors import ToolError
from ..files import read_toml
from . import lines
from .cells import It, cells, make, wrapped
from .data import Data, Pick, speed

FOLDER = Path(__file__).parent
MACHINES = read_toml(FOLDER / "machines.toml")["machine"]
LISTS = {"hosts": [m for m in MACHINES if m["kind"] == "cpu"],
         "gpus": [m for m in MACHINES if m["kind"] == "gpu"]}


def definitions() -> dict[str, dict]:
    """The tables by name, `like` and `with` put in."""
    found = {}
    for path in sorted(FOLDER.glob("*.toml")):
        if path.name != "machines.toml":
            found |= read_toml(path)
    return {name: whole(found, name) for name in found}


def whole(found: dict, name: str) -> dict:
    """A definition with what it takes from another."""
    spec = found[name]
    if "like" in spec:
        base = whole(found, spec["like"])
        spec = {**base, **spec, "with": {**base.get("with", {}), **spec.get("with", {})}}
    return spec


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
        self.each = Pick(put(spec["each"], self.constants)) if "each" in spec else None
        self.picks = {"row": [self.each]} if self.each else {}
        for names, texts in spec.get("picks", {}).items():
            for pick in names.split():
                texts_of = put(texts, {**self.constants, "pick": pick})
                texts_of = texts_of if isinstance(texts_of, list) else [texts_of]
                self.picks[pick] = [Pick(text) for text in texts_of]
        if len(self.head) != len(self.row):
            raise ToolError(f"table {name}: {len(self.head)} titles for {len(self.row)} cells")

    def lines(self, data: Data) -> list[dict]:
        """The lines' values; `row` among them where each row makes one."""
        if self.each:
            rows = self.each.matches(data, self.constants)
            if self.spec.get("order") == "fastest":
                rows = sorted(rows, key=speed, reverse=True)
            if key := self.spec.get("first"):
                seen = set()
                rows = [row for row in rows if not (row[key] in seen or seen.add(row[key]))]
            return [{**row, "row": row} for row in rows]
        found = []
        for key, value in self.spec.items():
            if key == "made":
                function, *arguments = put(value, self.constants)
                found += getattr(lines, function)(data, *arguments)
            elif key == "lines":
                parts = [LISTS[part] if isinstance(part, str) else block(part) for part in value]
                found += [{name: text for part in entry for name, text in part.items()}
                          for entry in itertools.product(*parts)]
        keys = dict.fromkeys(key for values in found for key in values)
        return [{**keys, **values} for values in found] or [{}]

    def chosen(self, data: Data, values: dict) -> dict:
        """The rows that a line's picks find."""
        rows = {}
        for key, picks in self.picks.items():
            found = [values["row"]] if key == "row" and self.each else [
                pick.choose(data, values) for pick in picks]
            rows[key] = max(filter(None, found), key=speed, default=None)
            if rows[key] is None and self.spec.get("skip") == "any":
                break
        return rows


def render(table: Table, data: Data) -> list[str]:
    """The Markdown between the markers: the table, and what it is made from."""
    spec, every = table.spec, table.lines(data)
    means, used = {title: [] for title in spec.get("means", ())}, {key: [] for key in table.picks}
    body, all_rows = [], [It(values["row"]) for values in every if "row" in values]
    for values in every:
        values = {**table.constants, **values}
        rows = table.chosen(data, values)
        if None in rows.values() and (
                spec.get("skip") == "any" or spec.get("skip") and not any(rows.values())):
            continue
        if rows and not any(rows.values()) and not (spec.get("lenient") or "made" in spec):
            raise ToolError(f"table {table.name}: nothing matches {values}")
        for key, row in rows.items():
            used[key] += [row] if row else []
        names = {key: wrapped(value) for key, value in {**values, **rows}.items()}
        made = [make(cell, {**names, "rows": all_rows}, data) for cell in table.row]
        for title, (_, value) in zip(table.head, made):
            if title in means and value is not None:
                means[title].append(value)
        body.append([text or spec.get("absent", "") for text, _ in made])
    for key, rows in used.items():
        if not rows and not all(pick.may_lack for pick in table.picks[key]):
            raise ToolError(f"table {table.name}: nothing in results/ is a {key}")
    if means:
        body.append(["geometric mean", *(
            f"{math.exp(sum(map(math.log, means[title])) / len(means[title])):.2f}"
            if means.get(title) else spec.get("absent", "") for title in table.head[1:])])
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
            if "header" in row:
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
    said = "; ".join(part for part in (*parts, table.extra) if part)
    return f"From {said}." if said else ""


def deck_of(row: dict) -> str:
    """The deck of a study's run, or the one named on a file's command line."""
    typed = (row["header"].get("command_line") or "").split()
    return row["header"].get("run deck") or next(
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
    return ", ".join([*words, span([int(row["steps"]) for row in rows], "steps")])


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
