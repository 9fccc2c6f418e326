# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/performance/acoustic.md."""

from .cells import device, full_name, name, number, percent, rate, ratio, text
from .data import HOSTS, Pick, lookup, speed
from .table import Each, Table

SEVEN = {"decomposition": "seven"}
H100 = "nvidia-h100/acoustic-gpu.json"
H200 = "nvidia-h200/acoustic-gpu.json"


def moved(rows, values):
    """Counted bytes of device memory at the row's own rate, GB/s."""
    count = lookup(rows["best"], "counters.dram_bytes_per_cell")
    value = count * speed(rows["best"]) if count else None
    return (f"{value:.0f}", value) if value else ("", None)


# The line's values: the file and the decomposition.
ROOFLINE = [
    {"file": f"nvidia-{gpu}/{file}-gpu.json", "decomposition": how}
    for gpu in ("h100", "h200")
    for file, how in (("acoustic-regions", "single"), ("acoustic-regions", "seven_concurrent"),
                      ("acoustic", "seven"))
]

ON_HOSTS = [
    {"machine": machine, "file": f"{folder}/acoustic-cpu.json", "variant": f"acoustic/{variant}"}
    for machine, folder in HOSTS
    for variant in ("jam", "gmem", "st_reg_fixed", "naive_simd", "naive")
]

TABLES = (
    Table(
        name="acoustic-variants",
        lines=Each(Pick(H200, "acoustic/*", SEVEN)),
        picks={"H200": Pick(H200, "{variant}:{configuration}", SEVEN),
               "H100": Pick(H100, "{variant}:{configuration}", SEVEN),
               "H200 naive": Pick(H200, "acoustic/naive", SEVEN),
               "H100 naive": Pick(H100, "acoustic/naive", SEVEN)},
        columns=(
            ("best of each variant on an H200", name("H200")),
            *(column for gpu in ("H100", "H200") for column in (
                (f"{gpu}: GCell/s", rate(gpu)),
                ("% of copy", percent(gpu, "fraction_of_copy")),
                ("x `naive`", ratio(gpu, f"{gpu} naive")))),
            ("memory B/cell", number("H200", "counters.dram_bytes_per_cell", "{:.1f}")),
            ("L2 B/cell", number("H200", "counters.l2_bytes_per_cell", "{:.1f}")),
            ("registers", number("H200", "counters.registers")),
            ("warps resident, %", percent("H200", "counters.achieved_occupancy")),
        ),
        extra="decomposition `seven`",
    ),
    Table(
        name="acoustic-roofline",
        lines=ROOFLINE,
        picks={"best": Pick("{file}", "acoustic/st_async", {"decomposition": "{decomposition}"})},
        columns=(
            ("device", device("best")),
            ("configuration", name("best")),
            ("regions", text("`{decomposition}`")),
            ("GCell/s", rate("best")),
            ("% of copy", percent("best", "fraction_of_copy")),
            ("% of update", percent("best", "fraction_of_update")),
            ("least B/cell", number("best", "predicted.bytes_per_cell", "{:.1f}")),
            ("memory B/cell", number("best", "counters.dram_bytes_per_cell", "{:.1f}")),
            ("GB/s moved", moved),
        ),
        absent="not counted",
    ),
    Table(
        name="acoustic-hosts",
        lines=ON_HOSTS,
        picks={"best": Pick("{file}", "{variant}", SEVEN),
               "plain": Pick("{file}", "acoustic/naive_simd", SEVEN)},
        columns=(
            ("machine", text("{machine}")),
            ("variant", full_name("best")),
            ("x `naive_simd`", ratio("best", "plain")),
            ("GCell/s", rate("best")),
            ("% of update", percent("best", "fraction_of_update")),
            ("% of copy", percent("best", "fraction_of_copy")),
        ),
    ),
)
