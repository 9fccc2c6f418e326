# SPDX-License-Identifier: Apache-2.0
"""Published tables (inputs/published/README.md): what papers printed of their own kernels."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from .errors import ToolError
from .files import read_toml
from .schemas import check

SCHEMA = "tessera-published-1"


@dataclass(frozen=True)
class Published:
    """A table: rows hold `name`, `stencil` and a value for each of the columns; `content` is the file
    as it is on disk."""

    source: str
    columns: list[dict]
    rows: list[dict]
    content: dict

    def value_of(self, row: dict, at: int) -> float:
        """A row's value in the unit of its column's quantity, whatever was printed."""
        column, printed = self.columns[at], row["values"][at]
        if column.get("printed") != "seconds":
            return printed * column.get("scale", 1)
        return math.prod(column["grid"]) * column["steps"] / printed / 1e9

    def values_of(self, quantity: str) -> list[tuple[dict, float]]:
        """(row, value) of the first column that stands beside `quantity`."""
        index = next((i for i, column in enumerate(self.columns)
                      if column["quantity"] == quantity), None)
        return [] if index is None else [(row, row["values"][index]) for row in self.rows]


def read(path: str | os.PathLike) -> Published:
    """A published table, checked by its schema; a row has a value for each column."""
    table = read_toml(path)
    if table.get("schema") != SCHEMA:
        raise ToolError(f"{path}: is not a published table ({SCHEMA})")
    check(table, "published", path)
    for row in table["row"]:
        if len(row["values"]) != len(table["column"]):
            raise ToolError(f"{path}: {row['name']}: {len(row['values'])} values, not one for each of "
                            f"the {len(table['column'])} columns")
    for column in table["column"]:
        if column.get("printed") == "seconds" and not {"grid", "steps"} <= column.keys():
            raise ToolError(f"{path}: {column['title']}: seconds without grid and steps")
    return Published(table["source"], table["column"], table["row"], table)
