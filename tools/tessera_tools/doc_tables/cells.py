# SPDX-License-Identifier: Apache-2.0
"""What stands in a cell: text with {EXPRESSION:FORMAT} in it, of rows, values and the functions
here. Where a value is missing the cell is what follows `//`, else empty."""

from __future__ import annotations

from string import Formatter

from .. import published
from ..errors import ToolError, one_line
from ..files import PUBLISHED


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
    """A row: `row.a.b` are its values; `row / other` says how many times as fast it is."""

    def __init__(self, row: dict):
        self._row = row

    def __getattr__(self, key):
        value = wrapped(self._row.get(key))
        return value if value != "" and not isinstance(value, Nothing) else _missing()

    def __truediv__(self, other):
        return speed(self) / speed(other)


def speed(row):
    """GCell/s."""
    return row.gcell_per_s.median


def rate(row):
    """GCell/s with three or four digits."""
    value = speed(row)
    return f"{value:.{0 if value >= 1000 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def full(row):
    """`family/variant:configuration`."""
    return f"`{row.variant}:{row.configuration}`"


def name(row):
    """The same without the family."""
    return "`" + full(row).partition("/")[2]


def tile(row):
    """What follows the colon."""
    return f"`{row.configuration}`"


def short(row):
    """The variant alone."""
    return row.variant.split("/")[1]


def cells(row):
    """Extents as a text."""
    extents = [row.nx, row.ny, row.nz]
    return f"{row.nx}³" if len(set(extents)) == 1 else " x ".join(str(n) for n in extents if n > 1)


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
    return row.predicted.fraction_of_attainable if kind == "attainable" else getattr(
        row, f"fraction_of_{kind}")


def share(row):
    """The same with the bound's name, per cent."""
    return f"{100 * fraction(row):.0f} % of {bound(row)}"


def over(best, base):
    """How many times as fast as its baseline; `≤` where a GPU's went through
    a TeamPolicy, which costs it (files `*-native.json` are of binaries that launched natively)."""
    most = (base.header.machine.kind == "gpu" and base.resources.launch == "TeamPolicy"
            and not base.file.endswith("-native.json"))
    return f"{'≤ ' * most}{best / base:.1f}"


def paper(file, stencil):
    """A paper's GCell/s of a stencil."""
    table = published.read(PUBLISHED / file)
    return next(value for row, value in table.values_of("gcell_per_s")
                if row["stencil"].endswith(f"/{stencil}"))


FUNCTIONS = {function.__name__: function for function in (
    speed, rate, full, name, tile, short, cells, case, share, over, paper)}


def make(cell: str, names: dict) -> tuple[str, float | None]:
    """A cell's text, and its number where it is one."""
    for template in cell.split(" // "):
        text, value = "", None
        try:
            for literal, expression, form, _ in Formatter().parse(template):
                text += literal
                if expression is not None:
                    value = eval(expression, {"__builtins__": {}, **FUNCTIONS, **names})
                    text += format(value, form)
        except Missing:
            continue
        except (TypeError, ValueError, LookupError, ArithmeticError, StopIteration) as error:
            raise ToolError(f"`{template}`: {one_line(error)}") from None
        return text, value if isinstance(value, float) else None
    return "", None
