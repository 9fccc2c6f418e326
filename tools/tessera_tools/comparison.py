# SPDX-License-Identifier: Apache-2.0
"""Platforms side by side: rows of result files, published tables and predictions as one pandas frame,
both efficiencies, and what they say over sets of platforms (docs/compare.md).

    from tessera_tools import comparison
    found = comparison.compare(["results/nvidia-h100", "inputs/published/sai-table2.toml"])
    print(found.families())
    print(found.problems[0].table("gcell_per_s"))

A platform is a machine as whoever ran it saw it; in tables a letter stands for it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas

from . import compared_rows
from .compared_rows import GRID, PROBLEM
from .errors import ToolError
from .portability import performance_portability
from .results import ResultFile, Row

KINDS = {"gpu": "GPUs", "host": "hosts"}
SLACK = 0.05  # bounds are measured wrong by some per cent
BEST = "best of each platform"


def _ranked(rows: pandas.DataFrame) -> pandas.DataFrame:
    """Each platform's rows at the grid where it is compared, the fastest first, those that failed last:
    the grid that most platforms ran, else the one with the most rates there. With the efficiencies: 0
    where a row failed, 1 above a bound, absent where a bound, or the energy, is not known."""
    ran = rows.groupby([*PROBLEM, *GRID, "letter"]).gcell_per_s.count().rename("rates").reset_index()
    ran["wide"] = ran.groupby([*PROBLEM, *GRID]).letter.transform("size")
    chosen = ran.sort_values(["wide", "rates"], ascending=False, kind="stable") \
        .drop_duplicates([*PROBLEM, "letter"])
    here = rows.merge(chosen[[*PROBLEM, *GRID, "letter"]]) \
        .sort_values("gcell_per_s", ascending=False, kind="stable", na_position="last")
    best, ran = here.groupby([*PROBLEM, "letter"])[["gcell_per_s", "cells_per_joule"]].transform("max"), \
        here.gcell_per_s.notna()
    return here.assign(application=(here.gcell_per_s / best.gcell_per_s).where(ran, 0.0),
                       energy=(here.cells_per_joule / best.cells_per_joule).where(ran, 0.0),
                       architectural=here.share_of_bound.clip(upper=1).where(ran, 0.0),
                       above=here.share_of_bound > 1 + SLACK,
                       full=here.variant + ":" + here.configuration, all=BEST)


def _phi(efficiencies: pandas.Series) -> float:
    """Phi, absent where an efficiency is not known."""
    return float("nan") if efficiencies.isna().any() else performance_portability(efficiencies)


class Problem:
    """All platforms of one problem: `rows` as ranked, `sets` that hold several of its platforms, each
    selection once."""

    def __init__(self, rows: pandas.DataFrame, letters: list[str], sets: dict[str, list[str]]):
        first, here = rows.iloc[0], set(rows.letter)
        self.rows, self.family, self.precision = rows, first.family, first.precision
        self.short_name, self.name = (" ".join(filter(None, first[PROBLEM[1:end]])) for end in (-1, None))
        self.whole = " ".join(filter(None, first[[key for key in PROBLEM[1:] if key != "decomposition"]]))
        self.letters = [letter for letter in letters if letter in here]
        self.best = rows.drop_duplicates("letter").set_index("letter").loc[self.letters]
        of = {name: [letter for letter in members if letter in here] for name, members in sets.items()}
        self.sets = {}
        for name, members in of.items():
            if len(members) > 1 and members not in self.sets.values():
                self.sets[name] = members

    def cells(self, by: str = "variant") -> pandas.DataFrame:
        """The best row of each name and platform; names are of a column, `variant`, `full` (with the
        configuration) or `all`."""
        return self.rows.drop_duplicates([by, "letter"])

    def table(self, value: str, by: str = "variant") -> pandas.DataFrame:
        """A column's values, a line a name and a column a platform. Those that are fastest come first,
        by the mean of what is known: one of a single platform does not come first for it."""
        cells = self.cells(by)
        order = cells.groupby(by).application.sum().sort_values(ascending=False, kind="stable").index
        return cells.pivot(index=by, columns="letter", values=value).reindex(order, columns=self.letters)

    def phi(self, kind: str, members: Sequence[str], by: str = "variant") -> pandas.Series:
        """Phi of each name over platforms, of "application" or "architectural" efficiencies; absent
        where it was not run on one, or its efficiency is not known there."""
        return self.table(kind, by)[list(members)].apply(_phi, axis=1)

    def one_variant(self, members: Sequence[str]) -> str | None:
        """The variant to write if only one may be: the largest Phi of application efficiencies."""
        worth = self.phi("application", members).dropna()
        return worth.idxmax() if len(worth) and worth.max() > 0 else None

    @cached_property
    def grids(self) -> dict[str, str]:
        return {letter: " x ".join(str(int(n)) for n in row[GRID]) if row.nx else "unknown grid"
                for letter, row in self.best.iterrows()}

    @cached_property
    def grids_differ(self) -> bool:
        return len(self.grids) > 1 and (len(set(self.grids.values())) > 1
                                        or "unknown grid" in self.grids.values())

    @cached_property
    def steps(self) -> dict[str, str]:
        ran = self.cells().dropna(subset=["gcell_per_s"]).groupby("letter").steps
        steps = ran.apply(lambda of: " and ".join(str(int(n)) if n else "unknown" for n in sorted(set(of))))
        return {letter: steps.get(letter, "unknown") for letter in self.letters}

    @cached_property
    def doubts(self) -> list[str]:
        """What a reader must know of grids, steps and revisions before he compares."""
        said = []
        for values, differ, what in (
                (self.grids, self.grids_differ, "grids differ, so efficiencies are compared, not rates"),
                (self.steps, len(set(self.steps.values())) > 1 or " and " in self.steps[self.letters[0]],
                 "steps differ or are unknown")):
            if differ:
                said.append(f"{what}: " + ", ".join(f"{at} {value}" for at, value in values.items()))
        if len(set(self.cells().dropna(subset=["gcell_per_s"]).revision) - {""}) > 1:
            said.append("revisions of the code differ")
        return said


@dataclass(frozen=True)
class Comparison:
    """`platforms` by letter: platform, device, kind, origin, revisions, files. `rows` are all, `ranked`
    those that are compared. `sets`: name -> letters. `files`: (platform's name, result file)."""

    platforms: pandas.DataFrame
    rows: pandas.DataFrame
    ranked: pandas.DataFrame
    sets: dict[str, list[str]]
    remarks: list[str]
    files: list[tuple[str, ResultFile]]

    @property
    def letters(self) -> list[str]:
        """Platforms that are compared, in the order given."""
        return [at for at in self.platforms.index if at in set(self.ranked.letter)]

    @property
    def measured(self) -> list[tuple[str, Row]]:
        """Every row of the result files, with its platform's name."""
        return [(platform, row) for platform, file in self.files for row in file.rows]

    @cached_property
    def problems(self) -> list[Problem]:
        """Those that most platforms ran first."""
        found = [Problem(rows, self.letters, self.sets)
                 for _, rows in self.ranked.groupby(PROBLEM)]
        return sorted(found, key=lambda problem: -len(problem.letters))

    def families(self) -> pandas.DataFrame:
        """A family over the platforms of a set that ran it and the problems that all of these ran: Phi
        of the best choice a platform, and of one variant alone."""
        lines = []
        for family, rows in self.ranked.groupby("family"):
            for name, members in self.sets.items():
                mine = rows[rows.letter.isin(members)]
                best = mine.drop_duplicates([*PROBLEM, "letter"])
                letters = [letter for letter in members if letter in set(mine.letter)]
                if not letters:
                    continue
                common = best[best.groupby(PROBLEM).letter.transform("size") == len(letters)]
                of = mine.drop_duplicates([*PROBLEM, "variant", "letter"]).merge(
                    common[[*PROBLEM, "letter"]])
                everywhere = of[of.groupby("variant").letter.transform("size") == len(common)]
                phi = everywhere.groupby("variant")[["application", "architectural"]].agg(_phi)
                one = phi.application.idxmax() if len(phi) and phi.application.max() > 0 else None
                problems = len(common) // len(letters)
                lines.append({
                    "family": family, "set": name, "platforms": " ".join(letters), "problems": problems,
                    "left_out": len(best.drop_duplicates(PROBLEM)) - problems,
                    "phi": _phi(common.architectural) if len(common) else None, "one_variant": one,
                    "one_variant_phi": phi.architectural[one] if one else None,
                    "one_variant_phi_of_best": phi.application[one] if one else None})
        return pandas.DataFrame(lines)


def letter(at: int) -> str:
    """What stands for a platform in tables: A, B, ... Z, AA, ..."""
    return (letter(at // 26 - 1) if at >= 26 else "") + chr(ord("A") + at % 26)


def _platforms(rows: pandas.DataFrame) -> pandas.DataFrame:
    table = rows.groupby(["origin", "platform"], sort=False).agg(
        device=("device", "first"), kind=("kind", "first"),
        revisions=("revision", lambda of: sorted(set(of) - {""})),
        files=("file", lambda of: sorted(set(of)))).reset_index()
    return table.set_index(pandas.Index(map(letter, range(len(table)))))


def _sets(platforms: pandas.DataFrame, patterns: Sequence[str]) -> dict[str, list[str]]:
    """Of each origin its GPUs, its hosts and all of it, one set where these are the same; or the one
    set that globs over names take, of whatever origin."""
    if patterns:
        chosen = []
        for pattern in patterns:
            chosen += [at for at, name in platforms.platform.items() if fnmatch.fnmatchcase(name, pattern)]
            if not chosen:
                raise ToolError(f"--platforms {pattern} takes none of {', '.join(platforms.platform)}")
        mixed = " (of several origins)" if platforms.origin[chosen].nunique() > 1 else ""
        return {", ".join(patterns) + mixed: list(dict.fromkeys(chosen))}
    sets = {}
    for origin, every in platforms.groupby("origin", sort=False):
        parts = {f"{origin} {called}": list(every.index[every.kind == kind])
                 for kind, called in KINDS.items() if (every.kind == kind).any()}
        sets |= parts if list(every.index) in parts.values() else {
            **parts, f"all {origin}": list(every.index)}
    return sets


def _remarks(rows: pandas.DataFrame, platforms: pandas.DataFrame) -> list[str]:
    """What a reader must know before he compares."""
    measured = platforms[platforms.origin == "measured"]
    found = []
    if len(set(measured.revisions.sum() if len(measured) else ())) > 1:
        found.append("not all rows are of one revision of the code: what differs may be the code")
    # Nothing is faster than its bound: such a roof was measured low, on a busy machine, say.
    for at, above in rows[rows.share_of_bound > 1 + SLACK].groupby("letter"):
        worst = above.loc[above.share_of_bound.idxmax()]
        found.append(f"{len(above)} rows of {platforms.platform[at]} lie above their bound (marked !; "
                     f"the furthest {worst.variant}:{worst.configuration} at "
                     f"{100 * worst.share_of_bound:.0f} %, {worst.file}): a roof there is too low; Phi "
                     "takes them for 100 %")
    return found


def compare(inputs: Iterable[str], patterns: Sequence[str] = (), tunings: bool = True) -> Comparison:
    """Compares result files, published tables, files of `tessera predict -o`, and folders of these,
    whose other files are passed over; NAME=PATH names a platform. `patterns` are globs over names:
    those taken form the one set. Without `tunings` rows of `tessera tune` are left out, unless there is
    nothing else. A ToolError where an input is missing, broken or of another kind, two machines have
    one name, or several platforms have no problem in common."""
    rows, files = compared_rows.collect(inputs)
    if not tunings and not rows.tuning.all():
        rows = rows[~rows.tuning].reset_index(drop=True)
    remarks = []
    compared_rows.unify_details(rows)
    rows = compared_rows.newest(rows, remarks)
    compared_rows.set_published_shares(rows)
    platforms = _platforms(rows)
    letters = {(of.origin, of.platform): at for at, of in platforms.iterrows()}
    rows["letter"] = [letters[key] for key in zip(rows.origin, rows.platform)]
    sets = _sets(platforms, patterns)
    taken = rows[rows.letter.isin(next(iter(sets.values())))] if patterns else rows
    if taken.letter.nunique() > 1 and taken.groupby(PROBLEM).letter.nunique().max() < 2:
        raise ToolError("no stencil, decomposition and precision was run on two of the "
                        f"{taken.letter.nunique()} platforms")
    return Comparison(platforms, rows, _ranked(taken), sets, [
        *(doubt for _, file in files for doubt in file.doubts), *remarks, *_remarks(rows, platforms)], files)
