# SPDX-License-Identifier: Apache-2.0
"""Counters of single launches under ncu, what warps wait for among them: a line a launch.

Where tools/counters.py sums what the launches of a configuration moved, this keeps them apart, and
knows counters that a result file has no place for.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from . import results
from .counter_formats import read_kernels
from .counter_rows import profiled_rows, split_by_marks
from .kernel_names import functor

# ncu's counter, with --print-units base -> our column, and what makes it that. `wait_*`: of the
# warps of a scheduler, how many wait for that when an instruction is issued; together with those
# that wait for nothing they are `warps_per_issue`. A counter that a launch lacks leaves its cell
# empty.
METRICS = {
    "gpu__time_duration.sum": ("time_us", 1e-3),
    "dram__bytes_read.sum": ("dram_read_gb", 1e-9),
    "dram__bytes_write.sum": ("dram_written_gb", 1e-9),
    "lts__t_bytes.sum": ("l2_gb", 1e-9),
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": ("dram_busy", 0.01),
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed": ("l2_busy", 0.01),
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed": ("l1_busy", 0.01),
    "sm__inst_issued.avg.pct_of_peak_sustained_active": ("issue_busy", 0.01),
    "sm__warps_active.avg.per_cycle_active": ("warps_resident", 1),
    "smsp__average_warp_latency_per_inst_issued.ratio": ("warps_per_issue", 1),
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": ("wait_team", 1),
    "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio": ("wait_fence", 1),
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": ("wait_memory", 1),
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio":
        ("wait_scratch", 1),
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio":
        ("wait_scratch_queue", 1),
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio":
        ("wait_memory_queue", 1),
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio":
        ("wait_arithmetic", 1),
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": ("wait_fixed", 1),
    "smsp__inst_executed.sum": ("instructions", 1),
    "smsp__inst_executed_op_shared_ld.sum": ("scratch_loads", 1),
    "smsp__inst_executed_op_shared_st.sum": ("scratch_stores", 1),
    "smsp__warps_launched.sum": ("warps", 1),
    "l1tex__data_pipe_lsu_wavefronts.sum": ("wavefronts", 1),
    "l1tex__data_bank_conflicts_pipe_lsu.sum": ("bank_conflicts", 1),
    "launch__registers_per_thread": ("registers", 1),
    "launch__grid_size": ("teams", 1),
    "launch__block_size": ("threads", 1),
}
NAMES = ("variant", "stencil", "precision", "cells", "steps", "regions", "note", "revision",
         "launch", "kernel")
LAUNCH = ("teams", "threads", "registers")
COUNTED = tuple(word for word, _ in METRICS.values() if word not in LAUNCH)


def lines_of(raw: Path, note: str = "") -> list[dict]:
    """A line for each launch of a run whose folder (--profile --output) lies beside ncu's file: of
    raw/st.csv raw/st, or its result file as raw/st.json."""
    folder = raw.with_suffix("")
    file = results.read(folder / "result.json" if folder.is_dir() else raw.with_suffix(".json"))
    rows = profiled_rows(file)
    lines = []
    for row, launches in zip(rows, split_by_marks(read_kernels(raw, METRICS), rows)):
        record = row.record
        said = {"variant": row.name, "stencil": row.stencil, "precision": row.precision,
                "cells": f"{record['nx']}x{record['ny']}x{record['nz']}", "steps": record["steps"],
                "regions": row.decomposition, "note": note, "revision": file.revision}
        lines += [{**said, "launch": i, "kernel": kernel_of(launch["name"]),
                   **launch} for i, launch in enumerate(launches, 1)]
    return lines


def write_lines(lines: Iterable[dict], file) -> None:
    """The CSV: what was counted for no launch has no column."""
    lines = list(lines)
    columns = [*NAMES, *(word for word in (*LAUNCH, *COUNTED)
                         if any(word in line for line in lines))]
    table = csv.writer(file, lineterminator="\n")
    table.writerow(columns)
    for line in lines:
        table.writerow([shown(line.get(column, "")) for column in columns])


def kernel_of(demangled: str) -> str:
    """The functor's bare name. Newer profilers leave out the namespaces that a kernel is in."""
    found = functor(demangled).partition("<")[0]
    plain = re.search(r"\b\w+Kernel\b", demangled)
    return plain[0] if " " in found and plain else found


def shown(value) -> str:
    """Five digits of a figure; whole numbers as they are."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if value == int(value) and value < 1e15 else f"{value:.5g}"
