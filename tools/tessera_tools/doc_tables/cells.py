# SPDX-License-Identifier: Apache-2.0
"""What stands in a cell: text with {EXPRESSION:FORMAT} in it, of rows, values and the functions
here. Where a value is missing the cell is what follows `//`, else empty."""

from __future__ import annotations

import math
from string import Formatter

from ..errors import ToolError, one_line
from .data import Data, lookup


class Missing(Exception):
    """A value that is not there: the cell has none."""


def _missing(*_):
    raise Missing


class Nothing:
    """Stands for what is missing: whatever is made of it is missing too."""

    __getattr__ = __getitem__ = __format__ = __add__ = __radd__ = __sub__ = __rsub__ = _missing
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _missing


def wrapped(value):
    """A dictionary by attributes, None as Nothing, all else as it is."""
    return Nothing() if value is None else It(value) if isinstance(value, dict) else value


class It:
    """A row: `row.a.b` and `row["a b"]` are its values, those of CSV files as numbers where they are
    numbers; `row / other` says how many times as fast it is."""

    def __init__(self, row: dict):
        self._row = row

    def __getitem__(self, key):
        value = wrapped(self._row.get(key))
        if value in ("", "-"):
            raise Missing
        try:
            return float(value) if isinstance(value, str) else value
        except ValueError:
            return value

    def __getattr__(self, key):
        value = self[key]
        return value if not isinstance(value, Nothing) else _missing()

    def __truediv__(self, other):
        return rate_of(self) / rate_of(other)


def rate_of(row):
    """GCell/s."""
    return row.gcell_per_s.median


def rate(row):
    """GCell/s with three or four digits."""
    value = rate_of(row)
    return f"{value:.{0 if value >= 1000 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def full(row):
    """`family/variant:configuration`."""
    return f"`{row.variant}:{row._row['configuration']}`"


def name(row):
    """The same without the family."""
    return "`" + full(row).partition("/")[2]


def tile(row):
    """What follows the colon."""
    return f"`{row._row['configuration']}`"


def short(row):
    """The variant alone."""
    return row.variant.split("/")[1]


def cells(row):
    """Extents as a text."""
    extents = [int(row[key]) for key in ("nx", "ny", "nz")]
    if len(set(extents)) == 1:
        return f"{extents[0]}³"
    return " x ".join(str(n) for n in extents if n > 1)


def case(row):
    """Stencil, cells and precision."""
    return f"{row.stencil.split('/')[1]}, {cells(row)}, {row.precision}"


def bound(row):
    """The share's name: of several steps a pass the attainable rate, else copy on GPUs, update on
    hosts; docs/performance/README.md says what they are."""
    if row.temporal_depth > 1:
        return "attainable"
    return "copy" if row.header.machine.kind == "gpu" else "update"


def fraction(row):
    """The share of its bound."""
    kind = bound(row)
    return row.predicted.fraction_of_attainable if kind == "attainable" else row[
        f"fraction_of_{kind}"]


def share(row):
    """The same with the bound's name, per cent."""
    return f"{100 * fraction(row):.0f} % of {bound(row)}"


def must_move(row):
    """Bytes a cell that the variant must move."""
    return row.resources.moved_elements_per_cell * (4 if row.precision == "float" else 8)


def in_unit(row, unit):
    """A rate, or a share of the update bandwidth."""
    return f"{rate_of(row):.1f}" if unit == "GCell/s" else f"{100 * row.fraction_of_update:.0f}"


def same(here, there):
    """A value that two machines have to the bit."""
    if here != there:
        raise ToolError(f"one machine has {here}, the other {there}")
    return here


def printed(row, key):
    """The figure of a paper beside the row, by its quantity or title."""
    columns = lookup(row._row, "published.columns") or ()
    return next((c["value"] for c in columns if key in (c["quantity"], c["title"])), Nothing())


def updates(row, steps=None):
    """Cells times steps of one launch."""
    return math.prod(map(int, row.cells.split("x"))) * (steps or row.steps)


def times(value):
    """Two digits of a factor."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def lost(size, whole):
    """What a size costs against whole tiles, per cent."""
    return Nothing() if size._row is whole._row else 100 * (1 - size / whole)


def ragged(size, whole, radius, axes):
    """What is lost if all that a size costs is the cells computed beside the grid, with the tiles
    that are best where they are whole, per cent."""
    if size._row is whole._row:
        return Nothing()
    extents, depth = whole.configuration.split(",t=")

    def stored(row):
        share = 1.0
        for axis, extent in list(zip(("nx", "ny"), extents.split("x")))[:axes]:
            kept = int(extent) - 2 * int(depth) * radius
            share *= row[axis] / (kept * math.ceil(row[axis] / kept))
        return share

    return round(100 * (1 - stored(size) / stored(whole)), 1) + 0.0


FUNCTIONS = {function.__name__: function for function in (
    rate, full, name, tile, short, cells, case, share, must_move, in_unit, same, printed, updates,
    times, lost, ragged, int, max, map)} | {
    "speed": rate_of, "v100": lambda row: printed(row, "V100")}


def make(cell: str, names: dict, data: Data) -> tuple[str, float | None]:
    """A cell's text, and its number where it is one."""

    def published(file, stencil):
        return next(value for row, value in data.published(file).values_of("gcell_per_s")
                    if row["stencil"].endswith(f"/{stencil}"))

    for template in cell.split(" // "):
        text, value = "", None
        try:
            for literal, expression, form, _ in Formatter().parse(template):
                text += literal
                if expression is not None:
                    value = eval(expression, {"__builtins__": {}, **FUNCTIONS,
                                              "published": published, **names})
                    text += format(value, form)
        except Missing:
            continue
        except (TypeError, ValueError, LookupError, ArithmeticError, StopIteration) as error:
            raise ToolError(f"`{template}`: {one_line(error)}") from None
        return text, value if isinstance(value, float) else None
    return "", None
