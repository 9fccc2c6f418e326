# SPDX-License-Identifier: Apache-2.0
"""The report in words, made from the numbers: who wins where, Phi, what binds, what to mistrust."""

from __future__ import annotations

from collections import Counter

from ..charts.chart import number, percent
from ..charts.comparison import doubts
from ..results import Row
from ..study import Study, problem_name

BUSY = (("dram_busy", "device memory"), ("l2_busy", "L2"), ("l1_busy", "L1 and scratch"),
        ("issue_busy", "the instruction schedulers"))


def binds(row: Row | None) -> str:
    """What holds a row back: the unit that counters saw busiest, else by the model, else the roof
    that its share is of."""
    if row is None:
        return ""
    busy = [(row.counters[key], name) for key, name in BUSY if row.counters.get(key)]
    if busy:
        share, name = max(busy)
        return f"counters: {name}, busy {percent(share)}"
    if row.predicted.get("binding"):
        return f"model: {row.predicted['binding']}"
    return f"roofline: {'arithmetic' if row.bound == 'peak' else 'device memory'}"


def winners(study: Study) -> list[list[str]]:
    """A line a problem and platform: the fastest, its rate, its share of the bound, the next one,
    and what binds it."""
    lines = []
    for problem in study.problems:
        for at, platform in enumerate(problem["platforms"]):
            best = problem["application"]["cells"][at]
            if not best or best["gcell_per_s"] is None:
                continue
            rest = [line["cells"][at] for line in problem["variants"]
                    if line["name"] != best["variant"]]
            rates = [(cell["gcell_per_s"], cell["variant"]) for cell in rest
                     if cell and cell["gcell_per_s"]]
            second = max(rates, default=None)
            ahead = f"{best['gcell_per_s'] / second[0]:.2f} x {second[1]}" if second else "alone"
            joule = best.get("cells_per_joule")
            lines.append([problem_name(problem), study.letter(platform),
                          f"{best['variant']}:{best['configuration']}",
                          number(best["gcell_per_s"]), percent(best["architectural_efficiency"]),
                          binds(study.row(problem, best)), ahead,
                          number(joule / 1e6) if joule else "-"])
    return lines


WINNERS = ("problem", "on", "fastest", "GCell/s", "% of bound", "what binds it",
           "ahead of the next", "Mcell/J")


def family_sentences(study: Study) -> list[str]:
    """A sentence a family and platform: how often each variant wins, and at what share."""
    wins, shares = {}, {}
    for problem in study.problems:
        for at, platform in enumerate(problem["platforms"]):
            best = problem["application"]["cells"][at]
            if best and best["gcell_per_s"] is not None:
                key = problem["family"], platform
                wins.setdefault(key, Counter())[best["variant"]] += 1
                if best["architectural_efficiency"] is not None:
                    shares.setdefault(key, []).append(best["architectural_efficiency"])
    said = []
    for (family, platform), count in sorted(wins.items()):
        total = sum(count.values())
        who = ", ".join(f"{variant} ({times})" if total > 1 else variant
                        for variant, times in count.most_common())
        known = shares.get((family, platform))
        at = ""
        if known:
            low, high = percent(min(known)), percent(max(known))
            at = f", at {low if low == high else f'{low} to {high}'} of the bound"
        cases = "1 problem" if total == 1 else f"{total} problems"
        said.append(f"{family} on {study.name(platform)}, {cases}: fastest {who}{at}.")
    return said


def binding_sentences(study: Study) -> list[str]:
    """A sentence a platform: what binds the fastest rows."""
    found = {}
    for problem in study.problems:
        for at, platform in enumerate(problem["platforms"]):
            row = study.row(problem, problem["application"]["cells"][at])
            if row is not None and row.valid:
                found.setdefault(platform, Counter())[binds(row).split(", busy")[0]] += 1
    return [f"What binds the fastest on {study.name(platform)}: "
            + ", ".join(f"{what} ({times})" for what, times in count.most_common()) + "."
            for platform, count in sorted(found.items())]


def phi_sentences(study: Study) -> list[str]:
    """A sentence a family: Phi over each set of several platforms, and what one variant costs."""
    said = {}
    for entry in study.comparison["families"]:
        if len(entry["platforms"]) < 2 or entry["phi_architectural"] is None:
            continue
        text = (f"{percent(entry['phi_architectural'])} of the bound over {entry['set']} "
                f"({study.letters(entry['platforms'])})")
        if entry["one_variant"]:
            text += (f", {percent(entry['one_variant_phi_architectural'])} with "
                     f"{entry['one_variant']} alone")
        said.setdefault(entry["family"], []).append(text)
    return [f"Φ of {family}: {'; '.join(texts)}." for family, texts in said.items()]


PHI = ("family", "Φ of % of bound", "platforms", "one variant for all", "its Φ of % of bound",
       "of % of best", "problems", "left out")


def family_phi(study: Study) -> list[list[str]]:
    """A line a family and set: Phi of the best choice a platform, and of one variant alone."""
    return [[entry["family"], percent(entry["phi_architectural"]),
             f"{entry['set']}: {study.letters(entry['platforms'])}",
             entry["one_variant"] or "none ran everywhere",
             percent(entry["one_variant_phi_architectural"]),
             percent(entry["one_variant_phi_application"]),
             str(entry["problems"]), str(entry["problems_left_out"])]
            for entry in study.comparison["families"]]


CHOICE = ("problem", "if only one may be written", "Φ of % of best", "what it loses", "platforms")


def choices(study: Study) -> list[list[str]]:
    """A line a problem and set of several platforms: the one variant, and what it loses where."""
    lines = []
    for problem in study.problems:
        by_name = {line["name"]: line for line in reversed(problem["variants"])}
        seen = set()  # two sets may hold the same platforms of a problem
        for found in problem["sets"]:
            one = by_name.get(found["one_variant"])
            if one is None or len(found["platforms"]) < 2 or tuple(found["platforms"]) in seen:
                continue
            seen.add(tuple(found["platforms"]))
            phi = next(line["phi_application"] for line in found["phi"]
                       if line["name"] == one["name"])
            losses = []
            for platform in found["platforms"]:
                cell = one["cells"][problem["platforms"].index(platform)]
                share = cell and cell["application_efficiency"]
                if share is not None and share < 0.995:
                    losses.append(f"{percent(1 - share)} on {study.letter(platform)}")
            lines.append([problem_name(problem), one["name"], percent(phi),
                          ", ".join(losses) or "nothing",
                          f"{found['name']}: {study.letters(found['platforms'])}"])
    return lines


def mistrust(study: Study) -> list[str]:
    """Remarks of the comparison; what differs between the platforms of each problem."""
    grouped = {}
    for problem in study.problems:
        for said in filter(None, doubts(problem).split(". ")):
            grouped.setdefault(said.rstrip(".") + ".", []).append(problem_name(problem))
    return [*study.comparison["remarks"],
            *(f"{said} ({'; '.join(names)})" for said, names in grouped.items())]
