# SPDX-License-Identifier: Apache-2.0
"""Is one platform faster than another? The best of each problem on each, their ratio beside those of
bandwidth and arithmetic, and a sentence that concludes."""

from __future__ import annotations

from collections import Counter

import numpy
import pandas

from .compared_rows import GRID
from .comparison import Comparison
from .portability import verdict

ROOFS = ("copy", "triad", "peak")
SAME = 0.03  # what is taken for no difference
MARKS = "~ of different grids; ? the samples spread by more than the difference"


def _roofs(best, precision: str) -> dict[str, float]:
    """The bandwidths and the peak that a measured row's own run found."""
    file = getattr(best.row, "file", None)
    roofline = file.roofline if file and file.roofline.get("precision") == precision else {}
    return {"peak": roofline.get("peak_gflop_per_s", numpy.nan),
            **{key: (file.streams if file else {}).get(key, numpy.nan) for key in ROOFS[:2]}}


def ratios(found: Comparison) -> pandas.DataFrame:
    """A line a problem that ran on the first platform and on another: how many times faster its best
    is there. `alike`: of the same grid. Copy, triad and peak are ratios of the same runs."""
    lines = []
    for problem in found.problems:
        best = problem.best.dropna(subset=["gcell_per_s"])
        base = found.letters[0]
        for at in best.index.drop(base) if base in best.index else ():
            one, other = best.loc[base], best.loc[at]
            roofs = [_roofs(row, problem.precision) for row in (one, other)]
            lines.append({
                "family": problem.family, "problem": problem.name, "whole": problem.whole, "base": base, "letter": at,
                "one": one.gcell_per_s, "other": other.gcell_per_s, "ratio": other.gcell_per_s / one.gcell_per_s,
                "spread": numpy.nansum([one.spread, other.spread]) / 2,
                "alike": bool((one[GRID] == other[GRID]).all()),
                **{key: roofs[1][key] / roofs[0][key] for key in ROOFS}})
    table = pandas.DataFrame(lines, columns=["family", "problem", "whole", "base", "letter", "one",
                                             "other", "ratio", "spread", "alike", *ROOFS])
    return table.assign(verdict=verdict(table.ratio, table.spread, SAME))


def _fastest_decompositions(of: pandas.DataFrame) -> pandas.DataFrame:
    """Those ratios with each problem once: a decomposition is a way to run it, of which each platform
    takes its fastest."""
    of = of.groupby("whole", sort=False).agg({"family": "first", "one": "max", "other": "max", "spread": "max",
                                              **dict.fromkeys(ROOFS, "mean")})
    ratio = of.other / of.one
    return of.assign(ratio=ratio, verdict=verdict(ratio, of.spread, SAME))


def table(found: Comparison) -> pandas.DataFrame:
    """The first table of a comparison, as text: a line a problem, of several platforms where two ran it.
    Of one or two also what is best there, and of two the ratios of the roofs."""
    every = ratios(found).set_index(["problem", "letter"])
    few, lines = len(found.letters) < 3, []
    shown = [problem for problem in found.problems if len(problem.letters) > 1 or len(found.letters) == 1]
    names = Counter(problem.short_name for problem in shown)
    for problem in shown:
        line = {"problem": problem.short_name if names[problem.short_name] == 1 else problem.name}
        for at in found.letters:
            best = problem.best.loc[at] if at in problem.letters else None
            ran = best is not None and best.gcell_per_s > 0
            if few:
                line[f"best on {at}"] = best.variant.partition("/")[2] if ran else "-"
            line[f"{at} GCell/s"] = f"{best.gcell_per_s:.4g}" if ran else "-"
        for at in found.letters[1:]:
            of = every.loc[(problem.name, at)] if (problem.name, at) in every.index else None
            line[f"{at}/{found.letters[0]}"] = "-" if of is None else (
                f"{'' if of.alike else '~'}{times(of.ratio)}{'?' if of.verdict.startswith('too') else ''}")
            for key in ROOFS if few else ():
                line[key] = "-" if of is None or of[key] != of[key] else times(of[key])
        lines.append(line)
    return pandas.DataFrame(lines)


def times(ratio: float) -> str:
    digits = 2 if ratio < 10 else 1 if ratio < 100 else 0
    return f"{ratio:.2g}" if ratio < 0.1 else f"{ratio:.{digits}f}"


def _mean(values) -> float:
    return float(numpy.exp(numpy.log(values).mean()))


def sentences(found: Comparison) -> list[str]:
    """Of each platform and the first how many times faster one is: the geometric mean of those of the
    families, since some have many problems, each in the decomposition that is fastest on a platform.
    Nothing of problems of different grids."""
    said = []
    for at, of in ratios(found).groupby("letter", sort=False):
        names = [f"{letter} ({found.platforms.platform[letter]})" for letter in (at, found.letters[0])]
        apart = int((~of.alike).sum())
        of = _fastest_decompositions(of[of.alike])
        if of.empty:
            said.append(f"Which of {' and '.join(reversed(names))} is faster cannot be said: all {apart} problems that "
                        "both ran are of different grids; run the same decks on both.")
            continue
        if _mean(of.groupby("family").ratio.agg(_mean)) < 1:
            names.reverse()
            of = of.assign(verdict=of.verdict.replace({"faster": "slower", "slower": "faster"}),
                           **{key: 1 / of[key] for key in ("ratio", *ROOFS)})
        families, counts = of.groupby("family").ratio.agg(_mean), of.verdict.value_counts()
        roofs = [f"{key} {times(_mean(of[key].dropna()))}" for key in ROOFS if of[key].notna().any()]
        said.append(
            f"{names[0]} is {times(_mean(families))} times as fast as {names[1]}, the mean of "
            + ", ".join(f"{family} {times(ratio)}" for family, ratio in families.items())
            + f". Of {len(of)} problem{'s' * (len(of) > 1)}{f' ({apart} more are of different grids)' * (apart > 0)}: "
            + ", ".join(f"{counts[name]} {name}" for name in counts.index)
            + f" (within {100 * SAME:.0f} %)" * ("same" in counts)
            + (f". Its roofs are {', '.join(roofs)} times the other's." if roofs else "."))
    return said


def markdown(found: Comparison) -> str:
    """A page for slides."""
    def line(cells):
        return f"| {' | '.join(map(str, cells))} |"

    shown = table(found)
    platforms = [f"- {at}: {of.platform}, {of.device}, revision {', '.join(of.revisions) or 'unknown'}"
                 for at, of in found.platforms.iterrows()]
    names = list(found.platforms.platform[found.letters])
    return "\n".join([
        f"# {' and '.join(names)}", "", *(said + "\n" for said in sentences(found)),
        line(shown.columns), line(["---"] * len(shown.columns)), *map(line, shown.values), "", MARKS + ".", "",
        *platforms, *(f"- {remark}" for remark in found.remarks), ""])
