# SPDX-License-Identifier: Apache-2.0
"""The report in words, made from the numbers: who wins where, Phi, what binds, what to mistrust."""

from __future__ import annotations

from collections import Counter

import pandas

from ..charts.chart import known, number, percent
from ..comparison import Comparison
from ..results import Row

BUSY = (("dram_busy", "device memory"), ("l2_busy", "L2"), ("l1_busy", "L1 and scratch"),
        ("issue_busy", "the instruction schedulers"))


def binds(row: Row | None) -> str:
    """What holds a row back: the unit that counters saw busiest, else by the model, else the roof
    that its share is of."""
    if not isinstance(row, Row):
        return ""
    busy = [(row.counters[key], name) for key, name in BUSY if row.counters.get(key)]
    if busy:
        share, name = max(busy)
        return f"counters: {name}, busy {percent(share)}"
    if row.predicted.get("binding"):
        return f"model: {row.predicted['binding']}"
    return f"roofline: {'arithmetic' if row.bound == 'peak' else 'device memory'}"


def _fastest(found: Comparison) -> pandas.DataFrame:
    """The fastest of each problem and platform."""
    return pandas.concat([problem.best.dropna(subset=["gcell_per_s"]).assign(problem=problem.name)
                          .reset_index() for problem in found.problems])


WINNERS = ("problem", "on", "fastest", "GCell/s", "% of bound", "what binds it",
           "ahead of the next", "Mcell/J")


def winners(found: Comparison) -> list[list[str]]:
    """A line a problem and platform: the fastest, its rate, its share of the bound, the next one,
    and what binds it."""
    lines = []
    for problem in found.problems:
        rates = problem.table("gcell_per_s")
        for at, best in problem.best.dropna(subset=["gcell_per_s"]).iterrows():
            rest = rates[at].drop(best.variant).dropna()
            ahead = f"{best.gcell_per_s / rest.max():.2f} x {rest.idxmax()}" if len(rest) else "alone"
            joule = known(best.cells_per_joule)
            lines.append([problem.name, at, best.full, number(best.gcell_per_s),
                          percent(known(best.share_of_bound)), binds(best.row), ahead,
                          number(joule / 1e6) if joule else "-"])
    return lines


def binding_sentences(found: Comparison) -> list[str]:
    """A sentence a platform: what binds the fastest rows."""
    best = _fastest(found)
    best = best.assign(binds=[binds(row).split(", busy")[0] for row in best.row])
    return [f"What binds the fastest on {platform}: " + ", ".join(
        f"{what} ({times})" for what, times in Counter(of.binds).most_common()) + "."
        for platform, of in best[best.binds != ""].groupby("platform")]


PHI = ("family", "Φ of % of bound", "platforms", "one variant for all", "its Φ of % of bound",
       "of % of best", "problems", "left out")


def family_phi(found: Comparison) -> list[list[str]]:
    """A line a family and set: Phi of the best choice a platform, and of one variant alone."""
    return [[of.family, percent(known(of.phi)), f"{of.set}: {of.platforms}",
             of.one_variant or "none ran everywhere", percent(known(of.one_variant_phi)),
             percent(known(of.one_variant_phi_of_best)), str(of.problems), str(of.left_out)]
            for of in found.families().itertuples()]


def mistrust(found: Comparison) -> list[str]:
    """Remarks of the comparison; what differs between the platforms of each problem."""
    grouped = {}
    for problem in found.problems:
        for said in problem.doubts:
            grouped.setdefault(said, []).append(problem.name)
    return [*found.remarks, *(f"{said} ({'; '.join(names)})" for said, names in grouped.items())]
