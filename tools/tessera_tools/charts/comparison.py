# SPDX-License-Identifier: Apache-2.0
"""Charts of the comparison: bars, heat maps, cascades, navigation."""

from __future__ import annotations

import pandas

from .. import convergence
from ..comparison import Comparison, Problem
from ..portability import cascade
from .chart import Chart, Series, colours_of, known, number, percent

EFFICIENCIES = (("share_of_bound", "% of bound"), ("application", "% of the platform's best"))


def _hover(row) -> str:
    """What a row of the comparison holds."""
    head = f"<b>{row.full}</b><br>{row.platform}"
    if pandas.isna(row.gcell_per_s):
        return f"{head}<br>{row.status}: {row.reason}"
    noisy = " (varies by more than 3 %)" if row.noisy else ""
    return (f"{head}<br>{number(row.gcell_per_s)} GCell/s{noisy}"
            f"<br>{percent(known(row.share_of_bound))} of bound, {percent(row.application)} of the best "
            f"there<br>revision {row.revision or 'unknown'}")


def _note(problem: Problem) -> str:
    return "".join(f"{said[0].upper()}{said[1:]}. " for said in problem.doubts).strip()


def bars(found: Comparison) -> list[Chart]:
    """A chart a problem: rates of all variants, a colour a platform; where grids differ shares of
    the bound."""
    colours = colours_of(found.platforms.index)
    charts = []
    for problem in found.problems:
        key, factor, title = ("share_of_bound", 100, "% of bound") \
            if problem.grids_differ else ("gcell_per_s", 1, "GCell/s, median")
        chart = Chart("bars", problem.name, "bars", title, note=_note(problem))
        order = list(problem.table(key).index)
        cells = problem.cells().dropna(subset=[key])
        for at in problem.letters:
            here = cells[cells.letter == at].sort_values("variant", key=lambda names: names.map(order.index))
            if len(here):
                chart.series.append(Series(
                    found.platforms.platform[at], list(factor * here[key]), list(here.variant),
                    [_hover(row) for row in here.itertuples()], colours[at]))
        if chart.series:
            charts.append(chart)
    return charts


def heat_maps(found: Comparison) -> list[Chart]:
    """Two charts a problem: efficiencies, variants over platforms."""
    charts = []
    for problem in found.problems:
        names = [found.platforms.platform[at] for at in problem.letters]
        cells = problem.cells().assign(hover=[_hover(row) for row in problem.cells().itertuples()])
        hover = cells.pivot(index="variant", columns="letter", values="hover")
        failed = problem.table("gcell_per_s").isna() & problem.table("status").notna()
        for key, title in EFFICIENCIES:
            table = (100 * problem.table(key).astype(float)).mask(failed, 0.0)
            if not table.any(axis=None):
                continue
            texts = hover.reindex(table.index, columns=table.columns).fillna("not run")
            charts.append(Chart(
                "heat", f"{problem.name}: {title}", "heat",
                series=[Series("", names, list(table.index))],
                values=[[known(value) for value in line] for line in table.values],
                texts=[["" if value != value else f"{value:.0f}" for value in line] for line in table.values],
                hover=texts.values.tolist(), note=_note(problem)))
    return charts


def cascades(found: Comparison) -> list[Chart]:
    """A chart a problem and set of several platforms: each variant's efficiencies from its best
    platform to its worst, and Phi over those so far (dashed)."""
    charts = []
    for problem in found.problems:
        colours = colours_of(problem.table("application").index)
        for name, members in problem.sets.items():
            platforms = [found.platforms.platform[at] for at in members]
            chart = Chart("cascade", f"{problem.name}: {name}", "scatter",
                          "platforms, from the variant's best to its worst",
                          "% of the platform's best", y_range=(0, 105),
                          x_range=(0.8, len(members) + 0.2),
                          note=f"{name}: {', '.join(platforms)}. Solid: efficiency on the platform; "
                               f"dashed: Φ over the platforms so far. {_note(problem)}")
            for variant, line in problem.table("application")[members].dropna().iterrows():
                steps = cascade(list(line))
                hover = [f"{platforms[at]}: {percent(e)} of the best<br>Φ so far {percent(phi)}"
                         for at, e, phi in steps]
                for part, label, style in ((1, variant, "solid"), (2, f"Φ of {variant}", "dash")):
                    chart.series.append(Series(
                        label, list(range(1, len(steps) + 1)), [100 * step[part] for step in steps],
                        [f"<b>{label}</b><br>{text}" for text in hover], colours[variant], line=style,
                        points=part == 1))
            if chart.series:
                charts.append(chart)
    return charts


def navigation(found: Comparison, lines: pandas.DataFrame) -> list[Chart]:
    """A chart a set of several platforms: Phi of each family over the convergence of its source, from a
    count of convergence.read()."""
    converged = 1 - convergence.by_part(lines).set_index("part").divergence
    builds = ", ".join(max(lines.platforms, key=len).split())
    families, charts = found.families(), []
    families = families[families.phi.notna() & families.family.isin(converged.index)]
    colours = colours_of(families.family)
    for name, of in families.groupby("set", sort=False):
        if len(found.sets[name]) < 2:
            continue
        charts.append(Chart(
            "navigation", f"Φ over code convergence: {name}", "scatter", "code convergence, %",
            "Φ of the share of the bound, %", x_range=(0, 105), y_range=(0, 105),
            note=f"Convergence: 1 - divergence, of the family's lines that the builds for {builds} compile. "
                 "Top right: one source, near its bound everywhere.",
            series=[Series(row.family, [100 * converged[row.family]], [100 * row.phi],
                           [f"<b>{row.family}</b><br>Φ {percent(row.phi)} over {row.platforms}<br>"
                            f"convergence {percent(converged[row.family])}"], colours[row.family])
                    for row in of.itertuples()]))
    return charts
