# SPDX-License-Identifier: Apache-2.0
"""The shape of a result file, checked where it is read: what has the wrong shape is refused there,
and does not fail later in somebody's arithmetic."""

from __future__ import annotations

import os

from .errors import ToolError

SCHEMA = "tessera-result-1"

# Keys of a row by the type that they must have; a number may be null, and a key may be absent
# unless it is in REQUIRED.
REQUIRED = ("family", "stencil", "variant", "configuration", "precision", "status", "nx", "ny",
            "nz")
TEXTS = ("family", "stencil", "variant", "configuration", "decomposition", "precision", "status",
         "reason", "model", "details")
COUNTS = ("nx", "ny", "nz", "steps", "steps_per_sample", "temporal_depth")
NUMBERS = ("iqr_s", "effective_gb_per_s", "fraction_of_copy", "fraction_of_update", "gflop_per_s",
           "flop_per_byte", "roofline_gflop_per_s", "fraction_of_roofline", "moved_bytes_per_cell",
           "fraction_at_moved")
TABLES = ("resources", "predicted", "counters", "published", "parallel", "energy")
# Numbers of those objects, by which tools divide, draw and sort.
TABLE_NUMBERS = {
    "counters": ("achieved_gb_per_s", "achieved_occupancy", "achieved_warps", "dram_bytes_per_cell",
                 "dram_flop_per_byte", "dram_fraction_of_roofline", "dram_read_bytes_per_cell",
                 "dram_roofline_gflop_per_s", "dram_write_bytes_per_cell", "l1_bytes_per_cell",
                 "l2_bytes_per_cell", "l2_flop_per_byte", "l2_fraction_of_roofline",
                 "l2_read_bytes_per_cell", "l2_roofline_gflop_per_s", "l2_write_bytes_per_cell",
                 "nx", "ny", "nz", "read_write_ratio", "step_s"),
    "predicted": ("attainable_gcell_per_s", "bytes_per_cell", "deviation",
                  "fraction_of_attainable", "gcell_per_s", "least_step_s", "step_s", "valid_share"),
    "parallel": ("exchange_exposed_s", "imbalance"),
    "energy": ("cells_per_joule", "joules"),
}
# Texts of them.
TABLE_TEXTS = {"predicted": ("model",), "published": ("source",)}
# Objects in objects of a file, and what tools read there.
OBJECTS = ("machine.device_properties", "deck.ete", "streams.range", "streams.range.copy")
FILE_TEXTS = ("deck.ete.model",)
FILE_NUMBERS = ("streams.copy", "roofline.copy", "roofline.gb_per_s", "roofline.l2_gb_per_s",
                "roofline.peak_gflop_per_s", "machine.device_properties.units",
                "machine.device_properties.clock_ghz")


def is_number(value) -> bool:
    """A JSON number that a few products and quotients do not take out of range: 0, or 1e-90 to 1e90
    with either sign; true and false are none."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and (value == 0 or 1e-90 <= abs(value) <= 1e90))


def is_count(value) -> bool:
    """A whole number, 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_column(column) -> bool:
    """A printed figure beside a row."""
    return (isinstance(column, dict) and is_number(column.get("value"))
            and all(isinstance(column.get(key), str) for key in ("quantity", "label", "title")))


def at(content: dict, path: str):
    """What stands at `a.b.c`; None where a part is absent or null."""
    for key in path.split("."):
        content = content.get(key) if content else None
    return content


def check_file(content, path: str | os.PathLike) -> None:
    """Raises a ToolError that names the file and what is wrong with it."""
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise ToolError(f"{path}: is not a result file ({SCHEMA})")
    for key in ("machine", "build", "deck", "streams", "roofline"):
        if not isinstance(content.get(key) or {}, dict):
            raise ToolError(f"{path}: {key} is not an object")
    parts = (content, content.get("machine") or {}, content.get("build") or {})
    for key in ("date", "name", "device", "kind", "git_revision"):
        if not all(isinstance(part.get(key) or "", str) for part in parts):
            raise ToolError(f"{path}: {key} is not a text")
    for keys, fits, wanted in (
            (OBJECTS, lambda v: isinstance(v, dict), "an object"),
            (FILE_TEXTS, lambda v: isinstance(v, str), "a text"),
            (FILE_NUMBERS, is_number, "a number, or out of range")):
        for key in keys:
            if not (at(content, key) is None or fits(at(content, key))):
                raise ToolError(f"{path}: {key} is not {wanted}")
    rows = content.get("results")
    if not isinstance(rows, list):
        raise ToolError(f"{path}: results is not a list")
    for i, row in enumerate(rows):
        check_row(row, f"{path}: row {i + 1}")


def check_row(row, where: str) -> None:
    """The same of an entry of `results`."""
    if not isinstance(row, dict):
        raise ToolError(f"{where} is not an object")
    missing = [key for key in REQUIRED if key not in row]
    if missing:
        raise ToolError(f"{where} has no {missing[0]}")

    def want(keys, fits, wanted):
        for key in keys:
            if key in row and not fits(row[key]):
                raise ToolError(f"{where}: {key} is not {wanted}")

    want(TEXTS, lambda v: isinstance(v, str), "a text")
    want(COUNTS, is_count, "a count")
    want(NUMBERS, lambda v: v is None or is_number(v), "a number, or out of range")
    want(TABLES, lambda v: v is None or isinstance(v, dict), "an object")
    want(("nx", "ny", "nz"), lambda v: v > 0, "above 0")
    for table, keys in TABLE_NUMBERS.items():
        content = row.get(table) or {}
        for key in keys:
            if not (content.get(key) is None or is_number(content[key])):
                raise ToolError(f"{where}: {table}.{key} is not a number, or out of range")
    for table, keys in TABLE_TEXTS.items():
        for key in keys:
            if not isinstance((row.get(table) or {}).get(key) or "", str):
                raise ToolError(f"{where}: {table}.{key} is not a text")
    columns = (row.get("published") or {}).get("columns") or []
    if not (isinstance(columns, list) and all(map(is_column, columns))):
        raise ToolError(f"{where}: published.columns is not a list of columns")
    check_parallel(row.get("parallel") or {}, where)
    tile = (row.get("resources") or {}).get("tile")
    if not (tile is None or isinstance(tile, list) and all(map(is_count, tile))):
        raise ToolError(f"{where}: resources.tile is not a list of counts")
    want(["samples_s"], lambda v: isinstance(v, list) and all(is_number(s) and s > 0 for s in v),
         "a list of times")
    want(["gcell_per_s"], lambda v: v is None or isinstance(v, dict) and all(
        is_number(v.get(key)) and v[key] > 0 for key in ("min", "median", "max")),
         "min, median and max above 0")


def check_parallel(parallel: dict, where: str) -> None:
    """The same of what the ranks of a row were."""
    def want(key, fits, wanted):
        if key in parallel and not fits(parallel[key]):
            raise ToolError(f"{where}: parallel.{key} is not {wanted}")

    want("ranks", lambda v: is_count(v) and v > 0, "a number of ranks")
    want("rank_grid", lambda v: isinstance(v, list) and len(v) == 3 and all(map(is_count, v)),
         "three counts")
    want("imbalance", is_number, "a number")
    want("transport", lambda v: v is None or isinstance(v, str), "a text")
    want("overlap", lambda v: v is None or isinstance(v, bool), "true or false")
    want("exchange_hidden_s", lambda v: v is None or (
        isinstance(v, list) and v and all(map(is_number, v))), "a list of times")
