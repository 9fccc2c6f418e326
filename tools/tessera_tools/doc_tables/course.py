# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/course.md: a lesson each, its variants against the lesson's own baseline."""

from .cells import name, number, percent, rate, ratio
from .data import HOSTS, Pick
from .table import Table

ACOUSTIC = "nvidia-h100/acoustic-gpu.json"
SEVEN = {"decomposition": "seven"}
ON_A_HOST = f"{HOSTS[0][1]}/acoustic-cpu.json"


def lesson(number_of, base, *variants, file=ACOUSTIC, where=None, more=()):
    """A line a variant: rate, share of the copy bandwidth, times the lesson's baseline."""
    conditions = SEVEN if where is None else where
    return Table(
        name=f"course-{number_of}",
        lines=[{"variant": variant} for variant in variants],
        picks={"it": Pick(file, "{variant}", conditions), "base": Pick(file, base, conditions)},
        captions=("it",),
        columns=(("", name("it")), ("GCell/s", rate("it")),
                 ("% of copy", percent("it", "fraction_of_copy")),
                 (f"x `{base.split('/')[1]}`", ratio("it", "base")), *more))


TABLES = (
    lesson(1, "acoustic/naive", "acoustic/naive"),
    lesson(2, "acoustic/naive", "acoustic/naive", "acoustic/naive_simd", "acoustic/gmem",
           file=ON_A_HOST),
    lesson(3, "acoustic/gmem:32x4x4", "acoustic/gmem:32x4x4", "acoustic/gmem:8x8x8",
           "acoustic/gmem:1x32x32"),
    lesson(4, "acoustic/gmem:8x8x8", "acoustic/gmem:8x8x8", "acoustic/smem_u:8x8x8",
           "acoustic/smem_eta_1:8x8x8"),
    lesson(5, "acoustic/st_smem", "acoustic/st_smem", "acoustic/st_reg_shft",
           "acoustic/st_reg_fixed"),
    lesson(6, "acoustic/st_reg_fixed", "acoustic/st_reg_fixed", "acoustic/st_async"),
    lesson(7, "low_order/baseline", "low_order/baseline", "low_order/zblock", "low_order/zvector",
           file="nvidia-h100/low-order-gpu.json", where={"stencil": "low_order/7pt-1"},
           more=(("predicted GCell/s", number("it", "predicted.gcell_per_s", "{:.1f}")),)),
    lesson(8, "jacobi/step", "jacobi/step", "jacobi/overlapped", "jacobi/warps",
           file="nvidia-h100/jacobi-2d-gpu.json", where={"stencil": "jacobi/j2d5pt"},
           more=(("steps a pass", number("it", "temporal_depth")),)),
)
