# SPDX-License-Identifier: Apache-2.0
"""Counters of kernels as counters of a result file's rows: summed, merged, printed."""

import json
import os
from pathlib import Path

import counter_formats as formats
from counter_formats import CounterError

# What a row of counters is found by.
IDENTITY = ("stencil", "variant", "configuration", "decomposition", "precision")


def row_name(row, rows=()):
    """As tables write it; with its stencil where `rows` are of several."""
    several = len({other["stencil"] for other in rows}) > 1
    stencil = f" {row['stencil'].split('/')[-1]}" if several else ""
    return f"{row['variant']}:{row['configuration']}{stencil} {row['decomposition']}".strip()


def read_json(path):
    """A result file."""
    try:
        file = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CounterError(f"{path}: cannot be read as JSON: {error}") from None
    if not isinstance(file, dict) or file.get("schema") != "tessera-result-1":
        raise CounterError(f"{path}: is not a result file (tessera-result-1)")
    return file


def profiled_rows(file, path):
    """The rows that ran between marks, in their order."""
    rows = [row for row in file["results"] if row["status"] == "unverified"]
    if not rows:
        raise CounterError(f"{path}: nothing ran for a profiler (tessera run DECK --profile)")
    return rows


def split_by_marks(kernels, rows):
    """The kernels of each row: those between its two marks."""
    parts, inside = [], None
    for kernel in kernels:
        if "ProfileBegin" in kernel["name"]:
            inside = []
        elif "ProfileEnd" in kernel["name"] and inside is not None:
            parts.append(inside)
            inside = None
        elif inside is not None:
            inside.append(kernel)
    if len(parts) != len(rows):
        raise CounterError(f"{len(parts)} pairs of marks for {len(rows)} profiled rows: were the "
                           "kernels ProfileBegin and ProfileEnd left out by a filter?")
    return parts


def sum_kernels(kernels):
    """Totals over all kernels, and over those of each name."""
    totals, by_name = {}, {}
    for kernel in kernels:
        mine = by_name.setdefault(formats.functor(kernel["name"]), {"launches": 0})
        mine["launches"] += 1
        for key, value in kernel.items():
            if key in formats.VOLUMES or key == "seconds":
                totals[key] = totals.get(key, 0.0) + value
                mine[key] = mine.get(key, 0.0) + value
            elif key in formats.STATES:
                mine[key] = max(mine.get(key, 0.0), value)
    return totals, by_name


def counters_of(row, totals, by_name, source):
    """The `counters` of a result row: volumes a cell and step."""
    updates = row["nx"] * row["ny"] * row["nz"] * row["steps"]
    out = {"profiler": source, "nx": row["nx"], "ny": row["ny"], "nz": row["nz"],
           "steps": row["steps"]}
    for level in ("dram", "l2", "l1"):
        both = [totals.get(f"{level}_{way}_bytes") for way in ("read", "write")]
        for way, value in zip(("read", "write"), both):
            if value is not None:
                out[f"{level}_{way}_bytes_per_cell"] = value / updates
        if None not in both:
            out[f"{level}_bytes_per_cell"] = sum(both) / updates
            if level == "dram" and both[1]:
                out["read_write_ratio"] = both[0] / both[1]
    if "seconds" in totals:
        out["step_s"] = totals["seconds"] / row["steps"]
    if by_name:
        # What occupancy and registers are said of: the kernel that takes longest.
        longest = max(by_name.values(), key=lambda kernel: kernel.get("seconds", 0.0))
        out.update({key: longest[key] for key in formats.STATES if key in longest})
        out["kernels"] = [{"name": name, **values} for name, values in sorted(by_name.items())]
    return out


def add_rooflines(row, counters, roofline):
    """Intensities by measured bytes, and where the row's rate stands below the roofs."""
    if row["status"] != "valid" or not row.get("gflop_per_s"):
        return
    flops = row["gflop_per_s"] / row["gcell_per_s"]["median"]
    roofline = roofline or {}
    if counters.get("dram_bytes_per_cell"):
        counters["achieved_gb_per_s"] = (counters["dram_bytes_per_cell"]
                                         * row["gcell_per_s"]["median"])
    for level, bandwidth in (("dram", "gb_per_s"), ("l2", "l2_gb_per_s")):
        if not counters.get(f"{level}_bytes_per_cell"):
            continue
        intensity = flops / counters[f"{level}_bytes_per_cell"]
        counters[f"{level}_flop_per_byte"] = intensity
        if roofline.get(bandwidth):
            roof = min(roofline["peak_gflop_per_s"], intensity * roofline[bandwidth])
            counters[f"{level}_roofline_gflop_per_s"] = roof
            counters[f"{level}_fraction_of_roofline"] = row["gflop_per_s"] / roof


