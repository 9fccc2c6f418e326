# SPDX-License-Identifier: Apache-2.0
"""A table: lines, what each picks from the data, and columns made of it; printed as markdown."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field

from ..errors import ToolError
from .cells import deck_of, grid_of
from .data import Data, Pick, speed


@dataclass(frozen=True)
class Each:
    """A line for every value of `key` among the valid rows of a pick, the fastest first."""

    pick: Pick
    key: str = "variant"

    def lines(self, data: Data) -> list[dict]:
        """[{key: value, "configuration": that of its fastest row}] in falling order of rates."""
        best = {}
        for row in sorted(self.pick.matches(data, {}), key=speed, reverse=True):
            best.setdefault(row[self.key], row["configuration"])
        return [{self.key: value, "configuration": name} for value, name in best.items()]


@dataclass(frozen=True)
class Table:
    """Lines x columns. `lines`: dictionaries, an Each, or a function of the data."""

    name: str
    picks: dict
    columns: tuple
    lines: object = ({},)
    means: tuple = ()  # titles of columns whose geometric mean ends the table
    captions: tuple | None = ()  # picks whose runs the caption names; () for all, None for none
    extra: str = ""  # what the caption says besides
    absent: str = ""  # what stands in an empty cell
    keep: object = field(default=lambda rows: any(rows.values()))


def lines_of(table: Table, data: Data) -> list[dict]:
    """The lines' values."""
    if isinstance(table.lines, Each):
        return table.lines.lines(data)
    return table.lines(data) if callable(table.lines) else list(table.lines)


def render(table: Table, data: Data) -> list[str]:
    """The markdown lines between the markers: the table, and what it is made from."""
    body, numbers, used = [], {title: [] for title in table.means}, {key: [] for key in table.picks}
    for values in lines_of(table, data):
        rows = {key: pick.choose(data, values) for key, pick in table.picks.items()}
        if not table.keep(rows):
            raise ToolError(f"table {table.name}: nothing matches {values}")
        for key, row in rows.items():
            if row is not None:
                used[key].append(row)
        cells = [cell(rows, values) for _, cell in table.columns]
        for (title, _), (_, value) in zip(table.columns, cells):
            if title in numbers and value is not None:
                numbers[title].append(value)
        body.append([text or table.absent for text, _ in cells])
    for key, rows in used.items():
        if not rows and not table.picks[key].may_lack:
            raise ToolError(f"table {table.name}: nothing in results/ is a {key}")
    if table.means:
        body.append(mean_line(table, numbers))
    head = [title for title, _ in table.columns]
    grid = [head, ["---"] * len(head), *body]
    said = caption(table, used)
    return [*("| " + " | ".join(line) + " |" for line in grid), *(["", said] if said else [])]


def mean_line(table: Table, numbers: dict) -> list[str]:
    """Geometric means, under the columns that have one."""
    line = ["geometric mean"] + [table.absent] * (len(table.columns) - 1)
    for i, (title, _) in enumerate(table.columns):
        if numbers.get(title):
            values = numbers[title]
            line[i] = f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}"
    return line


def span(values: list, unit: str, places: int = 0) -> str:
    """`low to high unit` of some numbers."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return ""
    low, high = f"{known[0]:.{places}f}", f"{known[-1]:.{places}f}"
    return f"{low} {unit}".strip() if low == high else f"{low} to {high} {unit}".strip()


def caption(table: Table, used: dict) -> str:
    """Decks, case, machines, dates, streams and files of what the table shows."""
    if table.captions is None:
        return table.extra
    runs, shown = {}, []
    for key in table.captions or table.picks:
        for row in used[key]:
            if "header" in row:
                runs.setdefault(row["file"], (table.picks[key].file, row))
                shown.append(row)
    parts = [case_of(shown)] if shown else []
    machines = {}
    for pattern, row in runs.values():
        machines.setdefault(machine_of(row), []).append((pattern, row))
    parts += [describe(machine, entries) for machine, entries in machines.items()]
    said = "; ".join(part for part in (*parts, table.extra) if part)
    return f"From {said}." if said else ""


def case_of(rows: list[dict]) -> str:
    """Decks, cells, precision and steps, as far as the runs share them."""
    decks = sorted({deck_of(row) for row in rows} - {""})
    grids = {grid_of(row) for row in rows}
    if len(decks) > 2:
        decks = [f"{os.path.commonprefix(decks)}*.toml"]
    words = [", ".join(f"`{deck}`" for deck in decks)] if decks else []
    words += [f"{next(iter(grids))} cells"] if len(grids) == 1 else []
    words += [" and ".join(sorted({row["precision"] for row in rows}))]
    steps = span([int(row["steps"]) for row in rows], "steps")
    return ", ".join([*words, steps])


def describe(machine: str, entries: list[tuple[str, dict]]) -> str:
    """One clause for a machine: date, streams, files."""
    rows = [row for _, row in entries]
    dates = sorted({row["header"]["date"][:10] for row in rows})
    day = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    streams = ", ".join(
        f"{key} {span([row['header']['streams'][key] for row in rows], 'GB/s')}"
        for key in ("copy", "update"))
    return f"{machine}, {day}, {streams}: {', '.join(files_of(entries))}"


def files_of(entries: list[tuple[str, dict]]) -> list[str]:
    """Names of the files; a * where a pick named several by a value of the line."""
    by_pattern = {}
    for pattern, row in entries:
        by_pattern.setdefault(pattern, []).append(row["file"])
    names = []
    for pattern, files in by_pattern.items():
        wild = re.sub(r"\{[^}]*\}", "*", pattern)
        names += files if len(files) == 1 or wild.startswith("*") else [wild]
    return [f"`results/{name}`" for name in dict.fromkeys(names)]


def machine_of(row: dict) -> str:
    """The device as its run names it."""
    machine = row["header"]["machine"]
    device = machine.get("device") or machine["host"]["cpu"]
    return f"{device}, {machine['concurrency']} threads" if machine["kind"] == "cpu" else device
