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
         "reason")
COUNTS = ("nx", "ny", "nz", "steps", "steps_per_sample", "temporal_depth")
NUMBERS = ("iqr_s", "effective_gb_per_s", "fraction_of_copy", "fraction_of_update", "gflop_per_s",
           "flop_per_byte", "roofline_gflop_per_s", "fraction_of_roofline", "moved_bytes_per_cell",
           "fraction_at_moved")
TABLES = ("resources", "predicted", "counters", "published")


def is_number(value) -> bool:
    """A JSON number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_count(value) -> bool:
    """A whole number, 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


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
    for part in ("streams", "roofline"):
        for key in ("copy", "gb_per_s", "l2_gb_per_s", "peak_gflop_per_s"):
            value = (content.get(part) or {}).get(key)
            if value is not None and not is_number(value):
                raise ToolError(f"{path}: {part}.{key} is not a number")
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
    want(NUMBERS, lambda v: v is None or is_number(v), "a number")
    want(TABLES, lambda v: v is None or isinstance(v, dict), "an object")
    want(["samples_s"], lambda v: isinstance(v, list) and all(is_number(s) and s > 0 for s in v),
         "a list of times")
    want(["gcell_per_s"], lambda v: v is None or isinstance(v, dict) and all(
        is_number(v.get(key)) for key in ("min", "median", "max")), "min, median and max")
