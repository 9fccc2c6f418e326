# SPDX-License-Identifier: Apache-2.0
"""Result files as a pandas frame: a line a row, with the file's machine, date and revision.

    from tessera_tools import frames
    table = frames.read(["results/nvidia-h100", "results/nvidia-h200"])
    best = table[table.status == "valid"].groupby(["platform", "stencil"]).gcell_per_s.max()

Needs the module pandas.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from . import results
from .results import Row

# Column -> what a row has there. GCell/s, GB/s and GFLOP/s are 10^9 a second; times are seconds.
COLUMNS = {
    "platform": lambda row: row.file.machine_name,
    "device": lambda row: row.file.device,
    "kind": lambda row: row.file.kind,
    "family": lambda row: row.family,
    "stencil": lambda row: row.point,
    "model": lambda row: row.model,
    "details": lambda row: row.details,
    "decomposition": lambda row: row.decomposition,
    "precision": lambda row: row.precision,
    "nx": lambda row: row.grid[0],
    "ny": lambda row: row.grid[1],
    "nz": lambda row: row.grid[2],
    "steps": lambda row: row.steps,
    "variant": lambda row: row.today_variant,
    "configuration": lambda row: row.configuration,
    "baseline": lambda row: bool(row.record.get("baseline")),
    "temporal_depth": lambda row: row.temporal_depth,
    "status": lambda row: row.status,
    "reason": lambda row: row.record.get("reason", ""),
    "gcell_per_s": lambda row: row.rate,
    "step_s": lambda row: row.median_s,
    "spread": lambda row: row.spread if row.samples else None,
    "bound": lambda row: row.bound,
    "share_of_bound": lambda row: row.share_of_bound,
    "share_of_copy": lambda row: row.share_of_copy,
    "effective_gb_per_s": lambda row: row.value("effective_gb_per_s"),
    "gflop_per_s": lambda row: row.value("gflop_per_s"),
    "flop_per_byte": lambda row: row.value("flop_per_byte"),
    "predicted_gcell_per_s": lambda row: row.prediction,
    "binding": lambda row: row.predicted.get("binding"),
    "dram_bytes_per_cell": lambda row: row.value("counters.dram_bytes_per_cell"),
    "l2_bytes_per_cell": lambda row: row.value("counters.l2_bytes_per_cell"),
    "joules": lambda row: row.value("energy.joules"),
    "cells_per_joule": lambda row: row.value("energy.cells_per_joule"),
    "revision": lambda row: row.file.revision,
    "date": lambda row: row.file.date,
    "file": lambda row: str(row.file.path),
}
TEXTS = frozenset(("platform", "device", "kind", "family", "stencil", "model", "details",
                   "decomposition", "precision", "variant", "configuration", "status", "reason",
                   "bound", "binding", "revision", "date", "file"))
WHOLE = frozenset(("nx", "ny", "nz", "steps", "temporal_depth"))


def frame(rows: Iterable[Row]):
    """A pandas frame of rows, in COLUMNS; numbers that a row lacks are NaN."""
    import pandas
    rows = list(rows)
    columns = {}
    for name, value in COLUMNS.items():
        kind = "object" if name in TEXTS else "int64" if name in WHOLE else \
            "bool" if name == "baseline" else "float64"
        columns[name] = pandas.Series([value(row) for row in rows], dtype=kind)
    return pandas.DataFrame(columns)


def read(paths: Iterable[str | os.PathLike]):
    """A frame of the result files named, and of those in the folders named. A ToolError names a
    file that cannot be read."""
    return frame(results.rows_of(results.read_all(paths)))
