# SPDX-License-Identifier: Apache-2.0
"""A run beside stored runs of the same machine, row by row: what became faster, slower, or is the
same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy
import pandas

from . import portability
from .columns import text
from .errors import ToolError
from .results import ResultFile, Row

VERDICTS = ("slower", "lost", "faster", "gained", "same", "too noisy to tell", "never")


@dataclass(frozen=True)
class Difference:
    """`rows`: name, before and after (GCell/s), ratio, spread, verdict, reason, stored, stored_date.
    `measure` is what was compared; `before` and `after` are revisions and dates."""

    rows: pandas.DataFrame
    measure: str
    before: str
    after: str
    only_before: int
    only_after: int
    remarks: list[str]

    def count(self, *verdicts: str) -> int:
        return int(self.rows.verdict.isin(verdicts).sum())

    @property
    def worse(self) -> int:
        """Rows that became slower or are valid no more."""
        return self.count("slower", "lost")

    def better(self, again: Difference) -> Difference:
        """Of two runs of one deck the better row of each case: what a busy machine slows down once it
        seldom slows down twice. What one of the runs lost is lost."""
        rows = pandas.concat([self.rows, again.rows])
        rank = rows.ratio.mask(rows.verdict == "lost", float("inf"))
        best = rows.assign(rank=rank).sort_values("rank", kind="stable") \
            .drop_duplicates("name", keep="last").set_index("name")
        return replace(self, rows=best.loc[self.rows.name].reset_index())

    def text(self) -> str:
        """The rows that are valid in one of both, and how many there are of each verdict."""
        rows = self.rows[self.rows.verdict != "never"]
        table = pandas.DataFrame({
            "name": rows.name, "before GCell/s": rows.before, "after GCell/s": rows.after,
            f"{self.measure} ratio": rows.ratio.round(3), "spread %": (100 * rows.spread).round(1),
            "verdict": rows.verdict.where(rows.reason == "", rows.verdict + ": " + rows.reason)})
        counts = ", ".join(f"{self.count(verdict)} {verdict}" for verdict in VERDICTS[:-1])
        return "\n".join([
            f"before: {self.before}\nafter: {self.after}", text(table),
            *(f"note: {remark}" for remark in self.remarks),
            f"{counts}; {self.count('never')} valid in neither; {self.only_before} rows only before, "
            f"{self.only_after} only after"])


def case_of(row: Row) -> str:
    """What was computed and how, without the steps."""
    words = filter(None, (row.name, row.decomposition, row.stencil, row.precision, row.model))
    return " ".join(words) + " " + "x".join(map(str, row.grid))


def _same_machine(one: ResultFile, other: ResultFile) -> bool:
    """A GPU goes by its name. Processors of several generations call themselves alike."""
    on_gpu = any("device_properties" in file.machine for file in (one, other))
    return one.make[0] == other.make[0] if on_gpu else one.make == other.make


def _table(files: Sequence[ResultFile]) -> pandas.DataFrame:
    """The rows with the copy bandwidth of their run, and half its range over the median; absent where
    it measured none."""
    lines = []
    for file in files:
        copy = file.streams.get("copy", float("nan"))
        span = file.streams["range"]["copy"] if file.streams else {"min": copy, "max": copy}
        lines += [{"case": case_of(row), "steps": row.steps, "name": f"{case_of(row)} {row.steps} steps",
                   "details": row.details, "status": row.status, "why": row.record["reason"],
                   "rate": row.rate or 0.0, "spread": row.spread, "copy": copy,
                   "copy_spread": (span["max"] - span["min"]) / (2 * copy), "ran": not file.tuning,
                   "stored": str(file.path), "stored_date": file.moment} for row in file.rows]
    return pandas.DataFrame(lines)


def _is_itself(stored: ResultFile, run: ResultFile) -> bool:
    """Whether a stored file holds the run's own measurements, under whatever name."""
    def measured(file):
        return [(case_of(row), row.steps, row.status, row.samples) for row in file.rows]

    return (stored.moment == run.moment and stored.make[0] == run.make[0]
            and measured(stored) == measured(run))