def merge(rows, path):
    """Puts the counters into the rows of a result file; the rows that took them."""
    file = read_json(path)
    counted = {tuple(row[key] for key in IDENTITY): row["counters"] for row in rows}
    taken = []
    for row in file["results"]:
        counters = counted.get(tuple(row[key] for key in IDENTITY))
        if counters is not None:
            row["counters"] = dict(counters)
            add_rooflines(row, row["counters"], file.get("roofline"))
            taken.append(row)
    if not taken:
        raise CounterError(f"{path}: has none of the configurations that were profiled, such as "
                           f"{row_name(rows[0])} in {rows[0]['precision']}")
    # Whole or not at all, as tessera writes it.
    part = Path(f"{path}.part")
    part.write_text(json.dumps(file, indent=2) + "\n", encoding="utf-8")
    os.replace(part, path)
    return taken


def number(value, digits=1, factor=1):
    """A figure, or a dash."""
    return "-" if value is None else f"{value * factor:.{digits}f}"


def print_columns(heads, lines):
    """Names to the left, figures to the right."""
    widths = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(heads))]
    for k, line in enumerate([heads, *lines]):
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))).rstrip())
        if k == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))


def print_volumes(rows):
    """Measured volumes beside the least and those that the plans ask of the caches."""
    lines = []
    for row in rows:
        plan, c = row["resources"], row["counters"]
        size = 4 if row["precision"] == "float" else 8
        asked = plan["loads_per_cell"] + plan["stores_per_cell"]
        least = plan["minimal_elements_per_cell"] * size
        dram = c.get("dram_bytes_per_cell")
        lines.append([row_name(row, rows), number(least), number(c.get("dram_read_bytes_per_cell")),
                      number(c.get("dram_write_bytes_per_cell")), number(dram),
                      number(dram / least if dram and least else None, 2), number(asked * size),
                      number(c.get("l2_read_bytes_per_cell")),
                      number(c.get("l2_write_bytes_per_cell")),
                      number(c.get("l2_bytes_per_cell")), number(c.get("registers"), 0),
                      number(c.get("achieved_warps")),
                      number(c.get("achieved_occupancy"), 1, 100)])
    print("bytes a cell and step; least: compulsory; asked: loads and stores of the plan, of which\n"
          "caches save some; registers and warps of the kernel that takes longest")
    print_columns(["variant:configuration", "least", "DRAM read", "write", "both", "/ least",
                   "asked", "L2 read", "write", "both", "registers", "warps", "%"], lines)


def print_busy(rows):
    """What each kernel keeps busy, and so what it waits for; nothing where nobody counted it."""
    lines = []
    for row in rows:
        c = row["counters"]
        if any(key in c for key in formats.BUSY):
            lines.append([row_name(row, rows), number(c.get("read_write_ratio"), 3),
                          number(c.get("l1_bytes_per_cell")),
                          *[number(c.get(key), 1, 100) for key in formats.BUSY],
                          number(c.get("achieved_occupancy"), 1, 100)])
    if lines:
        print("\n% of each unit's peak that the longest kernel sustained; R/W: DRAM bytes read over "
              "written")
        print_columns(["variant:configuration", "R/W", "L1 B/cell", "DRAM", "L2", "L1", "issue",
                       "warps"], lines)


def print_published(rows):
    """Each published figure beside the one measured here."""
    lines = []
    for row in rows:
        for column in row.get("published", {}).get("columns", []):
            here = row
            for key in column["quantity"].split("."):
                here = here.get(key) if isinstance(here, dict) else None
            if isinstance(here, dict):
                here = here.get("median")
            if here is None:
                continue
            percent = "fraction" in column["quantity"] or "occupancy" in column["quantity"]
            scale = 100 if percent else 1
            lines.append([row_name(row, rows), column["label"], number(here, 2, scale),
                          number(column["value"], 2, scale), column["title"]])
    if lines:
        print(f"\nbeside {rows[0]['published'].get('source', 'what was published')}:"
              if rows[0].get("published") else "\nbeside what was published:")
        print_columns(["variant:configuration", "quantity", "here", "published", "of"], lines)
