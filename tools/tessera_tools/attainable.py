# SPDX-License-Identifier: Apache-2.0
"""EBISU's attainable performance, (2) to (7), of a row: from the machine that its file describes.

A share of it is a share of what the hardware can do, as in the paper, whose scratch gives what its
lanes can load at the GPU's highest clock (19.49 TB/s on an A100): no measured rate can pass it.
"""

from __future__ import annotations

from dataclasses import dataclass

# Bytes that a multiprocessor loads from scratch a cycle, by NVIDIA's and AMD's manuals.
SCRATCH_BYTES_A_CYCLE = 128
BYTES = {"double": 8, "float": 4}


@dataclass(frozen=True)
class Bounds:
    """GCell/s by what each allows; infinite where a row does not use it or nothing is known."""

    memory: float
    scratch: float
    arithmetic: float

    @property
    def attainable(self) -> float:
        return min(self.memory, self.scratch, self.arithmetic)

    @property
    def binding(self) -> str:
        return min(("memory", "scratch", "arithmetic"), key=lambda name: getattr(self, name))


def scratch_gb_per_s(file) -> float | None:
    """What all scratch of a file's device gives; None on hosts and where the file does not say."""
    properties = file.machine.get("device_properties") or {}
    units, clock = properties.get("units"), properties.get("clock_ghz")
    return units * clock * SCRATCH_BYTES_A_CYCLE if units and clock else None


def bounds_of(row) -> Bounds | None:
    """None where the file has no measured roofs, or the row no plan to hold against them."""
    roofs, plan = row.file.roofline, row.record.get("resources") or {}
    peak, flops = roofs.get("peak_gflop_per_s"), plan.get("flops_per_cell")
    if not roofs.get("gb_per_s") or not peak or not flops:
        return None
    size = BYTES[row.precision]
    # A pass reads and writes each cell once; what tiles read or make twice is the overhead V.
    memory = roofs["gb_per_s"] * row.temporal_depth / (2 * size)
    valid = row.predicted.get("valid_share") or 1.0
    accesses = valid * ((plan.get("scratch_loads_per_cell") or 0)
                        + (plan.get("scratch_stores_per_cell") or 0))
    scratch = scratch_gb_per_s(row.file)
    return Bounds(memory, scratch / (accesses * size) if scratch and accesses else float("inf"),
                  peak / flops)


def share_of(row) -> float | None:
    """The row's rate over what is attainable."""
    bounds = bounds_of(row)
    return row.rate / bounds.attainable if bounds and row.rate else None
