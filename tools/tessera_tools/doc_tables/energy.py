# SPDX-License-Identifier: Apache-2.0
"""The table of energy in docs/performance/portability.md: the best of each family on the GPUs."""

from .cells import figures, name, number, rate
from .data import Pick
from .glance import LINES, MACHINES, PICKS, case
from .table import Table

GPUS = {key: MACHINES[key] for key in ("h100", "h200")}


def lines():
    """A line a family: the study's runs of the glance table's lines, its GPUs side by side."""
    found = {}
    for entry in LINES:
        gpu = next((key for key, title in GPUS.items() if title == entry["machine"]), None)
        if gpu:
            found.setdefault(entry["family"], {**entry, **{
                key: entry["study"].replace("h100", key) for key in GPUS}})
    return list(found.values())


def best_of(gpu):
    """The glance table's best on one GPU."""
    return Pick(f"{{{gpu}}}", PICKS["best"].variant, PICKS["best"].where)


def more_cells(rows, values):
    """Cell updates a joule on the second GPU over those on the first."""
    return figures(("h200", "h100"),
                   lambda a, b: a["energy"]["cells_per_joule"] / b["energy"]["cells_per_joule"],
                   "{:.2f}".format)(rows, values)


TABLES = (
    Table(
        name="energy",
        lines=lines(),
        picks={gpu: best_of(gpu) for gpu in GPUS},
        columns=(
            ("family", lambda rows, values: (values["family"], None)),
            ("case", lambda rows, values: case({"best": rows["h100"]}, values)),
            *(column for gpu, title in GPUS.items() for column in (
                (f"{title}: best", name(gpu)), ("GCell/s", rate(gpu)),
                ("W", number(gpu, "energy.watts")),
                ("million cells a joule", number(gpu, "energy.cells_per_joule", "{:.0f}", 1e-6)))),
            ("H200 / H100", more_cells),
        ),
    ),
)
