# SPDX-License-Identifier: Apache-2.0
"""What likwid-perfctr writes: data volumes of a whole process."""

from __future__ import annotations

import csv

from .counter_formats import number, read_lines
from .errors import ToolError

# A LIKWID metric's name begins so, in its groups MEM (or MEM_SP, MEM_DP) and L2.
METRICS = {
    "Memory read data volume": "dram_read_bytes",
    "Memory load data volume": "dram_read_bytes",
    "Memory write data volume": "dram_write_bytes",
    "Memory evict data volume": "dram_write_bytes",
    "L2D load data volume": "l2_read_bytes",
    "L2D evict data volume": "l2_write_bytes",
}


def command(raw, inner):
    """Whole process, all the cores that it may use."""
    return ["likwid-perfctr", "-f", "-g", "MEM", "-O", "-o", str(raw), *inner]


def read(path):
    """Volumes of the whole process in bytes, from likwid-perfctr -O: metrics a line, a column a
    core; with more than one core there is a table of statistics whose first column is the sum."""
    found, inside = {}, ""
    for cells in csv.reader(read_lines(path)):
        if cells and cells[0] == "TABLE":
            inside = cells[1] if len(cells) > 1 else ""
            continue
        for words, word in METRICS.items():
            if not cells or not cells[0].startswith(words) or "[GBytes]" not in cells[0]:
                continue
            values = [number(cell, f"{path}: {cells[0]}") for cell in cells[1:] if cell]
            total = cells[0].rstrip().endswith("STAT") or "STAT" in inside
            if values and (total or word not in found):
                # Memory controllers are a socket's: only one core of it shows other than 0.
                found[word] = 1e9 * (values[0] if total else sum(values))
    if not found:
        raise ToolError(f"{path}: no data volumes of likwid-perfctr -g MEM -O")
    return found


def difference(more, less):
    """Volumes of the steps that one run has above the other."""
    out = {word: value - less.get(word, 0.0) for word, value in more.items()}
    if min(out.values()) < 0:
        raise ToolError("the run with more steps moved less: other load, or too few steps")
    return out
