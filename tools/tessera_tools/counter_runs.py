# SPDX-License-Identifier: Apache-2.0
"""A deck under a profiler of this machine, or what a profiler wrote before: counters by row."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import counter_formats as formats
from . import likwid, results
from .counter_rows import profiled_rows, split_by_marks, sum_kernels
from .errors import ToolError
from .program import execute, run_folder, run_options
from .results import Row

PROFILERS = ["ncu", "rocprofv3", "likwid-perfctr"]
# Where a deck names what rows call their decomposition, if it is not FAMILY.decomposition.
DECOMPOSITION_KEYS = {"directional": "directional.rows"}


@dataclass(frozen=True)
class Run:
    """What to run under the profiler."""

    tessera: str
    deck: Path
    variants: Sequence[str]
    settings: Sequence[str]

    def command(self, folder: Path) -> list[str]:
        return [self.tessera, "run", str(self.deck), "--profile", "--output", str(folder),
                *run_options(self.variants, self.settings)]


def choose_profiler(wanted: str) -> str:
    """The profiler to use, by its own name or `auto`."""
    found = [name for name in PROFILERS if shutil.which(name)]
    if wanted != "auto":
        if wanted not in found:
            raise ToolError(f"{wanted} is not on PATH")
        return wanted
    if not found:
        raise ToolError(f"none of {', '.join(PROFILERS)} is on PATH; --import reads what one wrote")
    return found[0]


def collect(run: Run, profiler: str, folder: Path):
    """(rows, totals and kernels of each) from a run under the profiler."""
    if profiler == "likwid-perfctr":
        return _collect_likwid(run, folder)
    profile, raw = folder / "profile.json", folder / "counters.csv"
    if profiler == "ncu":
        with run_folder(profile) as out:
            execute(formats.ncu_command(raw, run.command(out)), show=True)
        kernels = formats.read_kernels(raw)
    else:
        kernels = []
        # One group of counters a run: not all fit at once.
        for counters in formats.ROCPROF_GROUPS:
            with run_folder(profile) as out:
                execute(formats.rocprof_command(folder, counters, run.command(out)), show=True)
            now = formats.read_kernels(formats.rocprof_file(folder))
            kernels = formats.join_passes(kernels, now)
    rows = profiled_rows(results.read(profile))
    return rows, [sum_kernels(part) for part in split_by_marks(kernels, rows)]


def _collect_likwid(run: Run, folder: Path):
    """The same on a host: the difference of two whole runs, a configuration at a time."""
    first = folder / "rows.json"
    with run_folder(first) as out:
        execute(run.command(out), show=True)
    rows = profiled_rows(results.read(first))
    parts = []
    for row in rows:
        settings = [*run.settings, f"case.stencil={row.stencil}"]
        if row.decomposition:
            key = DECOMPOSITION_KEYS.get(row.family, f"{row.family}.decomposition")
            settings.append(f"{key}={row.decomposition}")
        volumes = []
        for factor in (1, 2):
            raw = folder / f"likwid-{factor}.csv"
            one = Run(run.tessera, run.deck, [row.name],
                      [*settings, f"case.steps={factor * row.steps}"])
            with run_folder(folder / "one.json") as out:
                execute(likwid.command(raw, one.command(out)), show=True)
            volumes.append(likwid.read(raw))
        parts.append((likwid.difference(volumes[1], volumes[0]), {}))
    return rows, parts


def read_imported(path: Path, minus: Path | None, rows: list[Row]):
    """(profiler, totals and kernels of each row) of a file that was written before."""
    lines = formats.read_lines(path)
    if any(line.startswith("TABLE,") for line in lines):
        if len(rows) != 1:
            raise ToolError(f"{path}: LIKWID counts whole processes, but {len(rows)} rows ran")
        volumes = likwid.read(path)
        if minus is None:
            raise ToolError(f"{path}: counts set-up too: --minus names that of half the steps")
        volumes = likwid.difference(volumes, likwid.read(minus))
        rows[0].record["steps"] //= 2  # the difference is half of them
        return "likwid-perfctr", [(volumes, {})]
    kernels = formats.read_kernels(path)
    source = "ncu" if any(line.startswith(("\"ID\"", "ID,")) for line in lines) else "rocprof"
    return source, [sum_kernels(part) for part in split_by_marks(kernels, rows)]
