# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/model.md: what `tessera predict --study` says of the stored results."""

from __future__ import annotations

import json

from ..errors import ToolError
from .table import Table

ERRORS = "results/predicted/predicted-errors.json"


def machines(data) -> list[dict]:
    """The stored reports, a machine each."""
    path = data.root / ERRORS
    if not path.exists():
        raise ToolError(f"{path}: missing")
    return json.loads(path.read_text(encoding="utf-8"))["machines"]


def family_lines(data) -> list[dict]:
    """A line for every family of every machine."""
    return [{**family, "machine": machine["machine"]}
            for machine in machines(data) for family in machine["families"]]


def worst_lines(data) -> list[dict]:
    """The five worst rows of every machine."""
    found = []
    for machine in machines(data):
        rows = [row for family in machine["families"] for row in family["worst"]]
        rows.sort(key=lambda row: -max(row["predicted_over_measured"],
                                       1 / row["predicted_over_measured"]))
        found += [{**row, "machine": machine["machine"]} for row in rows[:5]]
    return found


def prune_lines(data) -> list[dict]:
    """What the pruned search keeps, a machine each."""
    return [{**machine["prune"], "machine": machine["machine"]} for machine in machines(data)]


def text(key, pattern="{}", factor=None):
    """A cell of a line's value."""
    def cell(_, values):
        value = values.get(key)
        if value is None:
            return "", None
        return pattern.format(value if factor is None else factor * value), None
    return cell


def rows_of(_, values):
    """Rows of a family, judged or not."""
    return str(sum(values[key] for key in ("fitted_rows", "judged_rows", "scalar_rows"))), None


def table(name, lines, *columns):
    """A table of a report's values alone."""
    return Table(name=name, lines=lines, picks={}, captions=None, keep=lambda rows: True,
                 columns=columns)


TABLES = (
    table("study-errors", family_lines, ("machine", text("machine")), ("family", text("family")),
          ("rows", rows_of), ("fitted half, %", text("fitted", "{:.1f}", 100)),
          ("judged half, %", text("judged", "{:.1f}", 100)),
          ("not vectorised, %", text("scalar", "{:.1f}", 100)),
          ("volume, %", text("volume", "{:.1f}", 100)), ("rank", text("rank", "{:.2f}"))),
    table("study-worst", worst_lines, ("machine", text("machine")), ("row", text("name", "`{}`")),
          ("predicted / measured", text("predicted_over_measured", "{:.2f}")),
          ("binds", text("binding"))),
    table("study-prune", prune_lines, ("machine", text("machine")), ("groups", text("groups")),
          ("same winner", text("same_winner")), ("rows run", text("kept")), ("of", text("rows")),
          ("at worst slower, %", text("worst_loss", "{:.1f}", 100))),
)
