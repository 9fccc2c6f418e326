# SPDX-License-Identifier: Apache-2.0
"""Counters of kernels as the counters of a result file's rows: summed, and merged into it."""

from __future__ import annotations

from pathlib import Path

from . import counter_formats as formats
from . import results
from .errors import ToolError
from .files import write_whole
from .kernel_names import functor
from .result_text import text_of
from .results import ResultFile, Row


def identity(row: Row) -> tuple:
    """What a row of counters is found by: counted may be a smaller case."""
    return (row.stencil, row.model, row.variant, row.configuration, row.decomposition,
            row.precision)


def row_label(row: Row, rows=()) -> str:
    """As tables write it; with its stencil where `rows` are of several."""
    several = len({other.stencil for other in rows}) > 1
    stencil = f" {row.point}" if several else ""
    return f"{row.name}{stencil} {row.decomposition}".strip()


def profiled_rows(file: ResultFile) -> list[Row]:
    """The rows that ran between marks, in their order."""
    rows = results.select(file.rows, status="unverified")
    if not rows:
        raise ToolError(f"{file.path}: nothing ran for a profiler (tessera run DECK --profile)")
    for row in rows:
        if row.cells * row.steps == 0:
            raise ToolError(f"{file.path}: {row.name} ran no steps")
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
        raise ToolError(f"{len(parts)} pairs of marks for {len(rows)} profiled rows: were the "
                        "kernels ProfileBegin and ProfileEnd left out by a filter?")
    return parts


def sum_kernels(kernels):
    """Totals over all kernels, and over those of each name."""
    totals, by_name = {}, {}
    for kernel in kernels:
        mine = by_name.setdefault(functor(kernel["name"]), {"launches": 0})
        mine["launches"] += 1
        for key, value in kernel.items():
            if key in formats.VOLUMES or key in formats.INSTRUCTIONS or key == "seconds":
                totals[key] = totals.get(key, 0.0) + value
                mine[key] = mine.get(key, 0.0) + value
            elif key in formats.STATES:
                mine[key] = max(mine.get(key, 0.0), value)
    return totals, by_name


def counters_of(case, totals, by_name, source):
    """The `counters` of a result row: volumes a cell and step of `case`, with nx, ny, nz, steps."""
    updates = case["nx"] * case["ny"] * case["nz"] * case["steps"]
    out = {"profiler": source, **{key: case[key] for key in ("nx", "ny", "nz", "steps")}}
    for level in ("dram", "l2", "l1"):
        both = [totals.get(f"{level}_{way}_bytes") for way in ("read", "write")]
        for way, value in zip(("read", "write"), both):
            if value is not None:
                out[f"{level}_{way}_bytes_per_cell"] = value / updates
        if None not in both:
            out[f"{level}_bytes_per_cell"] = sum(both) / updates
            if level == "dram" and both[1]:
                out["read_write_ratio"] = both[0] / both[1]
    instructions = [totals[key] for key in formats.INSTRUCTIONS[:-1] if key in totals]
    if instructions and totals.get("waves"):
        out["scratch_instructions_per_wave"] = sum(instructions) / totals["waves"]
    if "seconds" in totals:
        out["step_s"] = totals["seconds"] / case["steps"]
    if by_name:
        # What occupancy and registers are said of: the kernel that takes longest.
        longest = max(by_name.values(), key=lambda kernel: kernel.get("seconds", 0.0))
        out.update({key: longest[key] for key in formats.STATES if key in longest})
        out["kernels"] = [{"name": name, **values} for name, values in sorted(by_name.items())]
    return out


def add_rooflines(row: Row, counters: dict) -> None:
    """Intensities by measured bytes, and where the row's rate stands below the roofs."""
    gflops = row.record.get("gflop_per_s")
    if not row.valid or not gflops or not row.rate:
        return
    roofline = row.file.roofline
    if counters.get("dram_bytes_per_cell"):
        counters["achieved_gb_per_s"] = counters["dram_bytes_per_cell"] * row.rate
    for level, bandwidth in (("dram", "gb_per_s"), ("l2", "l2_gb_per_s")):
        if not counters.get(f"{level}_bytes_per_cell"):
            continue
        intensity = gflops / row.rate / counters[f"{level}_bytes_per_cell"]
        counters[f"{level}_flop_per_byte"] = intensity
        if roofline.get(bandwidth) and roofline.get("peak_gflop_per_s"):
            roof = min(roofline["peak_gflop_per_s"], intensity * roofline[bandwidth])
            counters[f"{level}_roofline_gflop_per_s"] = roof
            counters[f"{level}_fraction_of_roofline"] = gflops / roof


def merge(rows: list[Row], path: Path) -> list[Row]:
    """Puts the counters into the rows of a result file; the rows that took them."""
    file = results.read(path)
    counted = {identity(row): row.counters for row in rows}
    taken = [row for row in file.rows if identity(row) in counted]
    if not taken:
        raise ToolError(f"{path}: has none of the configurations that were profiled, such as "
                        f"{row_label(rows[0])} in {rows[0].precision}")
    for row in taken:
        row.record["counters"] = dict(counted[identity(row)])
        add_rooflines(row, row.counters)
    write_whole(path, text_of(file.content) + "\n")
    return taken
