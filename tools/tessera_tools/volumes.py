# SPDX-License-Identifier: Apache-2.0
"""Volumes of data traffic by Su's formulas and by the machine model, beside what was counted: the
lines of Su's figures, and the table that they are stored in."""

from __future__ import annotations

import csv
import fnmatch
import io
import math
import re
from dataclasses import dataclass
from pathlib import Path

from .errors import ToolError, one_line
from .files import note_read, write_whole

STAGES = ("smx", "l2", "gm")
COUNTERS = {"smx": "l1_bytes_per_cell", "l2": "l2_bytes_per_cell", "gm": "dram_bytes_per_cell"}


@dataclass
class Line:
    """One configuration of a stencil at one size; volumes in bytes a cell, by stage."""

    machine: str
    kind: str
    stencil: str
    size: int
    name: str
    paper: dict[str, float]
    without_misses: float  # V_GM by the paper's formula with epsilon = 0
    model: dict[str, float]
    counted: dict[str, float]  # stages that were


def select(lines: list[Line], kind: str, stencil: str, pattern: str) -> list[Line]:
    """The lines whose name matches the pattern."""
    return [line for line in lines if (line.kind, line.stencil) == (kind, stencil)
            and fnmatch.fnmatchcase(line.name, pattern)]


def _rows(path: Path) -> list[dict]:
    note_read(path)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror}") from None
    except (ValueError, csv.Error) as error:  # no UTF-8, or no table
        raise ToolError(f"{path}: cannot be read as a table: {one_line(error)}") from None


def _number(row: dict, column: str) -> float:
    """A cell as a finite number; a line that is too short has none there."""
    value = float(row[column] if row[column] is not None else "")
    if not math.isfinite(value):
        raise ValueError(f"{column} is {value}")
    return value


def _size(row: dict) -> int:
    """Cells along each axis."""
    size = int(row["size"] or "")
    if not 0 < size <= 1 << 20:
        raise ValueError(f"a size of {size} cells")
    return size


def _name(row: dict) -> str:
    """A variant with a configuration that has sizes, as figures sort by them."""
    name = row["name"] or ""
    if not re.fullmatch(r"[^:]+:[^:]*\d[^:]*", name):
        raise ValueError(f"{name!r} names no configuration")
    return name


def with_counters(lines: list[Line], runs: Path | None) -> list[Line]:
    """The same lines with what the runs.csv of tools/traffic_study.py counted."""
    if runs is None:
        return lines
    try:
        found = {(row["kind"], row["stencil"], row["size"], row["name"]):
                 {stage: _number(row, column) for stage, column in COUNTERS.items() if row[column]}
                 for row in _rows(runs)}
    except KeyError as error:
        raise ToolError(f"{runs}: no column {error.args[0]}: is it a runs.csv of "
                        "tools/traffic_study.py?") from None
    except ValueError as error:
        raise ToolError(f"{runs}: not a runs.csv of tools/traffic_study.py: {error}") from None
    for line in lines:
        line.counted = found.get((line.kind, line.stencil, str(line.size), line.name), {})
    return lines


def write(path: Path, lines: list[Line]) -> None:
    """A table with a line a configuration."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["machine", "kind", "stencil", "size", "name",
                     *(f"{what}_{stage}" for what in ("paper", "model", "counted")
                       for stage in STAGES), "paper_gm_without_misses"])
    for line in lines:
        writer.writerow([line.machine, line.kind, line.stencil, line.size, line.name,
                         *(f"{volume[stage]:.6g}" if stage in volume else ""
                           for volume in (line.paper, line.model, line.counted)
                           for stage in STAGES), f"{line.without_misses:.6g}"])
    write_whole(path, text.getvalue())


def read(path: Path) -> list[Line]:
    """What write() has written."""
    rows = _rows(path)
    if not rows:
        raise ToolError(f"{path}: holds no volumes")
    try:
        return [Line(row["machine"], row["kind"], row["stencil"], _size(row), _name(row),
                     paper={stage: _number(row, f"paper_{stage}") for stage in STAGES},
                     without_misses=_number(row, "paper_gm_without_misses"),
                     model={stage: _number(row, f"model_{stage}") for stage in STAGES},
                     counted={stage: _number(row, f"counted_{stage}") for stage in STAGES
                              if row[f"counted_{stage}"]}) for row in rows]
    except (KeyError, ValueError) as error:
        raise ToolError(f"{path}: not a table of tools/plot_volumes.py --save: {one_line(error)}") \
            from None
