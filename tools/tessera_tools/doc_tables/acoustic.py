# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/performance/acoustic.md."""

from .cells import device, full_name, name, number, percent, rate, ratio, text
from .data import Pick, lookup, speed
from .table import Each, Table

SEVEN = {"decomposition": "seven"}
H100 = "nvidia-h100/sai-table2-steps20.csv"
H200 = "nvidia-h200/sai-table2-steps20.json"


def moved(rows, values):
    """Counted bytes of device memory at the row's own rate, GB/s."""
    count = lookup(rows["best"], "counters.dram_bytes_per_cell")
    value = count * speed(rows["best"]) if count else None
    return (f"{value:.0f}", value) if value else ("", None)


# The line's values: the file, the tile, the decomposition.
ROOFLINE = [
    {"file": f"nvidia-{gpu}/{file}.json", "decomposition": how, "tile": tile}
    for gpu, file, how, tile in (
        ("h100", "roofline-steps100", "single", "128x8*"),
        ("h100", "roofline-steps100", "single", "64x16*"),
        ("h100", "roofline-steps100", "seven_concurrent", "128x8*"),
        ("h100", "sai-table2-steps100", "seven", "128x8*"),
        ("h200", "roofline-steps100", "single", "64x16*"),
        ("h200", "roofline-steps100", "single", "128x8*"),
        ("h200", "roofline-steps100-concurrent", "seven_concurrent", "128x8*"),
        ("h200", "sai-table2-steps20", "seven", "128x8*"),
    )
]

HOSTS = [
    {"machine": machine, "file": f"host/{file}.json", "variant": f"acoustic/{variant}"}
    for machine, file, variants in (
        ("EPYC, AVX2", "host-inner-512-avx2", ("jam", "gmem", "naive")),
        ("Xeon, AVX-512", "host-inner-512-avx512", ("jam", "gmem", "naive")),
        ("EPYC, AVX-512", "host-inner-512-2", ("gmem", "st_reg_fixed", "naive")),
        ("EPYC, AVX-512, 256³", "host-inner-256-1", ("gmem", "st_reg_fixed", "naive")),
    )
    for variant in variants
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
        name="acoustic-jam",
        lines=[{"gpu": gpu, "title": title, "variant": variant}
               for gpu, title in (("h100", "H100"), ("h200", "H200"))
               for variant in ("jam", "naive")],
        picks={"best": Pick("nvidia-{gpu}/jam-steps20.json", "acoustic/{variant}", SEVEN),
               "naive": Pick("nvidia-{gpu}/jam-steps20.json", "acoustic/naive", SEVEN)},
        captions=("best",),
        columns=(("", text("{title}")), ("variant", name("best")), ("GCell/s", rate("best")),
                 ("% of copy", percent("best", "fraction_of_copy")),
                 ("x `naive`", ratio("best", "naive"))),
    ),
    Table(
        name="acoustic-roofline",
        lines=ROOFLINE,
        picks={"best": Pick("{file}", "acoustic/st_async:{tile}",
                            {"decomposition": "{decomposition}"})},
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
        lines=HOSTS,
        picks={"best": Pick("{file}", "{variant}"), "naive": Pick("{file}", "acoustic/naive")},
        columns=(
            ("machine", text("{machine}")),
            ("variant", full_name("best")),
            ("x `naive`", ratio("best", "naive")),
            ("GCell/s", rate("best")),
            ("% of update", percent("best", "fraction_of_update")),
            ("% of copy", percent("best", "fraction_of_copy")),
        ),
    ),
)
