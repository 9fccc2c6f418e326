# SPDX-License-Identifier: Apache-2.0
"""Platforms side by side: for each problem the best of each variant on each platform, both
efficiencies, and what they say over sets of platforms.

    from tessera_tools import comparison, points
    found = comparison.compare(points.collect(["results/nvidia-h100", "results/nvidia-h200"]))
    print(found["families"])

What compare() returns is what `tools/compare.py --json` prints (docs/studies.md says what it means).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from itertools import combinations

import pandas

from .errors import ToolError
from .points import GRID, PROBLEM, Collection
from .portability import cascade, performance_portability, rank_correlation

SCHEMA = "tessera-comparison-1"
SLACK = 0.05  # bounds are measured wrong by some per cent
BEST = "best of each platform"
FIRST = {"gpu": "GPUs", "cpu": "hosts"}


def _maybe(value) -> float | None:
    return None if value != value else float(value)  # not a number: not known


def above_bound(share: float | None) -> bool:
    return share is not None and share > 1 + SLACK


def sets_of(platforms: Sequence[dict], patterns: Sequence[str] = ()) -> list[dict]:
    """Of each origin its GPUs, its hosts and all of it, one set where these are the same; or the one
    set that globs over names take, of whatever origin."""
    if patterns:
        chosen = []
        for pattern in patterns:
            taken = [at for at, p in enumerate(platforms) if fnmatch.fnmatchcase(p["name"], pattern)]
            if not taken:
                raise ToolError(f"--platforms {pattern} takes none of "
                                + ", ".join(p["name"] for p in platforms))
            chosen += [at for at in taken if at not in chosen]
        mixed = len({platforms[at]["origin"] for at in chosen}) > 1
        return [{"name": ", ".join(patterns), "platforms": chosen, "mixed": mixed}]
    sets = []
    for origin in ("measured", "published", "predicted"):
        every = [at for at, p in enumerate(platforms) if p["origin"] == origin]
        name = f"all {origin}"
        for kind, called in FIRST.items():
            part = [at for at in every if platforms[at]["kind"] == kind]
            if part and part == every:
                name = f"{origin} {called}"
            elif part:
                sets.append({"name": f"{origin} {called}", "platforms": part, "mixed": False})
        if every:
            sets.append({"name": name, "platforms": every, "mixed": False})
    return sets


def _grids(rows: pandas.DataFrame, platforms: list[int]) -> list[tuple]:
    """The grid at which each platform is compared: the one that most platforms ran, else the one with
    the most rates there."""
    rates = rows.groupby([*GRID, "platform"]).gcell_per_s.count().to_dict()  # in order of grids
    ran = {}
    for (*grid, platform), count in rates.items():
        ran.setdefault(tuple(grid), {})[platform] = count
    return [max((grid for grid in ran if platform in ran[grid]),
                key=lambda grid: (len(ran[grid]), ran[grid][platform])) for platform in platforms]


def _cell(row: dict) -> dict:
    share = _maybe(row["share_of_bound"])
    return {"configuration": row["configuration"], "variant": row["variant"],
            "status": row["status"], "reason": row["reason"],
            "gcell_per_s": _maybe(row["gcell_per_s"]),
            "application_efficiency": _maybe(row["application"]),
            "architectural_efficiency": share,
            "cells_per_joule": _maybe(row["cells_per_joule"]),
            "above_bound": above_bound(share), "noisy": row["noisy"],
            "revision": row["revision"], "file": row["file"]}


def _lines(ranked: pandas.DataFrame, by: str, platforms: list[int]) -> list[dict]:
    """A line a name: a cell a platform, None where it was not run. Those that are fastest come first,
    by the mean of what is known: one of a single platform does not come first for it."""
    cells = {}
    for row in ranked.drop_duplicates([by, "platform"]).to_dict("records"):
        cells.setdefault(row[by], {})[row["platform"]] = _cell(row)
    found = [{"name": name, "cells": [cells[name].get(platform) for platform in platforms]}
             for name in sorted(cells)]
    return sorted(found, key=lambda line: -sum(
        cell["application_efficiency"] or 0 for cell in line["cells"] if cell))


def efficiencies(line: dict, positions: Sequence[int], kind: str) -> list[float] | None:
    """Efficiencies ("application" or "architectural") of a line at some of the problem's platforms:
    0 where it failed, 1 above a bound. None where it was not run at one of them, or its efficiency is
    not known there."""
    cells = [line["cells"][at] for at in positions]
    if not cells or None in cells:
        return None
    known = [0.0 if cell["gcell_per_s"] is None else cell[f"{kind}_efficiency"] for cell in cells]
    return None if None in known else [min(e, 1.0) for e in known]


def phi(line: dict, positions: Sequence[int], kind: str) -> float | None:
    """Phi of a line over those platforms; None as above."""
    known = efficiencies(line, positions, kind)
    return performance_portability(known) if known else None


def positions(problem: dict, chosen: dict) -> list[int]:
    """The places of a set's platforms in a problem's lists."""
    return [at for at, platform in enumerate(problem["platforms"]) if platform in chosen["platforms"]]


def one_variant(problem: dict, places: Sequence[int]) -> dict | None:
    """The variant to write if only one may be: the largest Phi of application efficiencies; None
    where none ran everywhere."""
    worth = [(phi(line, places, "application") or 0, line) for line in problem["variants"]]
    best, line = max(worth, key=lambda found: found[0], default=(0, None))
    return line if best > 0 else None


def _rank(problem: dict, one: int, other: int) -> float | None:
    """Of two platforms, over the variants that have rates on both."""
    cells = [(line["cells"][one], line["cells"][other]) for line in problem["variants"]]
    rates = [(a["application_efficiency"], b["application_efficiency"]) for a, b in cells if a and b]
    both = [pair for pair in rates if None not in pair]
    return rank_correlation([a for a, _ in both], [b for _, b in both])


def _over_set(problem: dict, chosen: dict) -> dict:
    places = positions(problem, chosen)
    platforms = [problem["platforms"][at] for at in places]
    lines = []
    for line in (*problem["variants"], problem["application"], *problem["configurations"]):
        entry = {"name": line["name"], **{f"phi_{kind}": phi(line, places, kind)
                                          for kind in ("application", "architectural")}}
        known = efficiencies(line, places, "application")
        if known:
            entry["cascade"] = [{"platform": platforms[at], "efficiency": e, "phi": so_far}
                                for at, e, so_far in cascade(known)]
        lines.append(entry)
    one = one_variant(problem, places)
    return {"name": chosen["name"], "platforms": platforms, "mixed_origins": chosen["mixed"],
            "phi": lines, "one_variant": one and one["name"],
            "rank_correlation": [{"platforms": [problem["platforms"][a], problem["platforms"][b]],
                                  "tau_b": _rank(problem, a, b)}
                                 for a, b in combinations(places, 2)]}


def _problem(key: tuple, rows: pandas.DataFrame, sets: list[dict]) -> dict:
    """All platforms of one problem and what was found there."""
    platforms = sorted(int(platform) for platform in set(rows.platform))
    grids = _grids(rows, platforms)
    chosen = dict(zip(platforms, grids))
    here = rows[[chosen[p] == grid for p, *grid in
                 rows[["platform", *GRID]].itertuples(index=False, name=None) for grid in [tuple(grid)]]]
    # The fastest of a name first, of equals the first; one that failed where there is no other.
    ranked = here.sort_values("gcell_per_s", ascending=False, kind="stable", na_position="last")
    best = ranked.groupby("platform").gcell_per_s.transform("max")
    ranked = ranked.assign(application=ranked.gcell_per_s / best, all=BEST,
                           full=ranked.variant + ":" + ranked.configuration)
    shown = ranked.drop_duplicates(["variant", "platform"]).dropna(subset=["gcell_per_s"])
    steps = [sorted(int(n) for n in set(shown.steps[shown.platform == p])) for p in platforms]
    found = {**dict(zip(PROBLEM, key)), "platforms": platforms,
             "runs": [{**dict(zip(GRID, map(int, grid))), "steps": n} for grid, n in zip(grids, steps)],
             "grids_differ": len(grids) > 1 and (len(set(grids)) > 1 or grids[0][0] == 0),
             "steps_differ": any(len(n) > 1 or n != steps[0] for n in steps),
             "revisions_differ": len(set(shown.revision) - {""}) > 1,
             "variants": _lines(ranked, "variant", platforms),
             "configurations": _lines(ranked, "full", platforms),
             "application": _lines(ranked, "all", platforms)[0]}
    found["sets"] = [_over_set(found, chosen) for chosen in sets if positions(found, chosen)]
    return found


def family_phi(problems: Sequence[dict], family: str, chosen: dict) -> dict | None:
    """A family over the platforms of a set that ran it and the problems that all of these ran: Phi of
    the best choice a platform, and of one variant alone. None where none ran it."""
    mine = [problem for problem in problems if problem["family"] == family]
    platforms = [p for p in chosen["platforms"] if any(p in m["platforms"] for m in mine)]
    if not platforms:
        return None
    among = [(m, positions(m, {"platforms": platforms})) for m in mine]
    common = [(m, places) for m, places in among if len(places) == len(platforms)]

    def over_all(kind, choose):
        pairs = []
        for problem, places in common:
            line = choose(problem)
            known = efficiencies(line, places, kind) if line else None
            if not known:
                return None
            pairs += known
        return performance_portability(pairs) if pairs else None

    def named(name):
        return lambda problem: next((line for line in problem["variants"]
                                     if line["name"] == name), None)

    variants = sorted({line["name"] for problem, _ in common for line in problem["variants"]})
    worth = [(over_all("application", named(name)) or 0, name) for name in variants]
    best, variant = max(worth, key=lambda found: found[0], default=(0, None))
    if not best:
        best = variant = None
    return {"family": family, "set": chosen["name"], "platforms": platforms,
            "problems": len(common),
            "problems_left_out": sum(0 < len(places) < len(platforms) for _, places in among),
            "phi_architectural": over_all("architectural", lambda problem: problem["application"]),
            "one_variant": variant,
            "one_variant_phi_architectural": variant and over_all("architectural", named(variant)),
            "one_variant_phi_application": best}


def _remarks(data: Collection) -> list[str]:
    """What a reader must know before he compares."""
    found, measured = list(data.remarks), set()
    for platform in data.platforms:
        if platform["origin"] == "measured":
            revisions = platform["revisions"]
            measured.update(revisions)
            if len(revisions) > 1:
                found.append(f"{platform['name']} was measured with {len(revisions)} revisions of the "
                             f"code: {', '.join(revisions)}")
    if len(measured) > 1:
        found.append("not all rows are of one revision: what differs may be the code")
    # Nothing is faster than its bound: such a roof was measured low, on a busy machine, say.
    above = data.points[data.points.share_of_bound > 1 + SLACK]
    for at, rows in above.groupby("platform"):
        worst = rows.loc[rows.share_of_bound.idxmax()]
        found.append(f"{len(rows)} rows of {data.platforms[at]['name']} lie above their bound (marked "
                     f"!; the furthest {worst.variant}:{worst.configuration} at "
                     f"{100 * worst.share_of_bound:.0f} %, {worst.file}): a roof there is too low; Phi "
                     "takes them for 100 %")
    return found


def compare(data: Collection, patterns: Sequence[str] = ()) -> dict:
    """The comparison. `patterns` are globs over platform names: those taken form the one set. Of
    several grids that a platform ran, the one counts that most platforms have. A ToolError where a
    pattern takes no platform, and where several platforms have no problem in common."""
    sets = sets_of(data.platforms, patterns)
    rows = data.points
    if patterns:
        rows = rows[rows.platform.isin(sets[0]["platforms"])]
    problems = [_problem(key, group, sets) for key, group in rows.groupby(PROBLEM)]
    asked = len(sets[0]["platforms"]) if patterns else len(data.platforms)
    if asked > 1 and not any(len(problem["platforms"]) > 1 for problem in problems):
        raise ToolError("no stencil, decomposition and precision was run on two of the "
                        f"{asked} platforms")
    families = sorted({problem["family"] for problem in problems})
    over = [family_phi(problems, family, chosen) for family in families for chosen in sets]
    return {"schema": SCHEMA, "platforms": data.platforms, "problems": problems,
            "families": [entry for entry in over if entry], "remarks": _remarks(data)}
