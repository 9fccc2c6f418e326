# SPDX-License-Identifier: Apache-2.0
"""The table of what each kernel takes: named, sorted, written, judged, set beside a paper's."""

from __future__ import annotations

import csv
import fnmatch
import re
import sys

from .columns import print_columns
from .errors import ToolError
from .published import Published
from .resource_reports import CUDA_COLUMNS, HIP_COLUMNS, NAME_COLUMNS

# Kernels that may spill: compiler, glob over "variant:tile precision update", and why.
CAPPED = "64 registers for 1024 threads, as in the paper"
EXCEPTIONS = [
    *(("cuda", f"acoustic/st_reg_*:{tile} *", CAPPED) for tile in ("32x32", "16x64", "64x16")),
    ("cuda", "ete/scatter:32x8 double 73pt", "128 registers for two teams, coeff=ro: 16 bytes"),
]

REGISTERS = {"hip": "vgprs", "cuda": "registers"}
MUST_BE_ZERO = {
    "hip": ["vgpr_spills", "scratch_bytes_per_lane"],
    "cuda": ["stack_bytes", "spill_store_bytes", "spill_load_bytes"],
}


def row_name(row):
    """What exceptions are matched with, and messages say."""
    words = (row["precision"], row["stencil"].split("/")[-1], row["update"])
    return " ".join([f"{row['variant']}:{row['tile']}", *filter(None, words)])


def sort_key(row):
    tile = tuple(int(n) for n in re.findall(r"\d+", row["tile"]))
    return (row["variant"], row["kernel"], tile, row["stencil"], row["other"], row["precision"],
            row["update"])


def in_memory(kind, row):
    """What a kernel keeps in memory that should be in registers: {column: number}."""
    return {c: row[c] for c in MUST_BE_ZERO[kind] if row.get(c, 0) > 0}


def excuse(kind, row):
    """Why the kernel may spill, or None."""
    return next((reason for compiler, pattern, reason in EXCEPTIONS
                 if compiler == kind and fnmatch.fnmatchcase(row_name(row), pattern)), None)


def write_table(kind, rows, output):
    columns = NAME_COLUMNS + list(HIP_COLUMNS if kind == "hip" else CUDA_COLUMNS)
    writer = csv.DictWriter(output, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def print_published(rows, published: Published):
    """Each published kernel beside ours of the same name, stencil and precision (float where the
    table does not say). What else a kernel of ours is compiled for follows its name."""
    heads = ["kernel", *[head for c in published.columns for head in ("here", c["title"])]]
    lines = []
    for other in published.rows:
        for row in rows:
            mine = f"{row['variant']}:{row['tile']}"
            if (mine, row["stencil"], row["precision"]) == (other["name"], other.get("stencil", ""),
                                                            other.get("precision", "float")):
                pairs = [(row.get(c["quantity"], "-"), value)
                         for c, value in zip(published.columns, other["values"])]
                label = (mine, row["stencil"].split("/")[-1], row["precision"], row["other"])
                lines.append([" ".join(filter(None, label)),
                              *[str(n) for pair in pairs for n in pair]])
    if not lines:
        raise ToolError(f"none of the kernels of {published.source} was compiled")
    print(f"beside {published.source}:")
    print_columns(heads, lines, rule=False)


def summarise(kind, rows):
    """Prints a line a variant, and one for each kernel that spills; the exit status."""
    status = 0
    register = REGISTERS[kind]
    for variant in sorted({row["variant"] for row in rows}):
        mine = [row for row in rows if row["variant"] == variant]
        most = max(row.get(register, 0) for row in mine)
        line = f"{variant}: {len(mine)} kernels, at most {most} {register}"
        if kind == "hip":
            least = min(mine, key=lambda row: row.get("waves_per_simd", 0))
            line += f", at least {least.get('waves_per_simd')} waves/SIMD ({row_name(least)})"
        print(line, file=sys.stderr)
        excused = {}
        for row in [row for row in mine if in_memory(kind, row)]:
            if reason := excuse(kind, row):
                excused[reason] = excused.get(reason, 0) + 1
            else:
                status = 1
                numbers = ", ".join(f"{n} {column}" for column, n in in_memory(kind, row).items())
                print(f"{row_name(row)}: {numbers}", file=sys.stderr)
        for reason, count in excused.items():
            print(f"{variant}: {count} kernels may spill: {reason}", file=sys.stderr)
    return status
