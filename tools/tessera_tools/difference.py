# SPDX-License-Identifier: Apache-2.0
"""A run beside stored runs of the same machine, row by row: what became faster, slower, or is the
same. What difference() returns is what `tools/compare.py --difference --json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import ToolError
from .results import ResultFile, Row

SCHEMA = "tessera-difference-1"
VERDICTS = ("slower", "lost", "faster", "gained", "same", "never")
FAILURES = ("slower", "lost")


@dataclass(frozen=True)
class Options:
    tolerance: float = 0.03  # of the rate: smaller differences are none
    absolute: bool = False  # GCell/s; else shares of each run's own copy bandwidth
    any_machine: bool = False  # also with stored files of other machines


def _case(row: Row) -> str:
    """What was computed and how, without the steps."""
    words = filter(None, (row.today_name, row.decomposition, row.stencil, row.precision, row.model))
    return " ".join(words) + " " + "x".join(map(str, row.grid))


def name_of(row: Row) -> str:
    return f"{_case(row)} {row.steps} steps"


def _same_machine(one: ResultFile, other: ResultFile) -> bool:
    """A GPU goes by its name. Processors of several generations call themselves alike."""
    on_gpu = "device_properties" in one.machine or "device_properties" in other.machine
    return one.make[0] == other.make[0] if on_gpu else one.make == other.make


def _told_apart(one: ResultFile, other: ResultFile) -> str:
    """What of a machine's make another's lacks, behind the device's name."""
    device, *parts = one.make
    if device != other.make[0]:
        return device
    return ", ".join([device, *(part for part in parts if part not in other.make)])


def _copy(file: ResultFile) -> tuple[float, float] | None:
    """The copy bandwidth of a file's run, and half its range over the median."""
    copy = file.streams.get("copy")
    if not copy:
        return None
    between = (file.streams.get("range") or {}).get("copy") or {"min": copy, "max": copy}
    return copy, (between["max"] - between["min"]) / (2 * copy)


def _is_itself(stored: ResultFile, run: ResultFile) -> bool:
    """Whether a stored file holds the run's own measurements, under whatever name."""
    def measured(file):
        return [(name_of(row), row.status, row.samples) for row in file.rows]

    return (stored.moment == run.moment and stored.make[0] == run.make[0]
            and measured(stored) == measured(run))


def _files_alike(stored: Sequence[ResultFile], run: ResultFile, options: Options,
                 remarks: list[str]) -> list[ResultFile]:
    """The stored files of a machine like the run's, but for the run itself."""
    itself = [file for file in stored if _is_itself(file, run)]
    others = [file for file in stored if file not in itself]
    alike = [file for file in others if options.any_machine or _same_machine(file, run)]
    if not others:
        raise ToolError(f"{', '.join(str(file.path) for file in itself)}: the run itself, and nothing "
                        "else is stored to set it beside")
    if not alike:
        raise ToolError("no stored file is of a machine like the run's "
                        f"({_told_apart(run, others[0])}): {_told_apart(others[0], run)}; "
                        "--any-machine takes them all")
    remarks += [f"{file.path}: left out, since it is the run itself" for file in itself]
    return alike


def _origins(files: Sequence[ResultFile]) -> str:
    """"revision 0123abcd of 2026-01-31T23:59:59Z": of the files each once."""
    dates = {}
    for file in files:
        dates.setdefault(file.revision, set()).add(file.moment)
    return ", ".join(
        f"{f'revision {revision}' if revision else 'no revision'} of "
        + (min(of) if len(of) == 1 else f"{min(of)} to {max(of)}")
        for revision, of in sorted(dates.items()))


def _compared(old: Row, new: Row, options: Options) -> dict:
    before, after = (row.rate or 0 if row.valid else 0 for row in (old, new))
    found = {"name": name_of(new), "before_gcell_per_s": before, "after_gcell_per_s": after,
             "ratio": 1.0, "spread": 0.0, "verdict": "never", "reason": "",
             "stored": str(old.file.path), "stored_date": old.file.moment}
    if not (before and after):
        if before:
            reason = new.record.get("reason")
            found |= {"verdict": "lost", "reason": new.status + (f": {reason}" if reason else "")}
        elif after:
            found["verdict"] = "gained"
        return found
    ratio, spread = after / before, (old.spread + new.spread) / 2
    copies = _copy(old.file), _copy(new.file)
    if not options.absolute and None not in copies:
        ratio *= copies[0][0] / copies[1][0]
        spread += copies[0][1] + copies[1][1]
    differs = abs(ratio - 1) > max(options.tolerance, spread)
    verdict = "same" if not differs else "faster" if ratio > 1 else "slower"
    return found | {"ratio": ratio, "spread": spread, "verdict": verdict}


def _nothing_in_common(alike: Sequence[ResultFile], run: ResultFile) -> str:
    """Why no row is in common: other steps, where that is all."""
    none = "none of its rows is stored"
    for file in alike:
        for old in file.rows:
            for new in run.rows:
                if _case(old) == _case(new) and old.steps == new.steps:
                    return (f'{none}: they are of another problem: it ran "{new.details}", '
                            f'{file.path} holds "{old.details}"')
                if _case(old) == _case(new):
                    return (f"{none} with the same steps: it ran {new.steps}, {file.path} holds "
                            f"{old.steps} (--set case.steps={old.steps})")
    return f"{none}: the files have no row in common"


def difference(stored: Sequence[ResultFile], run: ResultFile, options: Options = Options()) -> dict:
    """Sets each row of a run beside the stored row of the same problem, variant and configuration; of
    several the newest valid one counts, one of `run` before any of `tune`. A row differs where the
    ratio of its medians is further from 1 than the tolerance and than the spread: half the
    inter-quartile ranges of the samples, and, of shares, half the ranges of the copy bandwidths, of
    both runs together, over the medians. A ToolError where no other stored file is of a machine like
    the run's, or none has a row in common with it."""
    remarks = []
    alike = _files_alike(stored, run, options, remarks)
    if not options.absolute and not all(map(_copy, [run, *alike])):
        remarks.append("a file has no copy bandwidth: its GCell/s are compared")
    if len(alike) == 1 and alike[0].deck != run.deck:
        remarks.append("the decks differ")
    ranked = sorted((row for file in alike for row in file.rows),
                    key=lambda row: (row.valid, not row.file.tuning, row.file.moment))
    old = {name_of(row): row for row in ranked}  # the last of a name counts
    rows, only_after = [], 0
    for row in run.rows:
        before = old.get(name_of(row))
        # Older files do not tell a case's details.
        if before is None or (row.details and before.details and row.details != before.details):
            only_after += 1
            continue
        rows.append(_compared(old.pop(name_of(row)), row, options))
    if not rows:
        raise ToolError(_nothing_in_common(alike, run))
    return {"schema": SCHEMA, "measure": "GCell/s" if options.absolute else "share of copy",
            "before": _origins(alike), "after": _origins([run]), "rows": rows,
            "only_before": len(old), "only_after": only_after, "remarks": remarks}


def count(found: dict, verdict: str) -> int:
    return sum(row["verdict"] == verdict for row in found["rows"])
