# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/performance/low_order.md and docs/model.md."""

from .cells import configuration, number, percent, ratio, text
from .data import Pick
from .table import Table

STENCILS = ("7pt-1", "7pt-2", "7pt-3", "19pt")
VARIANTS = ("zvector", "zblock", "baseline")


def on_device(card):
    """The best tile of each variant on each stencil."""
    columns = [("stencil", text("{stencil}"))]
    for variant in VARIANTS:
        columns += [(f"`{variant}`", configuration(variant)),
                    ("% of copy", percent(variant, "fraction_of_copy", 1))]
    columns += [("`zvector` GCell/s", number("zvector", "gcell_per_s.median", "{:.1f}")),
                ("x `baseline`", ratio("zvector", "baseline"))]
    return Table(
        name=f"low-order-{card}",
        lines=[{"stencil": stencil} for stencil in STENCILS],
        picks={variant: Pick(f"nvidia-{card}/low-order-{{stencil}}.json", f"low_order/{variant}")
               for variant in VARIANTS},
        captions=("zvector",),
        columns=tuple(columns),
    )


MODEL = [
    {"title": title, "folder": folder, "kind": kind}
    for title, folder, kinds in (
        ("H100", "nvidia-h100/traffic-model", ("baseline", "zblock")),
        ("H200", "nvidia-h200/traffic-model", ("baseline", "zblock")),
        ("EPYC, AVX2", "host/traffic-model", ("baseline",)),
        ("Xeon, AVX-512", "host/traffic-model-avx512", ("baseline", "zblock")),
    )
    for kind in kinds
]
PAPER = tuple((key, f"seed {key}") for key in ("V_SMX", "V_L2", "V_GM"))

CONSTANTS = (
    ("delta", "of (8)", "{:.2g}"),
    ("epsilon", "of (15)", "{:.2g}"),
    ("eta", "of (17)", "{:.2g}"),
    ("l2_share", "of the L2, that holds what will be read again", "{:.2f}"),
    ("dirty_share", "of the L2, that waits to be written when a kernel ends", "{:.2f}"),
    ("l2_scale", "L2 bandwidth that kernels see over the one measured", "{:.1f}"),
    ("overlap", "p", "{:.1f}"),
    ("tail", "of the last round's idle units, the share that costs time", "{:.2f}"),
    ("team_ns", "between the starts of two blocks on a unit", "{:.0f}"),
    ("warp_us", "a warp adds to its block's life", "{:.3f}"),
    ("plane_us", "a plane adds: one dependent trip to memory", "{:.3f}"),
    ("time_residual", "error of the times of the runs not fitted", "{:.3f}"),
    ("volume_residual", "error of their V_GM", "{:.3f}"),
    ("runs", "fitted to and judged by", "{:.0f}"),
)


def constants(data):
    """A line for each constant of the machine files' model tables."""
    lines = []
    for key, meaning, shape in CONSTANTS:
        values = {"key": key, "meaning": meaning}
        for card in ("H100", "H200"):
            model = data.document(f"inputs/machines/{card}.json")["model"]
            values[card] = shape.format(model[key]) if key in model else ""
        lines.append(values)
    return lines


TABLES = (
    on_device("h100"),
    on_device("h200"),
    Table(
        name="model-errors",
        lines=MODEL,
        picks={"all": Pick("{folder}/errors.csv", where={"kind": "{kind}", "stencil": "all"})},
        columns=(
            ("", text("{title}, `{kind}`")),
            *((key, number("all", key, "{:.1f}")) for key, _ in PAPER),
            ("time", number("all", "time", "{:.1f}")),
            *((f"Su's {key}", number("all", column)) for key, column in PAPER),
            ("Su's time (2)", number("all", "seed (2)")),
            ("(18)", number("all", "seed (18)")),
        ),
        extra="`results/*/traffic-model*/errors.csv`, average errors in per cent",
        absent="-",
    ),
    Table(
        name="model-constants",
        lines=constants,
        picks={},
        columns=(("key of `model`", text("`{key}`")), ("meaning", text("{meaning}")),
                 ("H100", text("{H100}")), ("H200", text("{H200}"))),
        extra="`inputs/machines/H100.json` and `H200.json`",
        keep=lambda rows: True,
    ),
)
