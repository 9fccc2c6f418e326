# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/scaling.md: what `tessera predict --ranks` says of many GPUs."""

from ..errors import ToolError
from .table import Table

FILES = {"acoustic": "scaling/predicted-acoustic-h100.json",
         "jacobi": "scaling/predicted-jacobi-h100.json"}


def rows_of(data, family):
    """The predicted rows of a family's file, by what is scaled and ranks."""
    content = data.document(f"results/{FILES[family]}")
    rows = [row for row in content["rows"] if not row["unsupported"]]
    if not rows:
        raise ToolError(f"results/{FILES[family]}: no row with a prediction")
    return sorted(rows, key=lambda row: (row["scaling"], row["name"], row["ranks"]))


def text(value):
    return lambda rows, values: (value(values), None)


COLUMNS = (
    ("scaling", text(lambda row: row["scaling"])),
    ("variant", text(lambda row: f"`{row['name']}`")),
    ("GPUs", text(lambda row: f"{row['ranks']:,}")),
    ("rank grid", text(lambda row: "x".join(map(str, row["rank_grid"])))),
    ("cells", text(lambda row: f"{row['nx']} x {row['ny']} x {row['nz']}")),
    ("step, ms", text(lambda row: f"{1e3 * row['step_s']:.3g}")),
    ("exchange, µs", text(lambda row: f"{1e6 * (row['exchange_s'] + row['pack_s']):.0f}")),
    ("exposed, µs", text(lambda row: f"{1e6 * row['exchange_exposed_s']:.0f}")),
    ("TCell/s", text(lambda row: f"{1e-3 * row['gcell_per_s']:.3g}")),
    ("efficiency, %", text(lambda row: f"{100 * row['efficiency']:.1f}")),
)


TABLES = tuple(
    Table(name=f"scaling-{family}", lines=lambda data, family=family: rows_of(data, family), picks={},
          columns=COLUMNS, captions=None, extra=f"From `results/{FILES[family]}`.",
          keep=lambda rows: True)
    for family in FILES)
