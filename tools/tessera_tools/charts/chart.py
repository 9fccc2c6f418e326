# SPDX-License-Identifier: Apache-2.0
"""A chart before it is drawn: on a page by Plotly (plotly_figures.py), in files by Matplotlib
(matplotlib_figures.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

# As many as a problem has variants, at least.
COLOURS = ("#4878a8", "#d1783c", "#4f9a5f", "#b5484b", "#8464a8", "#8a6d5b", "#cf7fb2", "#7f7f7f",
           "#a9a53a", "#3fa5ad", "#1b3a5c", "#f2b134", "#0b5d3b", "#ff6f91", "#5b2a86", "#b8cde0",
           "#6e2c00", "#9fd356", "#d9d9d9", "#00d1c7")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross")


@dataclass
class Series:
    """Points or a line; `hover` has a text a point."""

    name: str
    x: list
    y: list
    hover: list[str] = field(default_factory=list)
    colour: str = COLOURS[0]
    symbol: str = SYMBOLS[0]
    line: str = ""  # "", "solid", "dash" or "dot"
    points: bool = True


@dataclass
class Chart:
    """`kind`: "scatter", "bars" (horizontal; y has names) or "heat" (series[0].y are its lines'
    names, x its columns', `values`, `texts` and `hover` by line; `scale` is the value of its
    brightest colour, `unit` that of the values)."""

    group: str
    name: str
    kind: str
    x_title: str = ""
    y_title: str = ""
    log: bool = False
    series: list[Series] = field(default_factory=list)
    values: list[list] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)
    hover: list[list[str]] = field(default_factory=list)
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    scale: float = 100.0
    unit: str = "%"
    note: str = ""

    @property
    def names(self) -> list[str]:
        """Names along y, of charts that have them."""
        every = [] if self.kind == "scatter" else [name for series in self.series for name in series.y]
        return list(dict.fromkeys(every))

    def cells(self) -> Iterator[tuple[int, int, str, str]]:
        """Column, line, text and the text's colour of each cell of a heat map that has a value."""
        for y, (values, texts) in enumerate(zip(self.values, self.texts)):
            for x, (value, text) in enumerate(zip(values, texts)):
                if value is not None:
                    yield x, y, text, "white" if value < 0.6 * self.scale else "black"


def colours_of(names) -> dict[str, str]:
    """A colour a name, the same in all charts that are given the same names."""
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(dict.fromkeys(names))}


def known(value) -> float | None:
    """A number of a frame; None where it is not known."""
    return None if value is None or value != value else float(value)


def number(value: float | None, digits: int = 3) -> str:
    """Three digits that count, or a dash."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"
