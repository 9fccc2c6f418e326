# SPDX-License-Identifier: Apache-2.0
"""What was counted, as text: volumes, how busy units were, what a paper printed of the same."""

from __future__ import annotations

from . import counter_formats as formats
from .columns import figure, print_columns
from .counter_rows import row_label
from .results import Row
from .schemas import is_number


def print_volumes(rows: list[Row]) -> None:
    """Measured volumes beside the least and those that the plans ask of the caches."""
    lines = []
    for row in rows:
        c = row.counters
        size = 4 if row.precision == "float" else 8
        asked = row.number("resources.loads_per_cell") + row.number("resources.stores_per_cell")
        least = row.number("resources.minimal_elements_per_cell") * size
        dram = c.get("dram_bytes_per_cell")
        lines.append([
            row_label(row, rows), figure(least), figure(c.get("dram_read_bytes_per_cell")),
            figure(c.get("dram_write_bytes_per_cell")), figure(dram),
            figure(dram / least if dram and least else None, 2), figure(asked * size),
            figure(c.get("l2_read_bytes_per_cell")), figure(c.get("l2_write_bytes_per_cell")),
            figure(c.get("l2_bytes_per_cell")), figure(c.get("registers"), 0),
            figure(c.get("achieved_warps")), figure(c.get("achieved_occupancy"), 1, 100)])
    print("bytes a cell and step; least: compulsory; asked: loads and stores of the plan, of which"
          "\ncaches save some; registers and warps of the kernel that takes longest")
    print_columns(["variant:configuration", "least", "DRAM read", "write", "both", "/ least",
                   "asked", "L2 read", "write", "both", "registers", "warps", "%"], lines)


def print_busy(rows: list[Row]) -> None:
    """What each kernel keeps busy, and so what it waits for; nothing where it was not counted."""
    lines = []
    for row in rows:
        c = row.counters
        if any(key in c for key in (*formats.BUSY, "scratch_instructions_per_wave")):
            lines.append([row_label(row, rows), figure(c.get("read_write_ratio"), 3),
                          figure(c.get("l1_bytes_per_cell")),
                          *[figure(c.get(key), 1, 100) for key in formats.BUSY],
                          figure(c.get("achieved_occupancy"), 1, 100),
                          figure(c.get("scratch_instructions_per_wave"))])
    if lines:
        print("\n% of each unit's peak that the longest kernel sustained; R/W: DRAM bytes read "
              "over written;\nscratch: instructions of a wave on shared memory or LDS")
        print_columns(["variant:configuration", "R/W", "L1 B/cell", "DRAM", "L2", "L1", "issue",
                       "warps", "scratch"], lines)


def print_published(rows: list[Row]) -> None:
    """Each published figure beside the one measured here."""
    lines, source = [], None
    for row in rows:
        for column in row.published.get("columns", []):
            quantity = column["quantity"]
            here = row.value(quantity)
            if isinstance(here, dict):
                here = here.get("median")
            if not is_number(here):
                continue
            scale = 100 if "fraction" in quantity or "occupancy" in quantity else 1
            lines.append([row_label(row, rows), column["label"], figure(here, 2, scale),
                          figure(column["value"], 2, scale), column["title"]])
            source = source or row.published.get("source")
    if lines:
        print(f"\nbeside {source or 'what was published'}:")
        print_columns(["variant:configuration", "quantity", "here", "published", "of"], lines)
