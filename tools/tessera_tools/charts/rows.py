# SPDX-License-Identifier: Apache-2.0
"""Charts of the rows themselves: rooflines, and predicted against measured."""

from __future__ import annotations

import statistics
from collections import defaultdict

from .. import results
from ..comparison import Comparison
from ..results import Row
from .chart import Chart, Series, colours_of, number, percent


def row_text(row: Row) -> str:
    """A row, for hovering."""
    nx, ny, nz = row.grid
    place = " ".join(filter(None, (row.stencil, row.decomposition)))
    return (f"<b>{row.name}</b><br>{place}, {row.precision}, {nx} x {ny} x {nz}, "
            f"{row.steps} steps<br>{number(row.rate)} GCell/s, {percent(row.share_of_bound)} of "
            f"bound ({row.bound})<br>{row.file.path.name}, {row.file.date}")


def _by_platform(found: Comparison, key) -> dict[tuple, list[Row]]:
    rows = defaultdict(list)
    for platform, row in found.measured:
        if row.valid:
            rows[(platform, *key(row))].append(row)
    return rows


def _best_of_variants(rows: list[Row]) -> list[Row]:
    """Each variant's fastest row of each case."""
    cases = defaultdict(list)
    for row in rows:
        cases[row.variant, row.problem].append(row)
    return [results.best(group) for group in cases.values()]


def rooflines(found: Comparison) -> list[Chart]:
    """A chart a platform and precision."""
    families = colours_of(row.family for _, row in found.measured)
    charts = []
    for (platform, precision), rows in _by_platform(found, lambda row: (row.precision,)).items():
        files = {id(row.file): row.file for row in rows}.values()
        roofs = [file.roofline for file in files
                 if file.roofline.get("gb_per_s") and file.roofline.get("peak_gflop_per_s")]
        best = [row for row in _best_of_variants(rows)
                if row.record.get("flop_per_byte") and row.record.get("gflop_per_s")]
        if not roofs or not best:
            continue
        chart = Chart("roofline", f"{platform}, {precision}", "scatter",
                      "flop / byte", "GFLOP/s", log=True)
        _add_points(chart, best, families)
        counted = [row for row in rows if row.counters.get("dram_flop_per_byte")]
        _add_counted(chart, counted)
        _add_roofs(chart, roofs)
        chart.note = _roofline_note(best, counted)
        charts.append(chart)
    return charts


def _roofline_note(best: list[Row], counted: list[Row]) -> str:
    note = ("The best configuration of each variant and case, at the least bytes a step. Roofs: "
            "medians over the platform's runs.")
    if any(row.temporal_depth > 1 for row in best):
        note += (" Variants that block in time (diamonds) move these bytes once in several steps "
                 "and may lie above the memory's roof.")
    if counted:
        note += " Crosses: at the bytes that hardware counters saw."
    return note


def _add_points(chart: Chart, rows: list[Row], colours: dict[str, str]) -> None:
    groups = defaultdict(list)
    for row in rows:
        groups[row.family, row.temporal_depth > 1].append(row)
    for (family, blocked), group in sorted(groups.items()):
        chart.series.append(Series(
            f"{family}, blocked in time" if blocked else family,
            [row.record["flop_per_byte"] for row in group],
            [row.record["gflop_per_s"] for row in group], [row_text(row) for row in group],
            colours[family], "diamond" if blocked else "circle"))


def _add_counted(chart: Chart, rows: list[Row]) -> None:
    for level, label, colour in (("dram", "device memory, counted", "#222222"),
                                 ("l2", "L2, counted", "#999999")):
        group = [row for row in rows if row.counters.get(f"{level}_flop_per_byte")
                 and row.record.get("gflop_per_s")]
        if group:
            chart.series.append(Series(
                label, [row.counters[f"{level}_flop_per_byte"] for row in group],
                [row.record["gflop_per_s"] for row in group],
                [f"{row_text(row)}<br>{label}: {number(row.counters[f'{level}_bytes_per_cell'])} "
                 "B a cell and step" for row in group], colour, "cross"))


def _add_roofs(chart: Chart, roofs: list[dict]) -> None:
    """From left of the leftmost point to right of the ridge."""
    peak = statistics.median(roof["peak_gflop_per_s"] for roof in roofs)
    low = 0.5 * min(x for series in chart.series for x in series.x)
    high = max(max(x for series in chart.series for x in series.x), 1)
    levels = [("device memory", "gb_per_s", "solid"), ("L2", "l2_gb_per_s", "dash")]
    for label, key, line in levels:
        known = [roof[key] for roof in roofs if roof.get(key)]
        if not known:
            continue
        rate = statistics.median(known)
        ridge = peak / rate
        high = max(high, 2 * ridge)
        text = f"{label}: {number(rate)} GB/s, {number(peak)} GFLOP/s"
        chart.series.append(Series(text, [low, ridge, high], [low * rate, peak, peak],
                                   3 * [text], "#222222", line=line, points=False))


def predictions(asked: dict[str, dict]) -> list[Chart]:
    """A chart a platform of what `tessera predict --study` says of its folder today: rates by the model
    against measured ones."""
    families = colours_of(row["family"] for of in asked.values() for row in of["rows"])
    charts = []
    for platform, of in asked.items():
        groups = defaultdict(list)
        for row in of["rows"]:
            rates = (row["cells"] / row[key] / 1e9 for key in ("predicted_s", "measured_s"))
            groups[row["family"]].append((*rates, row))
        if not groups:
            continue
        chart = Chart("predicted", platform, "scatter", "predicted, GCell/s", "measured, GCell/s", log=True,
                      note="Rows that a model applies to. On the line both are equal; above it the row is "
                           "faster than predicted.")
        for family, group in sorted(groups.items()):
            chart.series.append(Series(
                family, [x for x, _, _ in group], [y for _, y, _ in group],
                [f"<b>{row['name']}</b><br>{row['stencil']} {row['decomposition']}, {row['precision']}<br>"
                 f"predicted {number(x)}, measured {number(y)} GCell/s, bound by {row['binding']}<br>{row['file']}"
                 for x, y, row in group], families[family]))
        values = [value for series in chart.series for value in (*series.x, *series.y)]
        ends = [min(values), max(values)]
        chart.series.append(Series("equal", ends, ends, 2 * ["equal"], "#222222", line="dot", points=False))
        charts.append(chart)
    return charts
