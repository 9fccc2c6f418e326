# SPDX-License-Identifier: Apache-2.0
"""The README's table "performance at a glance", and what its plot shows."""

from __future__ import annotations

from dataclasses import dataclass

from .cells import date, deck, file, full_name, grid_of, rate, text
from .data import HOSTS, Data, Pick, lookup, speed
from .table import Table

# The share of a run's bound by its name; docs/performance/README.md says what they are.
BOUNDS = {"copy": "fraction_of_copy", "update": "fraction_of_update",
          "attainable": "predicted.fraction_of_attainable"}

MACHINES = {"h100": "H100", "h200": "H200", **{folder: title for title, folder in HOSTS}}
CPUS = tuple(folder for _, folder in HOSTS)


# A GPU's directional kernels as they are launched today: all, the baseline too, in one run. The
# study has some of them through a TeamPolicy.
NATIVE = {"h100": "nvidia-h100/past-the-bound/directional-native.json"}


def line(machine, best, variant="*", stencil="*", decomposition="*", bound="copy", file=None):
    """A line: the best of `variant` in the study's run `best`, or in `file`, and its baseline
    there."""
    on_gpu = machine not in CPUS
    folder = f"nvidia-{machine}" if on_gpu else machine
    study = f"{folder}/{best}-{'gpu' if on_gpu else 'cpu'}.json"
    return {"machine": MACHINES[machine], "file": file or study, "study": study,
            "variant": variant, "stencil": stencil, "decomposition": decomposition, "bound": bound}


def with_baseline(family, baseline, *lines):
    """Lines of one family."""
    return [{**entry, "family": family, "baseline": f"{family}/{baseline}"} for entry in lines]


GPUS = ("h100", "h200")
LINES = [
    *with_baseline(
        "acoustic", "naive",
        *(line(gpu, "acoustic-regions", decomposition="single") for gpu in GPUS)),
    *with_baseline(  # on hosts in vectors, so that no factor is won against scalar code
        "acoustic", "naive_simd",
        *(line(cpu, "acoustic", decomposition="single", bound="update") for cpu in CPUS)),
    *with_baseline(
        "directional", "baseline",
        *(line(gpu, "directional", stencil="directional/xyz-r4", file=NATIVE.get(gpu))
          for gpu in GPUS),
        *(line(cpu, "directional", stencil="directional/xyz-r4", bound="update")
          for cpu in CPUS)),
    *with_baseline(
        "low_order", "baseline",
        *(line(gpu, "low-order", stencil="low_order/7pt-1") for gpu in GPUS),
        *(line(cpu, "low-order", stencil="low_order/7pt-1", bound="update") for cpu in CPUS)),
    *with_baseline(
        "ete", "base_simd",
        *(line(gpu, "ete-37-random") for gpu in GPUS),
        *(line(cpu, "ete-37-random", bound="update") for cpu in CPUS)),
    *with_baseline(
        "jacobi", "step",
        *(line(machine, "jacobi-2d", stencil="jacobi/j2d5pt", bound="attainable",
               variant="skewed" if machine in CPUS else "warps") for machine in GPUS + CPUS)),
]

PICKS = {
    "best": Pick("{file}", "{family}/{variant}",
                 {"stencil": "{stencil}", "decomposition": "{decomposition}"}),
    "baseline": Pick("{file}", "{baseline}",
                     {"stencil": "{stencil}", "decomposition": "{decomposition}"}),
}


def share(rows, values):
    """The share of the bound, with the bound's name."""
    value = 100 * lookup(rows["best"], BOUNDS[values["bound"]])
    return f"{value:.0f} % of {values['bound']}", value


def gain(rows, values):
    """Times the baseline."""
    best, baseline = rows["best"], rows["baseline"]
    if best["variant"] == baseline["variant"]:
        return f"is `{values['baseline'].split('/')[1]}`", None
    value = speed(best) / speed(baseline)
    return f"{value:.2f} x `{baseline['variant'].split('/')[1]}`", value


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
