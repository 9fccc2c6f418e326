# SPDX-License-Identifier: Apache-2.0
"""Charts by Matplotlib, into files for a paper; a legend stands below the axes, where it covers nothing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from .. import plotting
from .chart import Chart

MARKERS = {"circle": "o", "diamond": "D", "square": "s", "triangle-up": "^", "cross": "x"}
STYLES = {"solid": "-", "dash": "--", "dot": ":"}


def write(charts: list[Chart], folder: Path) -> list[Path]:
    """An SVG file a chart, named by its group and its name; of two of one name the second has a
    number."""
    folder.mkdir(parents=True, exist_ok=True)
    plotting.pyplot().rcParams["svg.hashsalt"] = "tessera"  # the same file for the same numbers
    paths, names = [], Counter()
    for chart in charts:
        words = re.sub(r"[^a-z0-9]+", "-", chart.name.lower().replace("%", "share")).strip("-")
        name = f"{chart.group}-{words}"
        names[name] += 1
        path = folder / f"{name}{'' if names[name] == 1 else f'-{names[name]}'}.svg"
        paths.append(plotting.save(draw(chart), path, bbox_inches="tight",
                                   metadata={"Date": None}))
    return paths


def draw(chart: Chart):
    """The figure of a chart."""
    names = chart.names
    height = max(2.2, 0.8 + 0.26 * len(names)) if names else 4.6
    figure, axes = plotting.pyplot().subplots(figsize=(7, height))
    {"scatter": _scatter, "bars": _bars, "heat": _heat}[chart.kind](axes, chart, names)
    axes.set_xlabel(chart.x_title)
    axes.set_ylabel(chart.y_title)
    if chart.kind != "heat":
        axes.grid(True, color="#e6eaee", linewidth=0.7)
        axes.set_axisbelow(True)
        if len(chart.series) > 1:
            # A distance in points below the axes, whatever their height.
            height = axes.get_position().height * figure.get_figheight()
            axes.legend(loc="upper left", bbox_to_anchor=(0, -0.55 / height), ncol=2, fontsize=7,
                        frameon=False, borderaxespad=0)
    axes.set_title(plotting.short(chart.name), fontsize=9, loc="left", wrap=True)
    return figure


def _scatter(axes, chart: Chart, _names) -> None:
    for series in chart.series:
        axes.plot(series.x, series.y, color=series.colour, label=plotting.short(series.name),
                  marker=MARKERS[series.symbol] if series.points else "",
                  linestyle=STYLES.get(series.line, ""), markersize=4, linewidth=1.2)
    if chart.log:
        axes.set_xscale("log")
        axes.set_yscale("log")
    if chart.x_range:
        axes.set_xlim(chart.x_range)
        if chart.x_range[1] < 20:
            axes.set_xticks(range(1, int(chart.x_range[1]) + 1))
    if chart.y_range:
        axes.set_ylim(chart.y_range)


def _bars(axes, chart: Chart, names) -> None:
    height = 0.8 / len(chart.series)
    for i, series in enumerate(chart.series):
        places = [names.index(name) + (i - (len(chart.series) - 1) / 2) * height
                  for name in series.y]
        axes.barh(places, series.x, height, color=series.colour,
                  label=plotting.short(series.name))
    axes.set_yticks(range(len(names)), map(plotting.short, names), fontsize=7)
    axes.invert_yaxis()


def _heat(axes, chart: Chart, names) -> None:
    values = [[float("nan") if value is None else value for value in line]
              for line in chart.values]
    image = axes.imshow(values, vmin=0, vmax=chart.scale, cmap="viridis", aspect="auto")
    columns = [plotting.short(str(name)) for name in chart.series[0].x]
    axes.set_xticks(range(len(columns)), columns, fontsize=7)
    axes.set_yticks(range(len(names)), map(plotting.short, names), fontsize=7)
    for x, y, text, colour in chart.cells():
        axes.text(x, y, text, ha="center", va="center", fontsize=7, color=colour)
    axes.figure.colorbar(image, ax=axes, label=chart.unit)
