# SPDX-License-Identifier: Apache-2.0
"""EBISU's attainable performance, (2) to (7), of a row: from the machine that its file describes.

A share of it is a share of what the hardware can do, as in the paper, whose scratch gives what its
lanes can load at the GPU's highest clock (19.49 TB/s on an A100): no measured rate can pass it.
"""

from __future__ import annotations

# Bytes that a multiprocessor loads from scratch a cycle, by NVIDIA's and AMD's manuals.
SCRATCH_BYTES_A_CYCLE = 128
BYTES = {"double": 8, "float": 4}


def attainable(row) -> float | None:
    """GCell/s, the least of what memory, scratch (of devices) and arithmetic allow; None where the
    file has no measured roofs, or the row no plan to hold against them."""
    roofs, plan = row.file.roofline, row.resources
    if not roofs or not plan.get("flops_per_cell"):
        return None
    size, bounds = BYTES[row.precision], [roofs["peak_gflop_per_s"] / plan["flops_per_cell"]]
    # A pass reads and writes each cell once; what tiles read or make twice is the overhead V.
    bounds.append(roofs["gb_per_s"] * row.temporal_depth / (2 * size))
    accesses = (row.predicted.get("valid_share") or 1.0) * (
        plan.get("scratch_loads_per_cell", 0) + plan.get("scratch_stores_per_cell", 0))
    device = row.file.machine.get("device_properties") or {}
    scratch = device.get("units", 0) * device.get("clock_ghz", 0) * SCRATCH_BYTES_A_CYCLE  # GB/s
    if scratch and accesses:
        bounds.append(scratch / (accesses * size))
    return min(bounds)


def share_of(row) -> float | None:
    """The row's rate over what is attainable."""
    most = attainable(row)
    return row.rate / most if most and row.rate else None
