# SPDX-License-Identifier: Apache-2.0
"""All rows as a table, and what each file says about itself."""

from __future__ import annotations

import json

from ..comparison import Comparison
from ..results import ResultFile
from .summary import binds

# What was computed is told by a few words; the figures of a row shall be in the window.
COLUMNS = ("variant", "configuration", "GCell/s", "% of bound", "varies %", "platform", "stencil", "model",
           "decomposition", "precision", "grid", "steps", "what binds", "GFLOP/s", "Mcell/J", "status", "reason",
           "revision", "date", "file")


def _rounded(value: float | None, factor: float = 1) -> float | None:
    return None if value is None else float(f"{factor * value:.4g}")


def rows(found: Comparison) -> list[list]:
    """A line a row of a result file, in COLUMNS."""
    lines = []
    for platform, row in found.measured:
        lines.append([
            row.variant, row.configuration, _rounded(row.rate), _rounded(row.share_of_bound, 100),
            _rounded(row.spread, 100) if row.samples else None, platform, row.stencil, row.model,
            row.decomposition, row.precision, " x ".join(map(str, row.grid)), row.steps,
            binds(row) if row.valid else "", _rounded(row.value("gflop_per_s")),
            _rounded(row.value("energy.cells_per_joule"), 1e-6), row.status, row.record["reason"],
            row.file.revision, row.file.date, row.file.path.name])
    return lines


PARTS = ("deck", "machine", "build", "streams", "roofline")


def metadata(file: ResultFile) -> list[tuple[str, str]]:
    """The parts of a file that are not rows, as text: first the deck."""
    said = [("command", file.content.get("command_line") or "")]
    said += [(part, json.dumps(file.content[part], indent=1, ensure_ascii=False))
             for part in PARTS if file.content.get(part)]
    return [(name, text) for name, text in said if text]
