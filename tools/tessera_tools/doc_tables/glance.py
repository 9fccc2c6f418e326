# SPDX-License-Identifier: Apache-2.0
"""The README's table "performance at a glance", and what its plot shows."""

from __future__ import annotations

from dataclasses import dataclass

from .cells import date, deck, file, full_name, grid_of, rate, text
from .data import Data, Pick, lookup, speed
from .table import Table

# The share of a run's bound by its name; docs/performance/README.md says what they are.
BOUNDS = {"copy": "fraction_of_copy", "update": "fraction_of_update",
          "attainable": "predicted.fraction_of_attainable"}

MACHINES = {"h100": "H100", "h200": "H200", "avx2": "EPYC, AVX2, 2 cores",
            "avx512": "Xeon, AVX-512, 2 cores", "zen4": "EPYC, AVX-512, 2 cores"}


def line(machine, best, variant="*", stencil="*", decomposition="*", bound="copy", base=""):
    """A line: the best of `variant` in the file `best`, its baseline there or in `base`."""
    folder = f"nvidia-{machine}" if machine in ("h100", "h200") else "host"
    return {"machine": MACHINES[machine], "file": f"{folder}/{best}.json", "variant": variant,
            "stencil": stencil, "decomposition": decomposition, "bound": bound,
            "base file": f"{folder}/{base or best}.json"}


def with_baseline(family, baseline, *lines):
    """Lines of one family."""
    return [{**entry, "family": family, "baseline": f"{family}/{baseline}"} for entry in lines]


LINES = [
    *with_baseline(
        "acoustic", "naive",
        line("h100", "roofline-steps100", decomposition="single", base="sai-table2-steps100"),
        line("h200", "roofline-steps100", decomposition="single", base="sai-table2-steps20"),
        line("avx2", "host-inner-512-avx2", bound="update"),
        line("avx512", "host-inner-512-avx512", bound="update")),
    *with_baseline(
        "directional", "baseline",
        line("h100", "amd-directions-512", stencil="directional/xyz-r4"),
        line("h200", "amd-directions-512", stencil="directional/xyz-r4"),
        line("avx2", "amd-directions-512-avx2", bound="update"),
        line("avx512", "amd-directions-512-avx512", bound="update")),
    *with_baseline(
        "low_order", "baseline",
        line("h100", "low-order-7pt-1"),
        line("h200", "low-order-7pt-1")),
    *with_baseline(
        "ete", "base_simd",
        line("h100", "fang-37-random-float"),
        line("h200", "fang-37-random-float"),
        line("avx2", "fang-37-random-avx2", bound="update"),
        line("avx512", "fang-37-random-avx512", bound="update")),
    *with_baseline(
        "jacobi", "step",
        line("h100", "ebisu-j2d5pt", variant="warps", bound="attainable"),
        line("h200", "ebisu-j2d5pt", variant="warps", bound="attainable"),
        line("avx2", "ebisu-j2d5pt-avx2", variant="skewed", bound="attainable"),
        line("zen4", "ebisu-j2d5pt-zen4", variant="skewed", bound="attainable")),
]

PICKS = {
    "best": Pick("{file}", "{family}/{variant}",
                 {"stencil": "{stencil}", "decomposition": "{decomposition}"}),
    "baseline": Pick("{base file}", "{baseline}", {"stencil": "{stencil}"}),
}


def share(rows, values):
    """The share of the bound, with the bound's name."""
    value = 100 * lookup(rows["best"], BOUNDS[values["bound"]])
    return f"{value:.0f} % of {values['bound']}", value


def gain(rows, values):
    """Times the baseline; the file that it is from where that is another one."""
    best, baseline = rows["best"], rows["baseline"]
    if best["variant"] == baseline["variant"]:
        return f"is `{values['baseline'].split('/')[1]}`", None
    value = speed(best) / speed(baseline)
    other = "" if best["file"] == baseline["file"] else " ¹"
    return f"{value:.2f} x `{baseline['variant'].split('/')[1]}`{other}", value


def case(rows, values):
    """Stencil, cells and precision."""
    row = rows["best"]
    return f"{row['stencil'].split('/')[1]}, {grid_of(row)}, {row['precision']}", None


TABLES = (
    Table(
        name="glance",
        lines=LINES,
        picks=PICKS,
        captions=None,
        extra="¹ The baseline is of another run on that machine, with seven regions.",
        columns=(("machine", text("{machine}")), ("best variant", full_name("best")),
                 ("case", case), ("GCell/s", rate("best")), ("share of bound", share),
                 ("times the baseline", gain), ("deck", deck("best")), ("result", file("best")),
                 ("date", date("best"))),
    ),
)


@dataclass(frozen=True)
class Bar:
    """A family on one machine. Shares are of the same bound."""

    family: str
    case: str
    bound: str
    best: str
    baseline: str
    rate: float
    baseline_rate: float
    share: float
    baseline_share: float


def headline(data: Data, machine: str) -> list[Bar]:
    """The families' bars of a machine, in the table's order."""
    bars = []
    for values in LINES:
        if values["machine"] != machine:
            continue
        best, baseline = (PICKS[key].choose(data, values) for key in ("best", "baseline"))
        fraction = lookup(best, BOUNDS[values["bound"]])
        bars.append(Bar(values["family"], case({"best": best}, values)[0], values["bound"],
                        best["variant"].split("/")[1], baseline["variant"].split("/")[1],
                        speed(best), speed(baseline), fraction,
                        fraction * speed(baseline) / speed(best)))
    return bars
