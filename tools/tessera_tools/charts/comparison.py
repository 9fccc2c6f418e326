# SPDX-License-Identifier: Apache-2.0
"""Charts of the comparison: bars, heat maps, cascades."""

from __future__ import annotations

from ..study import Study, problem_name
from .chart import Chart, Series, colours_of, number, percent

EFFICIENCIES = (("architectural_efficiency", "% of bound"),
                ("application_efficiency", "% of the platform's best"))


def doubts(problem: dict) -> str:
    """What differs between the platforms of a problem, as a sentence each."""
    said = []
    if problem["grids_differ"]:
        grids = sorted({" x ".join(str(run[key]) for key in ("nx", "ny", "nz"))
                        for run in problem["runs"]})
        said.append(f"Grids differ ({', '.join(grids)}): efficiencies are compared, not rates.")
    if problem["steps_differ"]:
        said.append("Steps differ.")
    if problem["revisions_differ"]:
        said.append("Rows are of several revisions of the code.")
    return " ".join(said)


def cell_text(study: Study, problem: dict, line: dict, at: int) -> str:
    """What a cell of the comparison holds, for hovering."""
    cell, platform = line["cells"][at], study.name(problem["platforms"][at])
    if cell is None:
        return f"{line['name']} on {platform}: not run"
    head = f"<b>{cell['variant']}:{cell['configuration']}</b><br>{platform}"
    if cell["gcell_per_s"] is None:
        return f"{head}<br>{cell['status']}: {cell['reason']}"
    noisy = " (varies by more than 3 %)" if cell["noisy"] else ""
    return (f"{head}<br>{number(cell['gcell_per_s'])} GCell/s{noisy}"
            f"<br>{percent(cell['architectural_efficiency'])} of bound, "
            f"{percent(cell['application_efficiency'])} of the best there"
            f"<br>revision {cell['revision'][:10] or 'unknown'}")


def bars(study: Study) -> list[Chart]:
    """A chart a problem: rates of all variants, a colour a platform; where grids differ shares of
    the bound."""
    colours = colours_of(platform["name"] for platform in study.platforms)
    charts = []
    for problem in study.problems:
        key, factor, title = ("architectural_efficiency", 100, "% of bound") \
            if problem["grids_differ"] else ("gcell_per_s", 1, "GCell/s, median")
        chart = Chart("bars", problem_name(problem), "bars", title, note=doubts(problem))
        for at, platform in enumerate(problem["platforms"]):
            series = Series(study.name(platform), [], [], colour=colours[study.name(platform)])
            for line in problem["variants"]:
                cell = line["cells"][at]
                if cell and cell[key] is not None:
                    series.x.append(factor * cell[key])
                    series.y.append(line["name"])
                    series.hover.append(cell_text(study, problem, line, at))
            if series.x:
                chart.series.append(series)
        if chart.series:
            charts.append(chart)
    return charts


def heat_maps(study: Study) -> list[Chart]:
    """Two charts a problem: efficiencies, variants over platforms."""
    charts = []
    for problem in study.problems:
        lines = [line for line in problem["variants"] if any(line["cells"])]
        names = [study.name(platform) for platform in problem["platforms"]]
        for key, title in EFFICIENCIES:
            values = [[100 * cell[key] if cell and cell[key] is not None else
                       0 if cell and cell["gcell_per_s"] is None else None
                       for cell in line["cells"]] for line in lines]
            if not any(value for line in values for value in line):
                continue
            hover = [[cell_text(study, problem, line, at) for at in range(len(names))]
                     for line in lines]
            charts.append(Chart(
                "heat", f"{problem_name(problem)}: {title}", "heat",
                series=[Series("", names, [line["name"] for line in lines])], values=values,
                hover=hover, note=doubts(problem)))
    return charts


def cascades(study: Study) -> list[Chart]:
    """A chart a problem and set of several platforms: each variant's efficiencies from its best
    platform to its worst, and Phi over those so far (dashed)."""
    charts = []
    for problem in study.problems:
        variants = {line["name"] for line in problem["variants"]}
        colours = colours_of(line["name"] for line in problem["variants"])
        for found in problem["sets"]:
            if len(found["platforms"]) < 2:
                continue
            chart = Chart("cascade", f"{problem_name(problem)}: {found['name']}", "scatter",
                          "platforms, from the variant's best to its worst",
                          "% of the platform's best", y_range=(0, 105),
                          x_range=(0.8, len(found["platforms"]) + 0.2),
                          note=f"{study.set_name(found)}. Solid: efficiency on the platform; "
                               f"dashed: Φ over the platforms so far. {doubts(problem)}")
            seen = set()
            for line in found["phi"]:
                steps = line.get("cascade")
                # A configuration's line may bear its variant's name: the variant comes first.
                if not steps or line["name"] not in variants or line["name"] in seen:
                    continue
                seen.add(line["name"])
                _add_cascade(chart, study, line["name"], steps, colours[line["name"]])
            if chart.series:
                charts.append(chart)
    return charts


def _add_cascade(chart: Chart, study: Study, name: str, steps: list[dict], colour: str) -> None:
    x = list(range(1, len(steps) + 1))
    for key, label, line in (("efficiency", name, "solid"), ("phi", f"Φ of {name}", "dash")):
        hover = [f"<b>{label}</b><br>{study.name(step['platform'])}: "
                 f"{percent(step['efficiency'])} of the best<br>Φ so far {percent(step['phi'])}"
                 for step in steps]
        chart.series.append(Series(label, x, [100 * step[key] for step in steps], hover, colour,
                                   line=line, points=key == "efficiency"))