def _origins(files: Sequence[ResultFile]) -> str:
    """"revision 0123abcd of 2026-01-31T23:59:59Z": of the files each once."""
    dates = {}
    for file in files:
        dates.setdefault(file.revision, set()).add(file.moment)
    return ", ".join(f"revision {revision or 'unknown'} of " + " to ".join(dict.fromkeys((min(of), max(of))))
                     for revision, of in sorted(dates.items()))


def difference(stored: Sequence[ResultFile], run: ResultFile, tolerance: float = 0.03,
               absolute: bool = False, any_machine: bool = False) -> Difference:
    """Sets each row of a run beside the stored row of the same problem, variant and configuration; of
    several the newest valid one counts, one of `run` before any of `tune`. The spread is half the
    inter-quartile ranges of the samples, and, of shares, half the ranges of the copy bandwidths, of
    both runs together, over the medians: see portability.verdict. Shares are of each run's own copy
    bandwidth, unless `absolute`. A ToolError where no other stored file is of a machine like the run's, or
    none has a row in common with it."""
    others = [file for file in stored if not _is_itself(file, run)]
    alike = [file for file in others if any_machine or _same_machine(file, run)]
    if not others:
        raise ToolError(f"{run.path}: the run itself, and nothing else is stored to set it beside")
    if not alike:
        raise ToolError(f"no stored file is of a machine like the run's ({', '.join(run.make)}), such as "
                        f"{', '.join(others[0].make)}; --any-machine takes them all")
    remarks = [f"{file.path}: left out, since it is the run itself" for file in stored if file not in others]
    if not absolute and not all(file.streams for file in [run, *alike]):
        remarks.append("a file has no copy bandwidth: its GCell/s are compared")
    remarks += [doubt for file in [*alike, run] for doubt in file.doubts]
    if len(alike) == 1 and alike[0].deck != run.deck:
        remarks.append("the decks differ")
    every, new = _table(alike), _table([run])
    old = every.assign(valid=every.status == "valid") \
        .sort_values(["valid", "ran", "stored_date"], kind="stable").drop_duplicates("name", keep="last")
    both = new.merge(old, on="name", suffixes=("", "_before"))
    # Older files do not tell a case's details.
    alone = both[(both.details != both.details_before) & (both.details != "") & (both.details_before != "")]
    both = both.drop(alone.index)
    if len(alone) and not len(both):
        first = alone.iloc[0]
        raise ToolError(f"stored rows are of another problem: {first.details_before}, not {first.details}")
    if not len(both):
        steps = sorted(set(every.steps[every.case.isin(new.case)]) - set(new.steps))
        raise ToolError("none of its rows is stored" + (
            f" with the same steps: --set case.steps={steps[0]}" if steps else ""))
    before, after = both.rate_before, both.rate
    ratio, spread = after / before, (both.spread + both.spread_before) / 2
    if not absolute:
        ratio *= (both.copy_before / both["copy"]).fillna(1)
        spread += (both.copy_spread + both.copy_spread_before).fillna(0)
    ran = (before > 0) & (after > 0)
    ratio, spread = ratio.where(ran, 1.0), spread.where(ran, 0.0)
    verdict = numpy.select([ran, after > 0, before > 0],
                           [portability.verdict(ratio, spread, tolerance), "gained", "lost"], "never")
    why = (both.status + ": " + both.why).str.removesuffix(": ")
    rows = pandas.DataFrame({
        "name": both.name, "before": before, "after": after, "ratio": ratio, "spread": spread,
        "verdict": verdict, "reason": why.where(verdict == "lost", ""),
        "stored": both.stored_before, "stored_date": both.stored_date_before})
    return Difference(rows, "GCell/s" if absolute else "share of copy", _origins(alike), _origins([run]),
                      len(old) - len(both), len(new) - len(both), remarks)
