# SPDX-License-Identifier: Apache-2.0
"""Charts as Plotly figures (data and layout), for a desk and for a phone."""

from __future__ import annotations

import math

from .chart import Chart, Series

HOVER = "%{hovertext}<extra></extra>"
GRID = {"gridcolor": "#e6eaee", "zerolinecolor": "#d5dbe1", "automargin": True}


def figures(chart: Chart) -> dict:
    """What the page needs of a chart."""
    return {"group": chart.group, "note": chart.note,
            "wide": {"data": _data(chart, False), "layout": _layout(chart, False)},
            "narrow": {"data": _data(chart, True), "layout": _layout(chart, True)}}


def _short(name: str, narrow: bool) -> str:
    """On a phone a variant goes without its family: the chart's choice tells it."""
    return name.split("/")[-1] if narrow else name


def _data(chart: Chart, narrow: bool) -> list[dict]:
    if chart.kind == "heat":
        axes = chart.series[0]
        return [{"type": "heatmap", "x": axes.x, "y": [_short(y, narrow) for y in axes.y],
                 "z": chart.values, "zmin": 0, "zmax": chart.scale, "colorscale": "Viridis",
                 "hovertext": chart.hover, "hovertemplate": HOVER, "hoverongaps": True,
                 "xgap": 1, "ygap": 1,
                 "colorbar": {"title": {"text": chart.unit}, "thickness": 12}}]
    if chart.kind == "bars":
        return [{"type": "bar", "orientation": "h", "name": series.name, "x": series.x,
                 "y": [_short(y, narrow) for y in series.y], "hovertext": series.hover,
                 "hovertemplate": HOVER, "marker": {"color": series.colour}}
                for series in chart.series]
    return [_scatter(series) for series in chart.series]


def _scatter(series: Series) -> dict:
    mode = "+".join((["lines"] if series.line else []) + (["markers"] if series.points else []))
    trace = {"type": "scatter", "mode": mode, "name": series.name, "x": series.x, "y": series.y,
             "hovertext": series.hover, "hovertemplate": HOVER}
    if series.line:
        trace["line"] = {"color": series.colour, "dash": series.line, "width": 1.6}
    if series.points:
        trace["marker"] = {"color": series.colour, "symbol": series.symbol, "size": 7,
                           "opacity": 0.85}
    return trace


def _layout(chart: Chart, narrow: bool) -> dict:
    """The legend stands below the axes, in room of its own."""
    names = chart.names
    lines = math.ceil(len(chart.series) / (1 if narrow else 4))
    legend = 0 if chart.kind == "heat" else 22 * lines + 10
    plot = max(260, 70 + _bar_height(chart) * len(names)) if names else 360 if narrow else 460
    layout = {
        "height": plot + 86 + legend, "autosize": True, "showlegend": legend > 0,
        "title": {"text": chart.name, "x": 0, "font": {"size": 13}},
        "margin": {"l": 50, "r": 10, "t": 40, "b": 54 + legend},
        "paper_bgcolor": "white", "plot_bgcolor": "white",
        "font": {"family": "system-ui, sans-serif", "size": 11 if narrow else 12},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "yanchor": "top",
                   "y": -50 / max(plot - 8, 1), "traceorder": "normal"},
        "hoverlabel": {"align": "left"}, "hovermode": "closest",
        "xaxis": {**GRID, "title": {"text": chart.x_title}},
        "yaxis": {**GRID, "title": {"text": chart.y_title}},
    }
    if chart.log:
        for axis in ("xaxis", "yaxis"):
            layout[axis].update(type="log", dtick="D2", exponentformat="none")
    if names:
        layout["yaxis"].update(type="category", autorange="reversed", dtick=1,
                               categoryorder="array",
                               categoryarray=[_short(name, narrow) for name in names])
        layout["xaxis"]["rangemode"] = "tozero"
    if chart.kind == "heat":
        layout["xaxis"].update(type="category", tickangle=45 if narrow else 0)
        layout["annotations"] = [
            {"x": x, "y": y, "text": text, "showarrow": False, "font": {"color": colour, "size": 10}}
            for x, y, text, colour in chart.cells()]
    if chart.x_range:
        layout["xaxis"].update(range=list(chart.x_range), dtick=1 if chart.x_range[1] < 20 else 20)
    if chart.y_range:
        layout["yaxis"]["range"] = list(chart.y_range)
    return layout


def _bar_height(chart: Chart) -> int:
    return 22 if chart.kind == "heat" else 10 + 9 * len(chart.series)
