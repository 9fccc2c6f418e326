# SPDX-License-Identifier: Apache-2.0
"""A run's rows beside those stored of the same cases: what got slower, faster, or stayed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .errors import ToolError
from .results import ResultFile, Row, rows_of

FAILURES = ("slower", "lost")


@dataclass(frozen=True)
class Measure:
    """What is compared: of a row, and how much of it the samples leave open."""

    unit: str
    of: Callable[[Row], float | None]
    spread: Callable[[Row], float]


# A machine that is slow today copies slowly too, so that the share stays.
SHARE = Measure("of copy", lambda row: row.share_of_copy,
                lambda row: math.hypot(row.spread, row.file.copy_spread))
ABSOLUTE = Measure("GCell/s", lambda row: row.rate, lambda row: row.spread)


@dataclass(frozen=True)
class Finding:
    """A row of the run beside the stored one."""

    now: Row
    before: Row
    verdict: str
    change: float | None = None
    allowed: float | None = None

    def line(self, measure: Measure) -> str:
        grid = " x ".join(map(str, self.now.grid))
        head = f"{self.verdict:<6} {self.now.today_name} {self.now.point} {self.now.precision}"
        where = " ".join(filter(None, [head, self.now.decomposition, f"{grid},"]))
        source = f"[{self.before.file.path.name} {self.before.file.date}]".replace(" ]", "]")
        if self.verdict == "lost":
            reason = self.now.record.get("reason") or "no reason given"
            return f"{where} was valid, is {self.now.status}: {reason} {source}"
        return (f"{where} {measure.of(self.before):.4g} -> {measure.of(self.now):.4g} "
                f"{measure.unit}, {100 * self.change:+.1f} % (allowed {100 * self.allowed:.1f}) "
                f"{source}")


def case_of(row: Row) -> tuple:
    """Rows of one case do the same work by the same configuration."""
    return (*_case_without_steps(row), row.steps)


def _case_without_steps(row: Row) -> tuple:
    return (row.stencil, row.today_name, row.decomposition, row.precision, row.grid)


def judge(now: Row, before: Row, measure: Measure, tolerance: float) -> Finding | None:
    """None where one of the two lacks the measure. Allowed is the tolerance, or, where that is
    more, what the samples of both runs leave open."""
    if not now.valid:
        return Finding(now, before, "lost")
    new, old = measure.of(now), measure.of(before)
    if not new or not old:
        return None
    change = new / old - 1
    allowed = max(tolerance, math.hypot(measure.spread(now), measure.spread(before)))
    verdict = "same"
    if abs(change) > allowed:
        verdict = "slower" if change < 0 else "faster"
    return Finding(now, before, verdict, change, allowed)


def of_machine(stored: Iterable[ResultFile], run: ResultFile) -> list[ResultFile]:
    """The stored files that come from a machine like that of the run."""
    alike = [file for file in stored if file.machine_id == run.machine_id]
    if not alike:
        raise ToolError(f"no stored file is of a machine like this one ({run.device}); "
                        "--any-machine compares with all")
    return alike


def compare(run: ResultFile, stored: Iterable[ResultFile], measure: Measure,
            tolerance: float) -> list[Finding]:
    """A finding for each row of the run whose case is stored as valid; of several such the newest
    counts. A ToolError where there is none."""
    known, other_steps = {}, {}
    for row in sorted(rows_of(stored), key=lambda row: row.file.content.get("date") or ""):
        if row.valid:
            known[case_of(row)] = row
            other_steps[_case_without_steps(row)] = row
    pairs = [(row, known[case_of(row)]) for row in run.rows if case_of(row) in known]
    if not pairs:
        text = f"{run.path}: none of its rows is stored with the same grid and steps"
        for row in run.rows:
            old = other_steps.get(_case_without_steps(row))
            if old:
                raise ToolError(f"{text}: it ran {row.steps} steps, {old.file.path.name} holds "
                                f"{old.steps} (--set case.steps={old.steps})")
        raise ToolError(text)
    found = [judge(now, before, measure, tolerance) for now, before in pairs]
    found = [finding for finding in found if finding]
    if not found:
        raise ToolError(f"{run.path}: no row has a rate {measure.unit} here and as stored"
                        + ("; --absolute compares rates" if measure is SHARE else ""))
    return found


def better(first: list[Finding], second: list[Finding]) -> list[Finding]:
    """Of two runs of one deck the better finding of each case: what a busy machine slows down once
    it seldom slows down twice. What one of the runs lost is lost."""
    again = {case_of(finding.now): finding for finding in second}
    pairs = [(finding, again.get(case_of(finding.now), finding)) for finding in first]
    return [max(pair, key=lambda f: float("inf") if f.verdict == "lost" else f.change)
            for pair in pairs]
