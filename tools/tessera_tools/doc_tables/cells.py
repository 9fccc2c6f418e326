# SPDX-License-Identifier: Apache-2.0
"""What stands in a cell: functions of the rows that a line picked, giving a text and its number.

A cell is called with `rows`, {pick: row or None}, and `values`, those of the line.
"""

from __future__ import annotations

from typing import Callable

from .data import lookup, speed

NOTHING = ("", None)
Cell = Callable[[dict, dict], "tuple[str, float | None]"]


def digits(value: float) -> str:
    """A rate with three or four digits."""
    places = 0 if value >= 1000 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{places}f}"


def words(pick: str, make: Callable[[dict], str]) -> Cell:
    """A text made of one row; nothing where none was picked."""
    return lambda rows, values: (make(rows[pick]), None) if rows.get(pick) else NOTHING


def figures(picks: tuple, make: Callable[..., float | None],
            shape: Callable[[float], str]) -> Cell:
    """A number made of rows; nothing where one was not picked or lacks what it takes."""

    def cell(rows, values):
        found = [rows.get(pick) for pick in picks]
        value = make(*found) if all(found) else None
        return NOTHING if value is None else (shape(value), value)

    return cell


def text(template: str) -> Cell:
    """Words and {values} of the line."""
    return lambda rows, values: (template.format_map(values), None)


def number(pick: str, path: str, shape: str = "{:.0f}", scale: float = 1.0) -> Cell:
    """A field of a row, of any file."""

    def make(row):
        value = lookup(row, path)
        return None if value in (None, "", "-") else scale * float(value)

    return figures((pick,), make, shape.format)


def percent(pick: str, path: str, places: int = 0) -> Cell:
    """A share as per cent."""
    return number(pick, path, f"{{:.{places}f}}", 100.0)


def rate(pick: str) -> Cell:
    """Median GCell/s."""
    return figures((pick,), speed, digits)


def ratio(of: str, over: str) -> Cell:
    """How many times as fast."""
    return figures((of, over), lambda row, base: speed(row) / speed(base), "{:.2f}".format)


def peak_share(pick: str) -> Cell:
    """GFLOP/s over the multiply-add peak of the same run, per cent."""
    return figures(
        (pick,),
        lambda row: 100 * row["gflop_per_s"] / lookup(row, "header.roofline.peak_gflop_per_s"),
        "{:.0f}".format)


def configuration(pick: str) -> Cell:
    """What follows the colon."""
    return words(pick, lambda row: f"`{row['configuration']}`")


def name(pick: str) -> Cell:
    """variant:configuration, without the family."""
    return words(pick, lambda row: f"`{row['variant'].split('/')[1]}:{row['configuration']}`")


def full_name(pick: str) -> Cell:
    """family/variant:configuration."""
    return words(pick, lambda row: f"`{row['variant']}:{row['configuration']}`")


def device(pick: str) -> Cell:
    """The processor's own name."""
    return words(pick, lambda row: row["header"]["machine"]["device"])


def deck_of(row: dict) -> str:
    """The deck of a study's run, or the one named on a file's command line."""
    if row["header"].get("run deck"):
        return row["header"]["run deck"]
    typed = (row["header"].get("command_line") or "").split()
    return next((word for word in typed if word.endswith(".toml") and "=" not in word), "")


def grid_of(row: dict) -> str:
    """Extents as a text."""
    extents = [int(row[key]) for key in ("nx", "ny", "nz")]
    if len(set(extents)) == 1:
        return f"{extents[0]}³"
    return " x ".join(str(n) for n in extents if n > 1)


def deck(pick: str) -> Cell:
    """The deck's path."""
    return words(pick, lambda row: f"`{deck_of(row)}`")


def file(pick: str) -> Cell:
    """The result file's path."""
    return words(pick, lambda row: f"`results/{row['file']}`")


def date(pick: str) -> Cell:
    """The day of the run."""
    return words(pick, lambda row: row["header"]["date"][:10])


def grid(pick: str) -> Cell:
    """Extents of the case."""
    return words(pick, grid_of)
