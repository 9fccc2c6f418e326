# SPDX-License-Identifier: Apache-2.0
"""A chart before it is drawn: on a page by Plotly (plotly_figures.py), in files by Matplotlib
(matplotlib_figures.py)."""

from __future__ import annotations

from dataclasses import dataclass, field

COLOURS = ("#4878a8", "#d1783c", "#4f9a5f", "#b5484b", "#8464a8", "#8a6d5b", "#cf7fb2", "#7f7f7f",
           "#a9a53a", "#3fa5ad")
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
    names, x its columns', `values` and `hover` by line; `scale` is the value of its brightest
    colour, `unit` that of the values)."""

    group: str
    name: str
    kind: str
    x_title: str = ""
    y_title: str = ""
    log: bool = False
    series: list[Series] = field(default_factory=list)
    values: list[list] = field(default_factory=list)
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
