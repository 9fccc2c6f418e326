# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/scaling.md: what `tessera predict --ranks` says of many GPUs."""

from ..errors import ToolError
from .table import Table

NAMES = ("acoustic-weak", "acoustic-strong", "jacobi-weak")


def rows_of(data, name):
    """The predicted rows of a file, of the scaling that it is named after, by ranks."""
    content = data.document(f"results/scaling/predicted-{name}.json")
    rows = [row for row in content["rows"]
            if not row["unsupported"] and name.endswith(row["scaling"])]
    if not rows:
        raise ToolError(f"results/scaling/predicted-{name}.json: no row with a prediction")
    return sorted(rows, key=lambda row: (row["name"], row["ranks"]))


def text(value):
    return lambda rows, values: (value(values), None)


COLUMNS = (
    ("variant", text(lambda row: f"`{row['name']}`")),
    ("GPUs", text(lambda row: f"{row['ranks']:,}")),
    ("rank grid", text(lambda row: "x".join(map(str, row["rank_grid"])))),
    ("cells", text(lambda row: f"{row['nx']} x {row['ny']} x {row['nz']}")),
    ("step, ms", text(lambda row: f"{1e3 * row['step_s']:.3g}")),
    ("exchange, µs", text(lambda row: f"{1e6 * (row['exchange_s'] + row['pack_s']):.0f}")),
    ("exposed, µs", text(lambda row: f"{1e6 * row['exchange_exposed_s']:.0f}")),
    ("TCell/s", text(lambda row: f"{1e-3 * row['gcell_per_s']:,.3f}")),
    ("efficiency, %", text(lambda row: f"{100 * row['efficiency']:.1f}")),
)


TABLES = tuple(
    Table(name=f"scaling-{name}", lines=lambda data, name=name: rows_of(data, name), picks={},
          columns=COLUMNS, captions=None, extra=f"From `results/scaling/predicted-{name}.json`.",
          keep=lambda rows: True)
    for name in NAMES)
