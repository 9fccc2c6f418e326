# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/performance/low_order.md."""

from .cells import configuration, number, percent, ratio, text
from .data import Pick
from .table import Table

STENCILS = ("7pt-1", "7pt-2", "7pt-3", "19pt")
VARIANTS = ("zvector", "zblock", "baseline")


def on_device(gpu):
    """The best tile of each variant on each stencil."""
    columns = [("stencil", text("{stencil}"))]
    for variant in VARIANTS:
        columns += [(f"`{variant}`", configuration(variant)),
                    ("% of copy", percent(variant, "fraction_of_copy", 1))]
    columns += [("`zvector` GCell/s", number("zvector", "gcell_per_s.median", "{:.1f}")),
                ("x `baseline`", ratio("zvector", "baseline"))]
    return Table(
        name=f"low-order-{gpu}",
        lines=[{"stencil": stencil} for stencil in STENCILS],
        picks={variant: Pick(f"nvidia-{gpu}/low-order-gpu.json", f"low_order/{variant}",
                              {"stencil": "low_order/{stencil}"})
               for variant in VARIANTS},
        captions=("zvector",),
        columns=tuple(columns),
    )


MODEL = [
    {"title": title, "folder": f"{folder}/errors.csv", "kind": kind}
    for title, folder, kinds in (
        ("H100", "nvidia-h100/traffic-model", ("baseline", "zblock")),
        ("H200", "nvidia-h200/traffic-model", ("baseline", "zblock")),
        ("EPYC, AVX2", "host/traffic-model", ("baseline",)),
        ("Xeon, AVX-512", "host/traffic-model-avx512", ("baseline", "zblock")),
    )
    for kind in kinds
]
QUANTITIES = ("V_SMX", "V_L2", "V_GM", "time")


SU = "inputs/published/su-errors.toml"
VOLUMES = ("V_L2", "V_GM")


def as_printed(data):
    """The paper's own errors over all stencils and sizes, as lines without a file."""
    paper = data.document(SU)
    lines = []
    for row in paper["row"]:
        line = {"folder": "", "title": "Su's K20, as printed", "kind": row["kind"],
                "V_SMX": f"{row['V_SMX']:g}", "time": f"{row['time']:g}"}
        for key in VOLUMES:
            values = [value for entry in paper["volume"] if entry["kind"] == row["kind"]
                      for value in entry[key]]
            line[key] = f"{min(values):.1f} to {max(values):.1f}"
        lines.append(line)
    return lines


def by_stencil(data):
    """A line a kind, stencil and size that the model is judged by: the paper's errors."""
    paper = data.document(SU)
    return [{"kind": entry["kind"], "stencil": entry["stencil"], "size": str(size),
             **{key: f"{entry[key][i]:.1f}" for key in VOLUMES}}
            for entry in paper["volume"] for i, size in enumerate(paper["size"]) if size >= 256]


def error(key):
    """Of our files a number, of the paper's lines the text."""
    measured = number("all", key, "{:.1f}")
    return key, lambda rows, values: measured(rows, values) if rows["all"] else (values[key], None)


# What the files call the errors of the paper's formulas.
PAPER = tuple((key, f"seed {key}") for key in ("V_SMX", "V_L2", "V_GM"))

CONSTANTS = (
    ("trip_cycles", "{:.0f}"), ("translation", "{:.2f}"), ("barrier_cycles", "{:.0f}"),
    ("start_cycles", "{:.0f}"), ("warp_cycles", "{:.1f}"), ("own_work", "{:.2f}"),
    ("level_cycles", "{:.0f}"), ("exchange_us", "{:.1f}"), ("misses_per_cycle", "{:.2f}"),
    ("l2_share", "{:.2f}"), ("dirty_share", "{:.2f}"), ("l2_scale", "{:.1f}"),
    ("overlap", "{:.1f}"), ("tail", "{:.2f}"), ("team_ns", "{:.0f}"),
)


def constants(data):
    """A line for each machine file: the constants of its model table."""
    lines = []
    for gpu in ("H100", "H200"):
        model = data.document(f"inputs/machines/{gpu}.json")["model"]
        lines.append({"gpu": gpu, **{
            key: shape.format(model[key]) if key in model else "" for key, shape in CONSTANTS}})
    return lines


TABLES = (
    on_device("h100"),
    on_device("h200"),
    Table(
        name="model-errors",
        lines=lambda data: [*MODEL, *as_printed(data)],
        keep=lambda rows: True,
        picks={"all": Pick("{folder}", where={"kind": "{kind}", "stencil": "all"})},
        columns=(
            ("", text("{title}, `{kind}`")),
            *(error(key) for key in QUANTITIES),
            *((f"Su's {key}", number("all", column)) for key, column in PAPER),
            ("Su's time (2)", number("all", "seed (2)")),
            ("(18)", number("all", "seed (18)")),
        ),
        extra="`results/*/traffic-model*/errors.csv`, average errors in per cent",
        absent="-",
    ),
    Table(
        name="model-volumes",
        lines=by_stencil,
        picks={gpu: Pick(f"nvidia-{gpu}/traffic-model/errors.csv", where={
            "kind": "{kind}", "stencil": "{stencil}", "size": "{size}"})
            for gpu in ("h100", "h200")},
        columns=(("", text("`{kind}`")), ("stencil", text("{stencil}")), ("cells", text("{size}³")),
                 *(column for key in VOLUMES for column in (
                     (f"{key}: K20, as printed", text(f"{{{key}}}")),
                     ("H100", number("h100", key, "{:.1f}")),
                     ("H200", number("h200", key, "{:.1f}"))))),
        extra="`results/*/traffic-model/errors.csv` and `inputs/published/su-errors.toml`, average "
              "errors in per cent",
        absent="-",
    ),
    Table(
        name="model-constants",
        lines=constants,
        picks={},
        columns=(("", text("{gpu}")),
                 *((f"`{key}`", text(f"{{{key}}}")) for key, _ in CONSTANTS)),
        extra="`inputs/machines/H100.json` and `H200.json`",
        keep=lambda rows: True,
    ),
)
