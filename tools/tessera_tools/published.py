# SPDX-License-Identifier: Apache-2.0
"""Published tables (inputs/published/README.md): what papers printed of their own kernels."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from .errors import ToolError
from .files import read_toml

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
    """A published table, its shape checked."""
    table = read_toml(path)
    if table.get("schema") != SCHEMA:
        raise ToolError(f"{path}: is not a published table ({SCHEMA})")
    try:
        columns, rows = table["column"], table["row"]
        whole = all(isinstance(column["title"] + column["quantity"], str) for column in columns) \
            and all(isinstance(row["name"], str) and len(row["values"]) == len(columns)
                    for row in rows)
        source = table["source"]
    except (KeyError, TypeError) as error:
        raise ToolError(f"{path}: incomplete: {error}") from None
    if not whole:
        raise ToolError(f"{path}: a row's values are not one for each column")
    return Published(source, columns, rows, table)
