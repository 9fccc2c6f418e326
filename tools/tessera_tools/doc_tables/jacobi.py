# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/performance/jacobi-devices.md and jacobi-hosts.md."""

import math

from .cells import configuration, grid, number, peak_share, percent, rate, ratio, text
from .data import HOSTS, Pick, lookup, speed
from .table import Table

STENCILS = ("j2d5pt", "j2d9pt", "j2d9pt-gol", "j2d25pt", "j3d7pt", "j3d13pt", "j3d17pt",
            "j3d27pt", "poisson")
LINES = [{"stencil": stencil, "dimensions": "2d" if stencil.startswith("j2d") else "3d"}
         for stencil in STENCILS]
OF_STENCIL = {"stencil": "jacobi/{stencil}"}
STAGES = ("step", "base", "cmq_shift", "cmq_compute", "prefetch", "lazy", "ebisu",
          "partial_sums", "warps")
ATTAINABLE = "predicted.fraction_of_attainable"
VALID = "predicted.valid_share"


def authors_rate(rows, values):
    """What EBISU's own program printed."""
    return f"{values['authors']:g}", values["authors"]


def beside_authors(pick):
    """Our rate over it."""

    def cell(rows, values):
        if not rows.get(pick):
            return "", None
        value = speed(rows[pick]) / values["authors"]
        return f"{value:.2f}", value

    return cell


def with_authors(data):
    """The nine stencils, each with the rate of EBISU's own program."""
    rates = {row["stencil"]: rate for row, rate in
             data.published("ebisu-h100.toml").values_of("gcell_per_s")}
    return [{**line, "authors": rates[f"jacobi/{line['stencil']}"]} for line in LINES]


def devices(gpu, authors):
    """The nine stencils on one device."""
    file = f"nvidia-{gpu}/jacobi-{{dimensions}}-gpu.json"
    picks = {key: Pick(file, f"jacobi/{key}", OF_STENCIL)
             for key in ("step", "overlapped", "warps")}
    columns = [
        ("stencil", text("{stencil}")),
        ("`step`", rate("step")),
        ("`overlapped`", rate("overlapped")),
        ("`warps`", rate("warps")),
        ("best", configuration("warps")),
        ("x `step`", ratio("warps", "step")),
        ("% of attainable", percent("warps", ATTAINABLE)),
        ("cells stored, %", percent("warps", VALID)),
    ]
    if authors:
        columns += [("authors' program", authors_rate), ("x authors'", beside_authors("warps"))]
    return Table(name=f"jacobi-{gpu}", lines=with_authors if authors else LINES, picks=picks,
                 columns=tuple(columns), captions=("warps",),
                 means=("x `step`", "x authors'"), extra="rates in GCell/s")


LADDER = "nvidia-{gpu}/jacobi-ladder-{{dimensions}}-gpu.json"
EBISU = "nvidia-h100/ebisu/{stencil}.json"


def end_point():
    """`ebisu` on the domains of its decks, in three dimensions on whole device tiles."""
    return Table(
        name="jacobi-ebisu", lines=with_authors,
        picks={key: Pick(EBISU, f"jacobi/{key}", OF_STENCIL) for key in ("step", "ebisu", "warps")},
        columns=(
            ("stencil", text("{stencil}")), ("`step`", rate("step")), ("`ebisu`", rate("ebisu")),
            ("its best", configuration("ebisu")), ("x `step`", ratio("ebisu", "step")),
            ("`warps`", rate("warps")), ("authors' program", authors_rate),
            ("`ebisu` x authors'", beside_authors("ebisu")),
        ),
        captions=None, means=("x `step`", "`ebisu` x authors'"),
        extra="From `results/nvidia-h100/ebisu` (2026-11-26, double; in three dimensions nx = 384, "
              "ny = 352: whole device tiles of 132 teams), rates in GCell/s.")


def ladder(gpu):
    """The stages at their best depths."""
    return Table(
        name=f"jacobi-ladder-{gpu}",
        lines=[{"stencil": "j2d5pt", "dimensions": "2d"},
               {"stencil": "j3d7pt", "dimensions": "3d"}],
        picks={stage: Pick(LADDER.format(gpu=gpu), f"jacobi/{stage}", OF_STENCIL)
               for stage in STAGES},
        captions=("step",),
        columns=(("GCell/s", text("{stencil}")), *((f"`{s}`", rate(s)) for s in STAGES)),
    )


# Whole tiles first: (stencil, radius, axes that tiles cut, sizes).
SIZES = [
    {"stencil": stencil, "radius": radius, "axes": axes, "nx": nx, "ny": ny, "nz": nz,
     "whole_nx": sizes[0][0], "whole_ny": sizes[0][1], "whole_nz": sizes[0][2]}
    for stencil, radius, axes, sizes in (
        ("j2d5pt", 1, 1, ((8424, 8352, 1), (8425, 8352, 1), (8219, 8009, 1))),
        ("j2d25pt", 2, 1, ((8320, 8640, 1), (8321, 8640, 1))),
        ("j3d7pt", 1, 2, ((392, 288, 2560), (393, 288, 2560), (393, 289, 2561),
                          (401, 307, 2221))),
        ("j3d27pt", 1, 2, ((360, 264, 2560), (361, 265, 2560))))
    for nx, ny, nz in sizes
]


def loss(rows, values):
    """What the size costs against whole tiles, per cent."""
    value = 100 * (1 - speed(rows["size"]) / speed(rows["whole"]))
    return (f"{value:.1f}", value) if rows["size"] is not rows["whole"] else ("", None)


def stored_share(row, values):
    """Of the cells that tiles cover, the share inside the grid."""
    tile, depth = values["tile"]
    share = 1.0
    for axis, extent in list(zip(("nx", "ny"), tile))[:values["axes"]]:
        stored = extent - 2 * depth * values["radius"]
        cells = int(row[axis])
        share *= cells / (stored * math.ceil(cells / stored))
    return share


def ragged(rows, values):
    """What is lost if all that a size costs is the cells computed beside the grid, with the tiles
    that are best where they are whole, per cent."""
    if rows["size"] is rows["whole"]:
        return "", None
    extents, depth = rows["whole"]["configuration"].split(",t=")
    tiles = {**values, "tile": (tuple(map(int, extents.split("x"))), int(depth))}
    value = 100 * (1 - stored_share(rows["size"], tiles) / stored_share(rows["whole"], tiles))
    return f"{round(value, 1) + 0.0:.1f}", value


def paper_points(data):
    """The lines of the ladder that EBISU's text gives figures for."""
    points = data.published("ebisu-a100.toml").values_of("gcell_per_s")
    return [{"stencil": row["stencil"].split("/")[1], "name": row["name"].split("/")[1],
             "dimensions": row["stencil"].split("/j")[1][:2],
             "printed": f"{value:.0f}"} for row, value in points]


TABLE_3 = "inputs/published/ebisu-table3.toml"
LIBRARIES = ("STENCILGEN", "AN5D", "DRSTENCIL", "ARTEMIS", "EBISU")


def paper_depths(data):
    """EBISU's Table 3: a line a stencil, a value a library."""
    table = data.document(TABLE_3)
    return [{"stencil": row["stencil"],
             **{library: row["depth"][table["libraries"].index(library)] or "-"
                for library in LIBRARIES}} for row in table["row"]]


def binding(rows, values):
    """What EBISU's model says binds; on a host the storage next to the registers is L1."""
    return lookup(rows["skewed"], "predicted.binding").replace("scratch", "L1"), None


def host(name, folder):
    """The nine stencils on one host."""
    file = f"{folder}/jacobi-{{dimensions}}-cpu.json"
    return Table(
        name=f"jacobi-{name}",
        lines=LINES,
        picks={key: Pick(file, f"jacobi/{key}", OF_STENCIL) for key in ("step", "skewed")},
        captions=("skewed",),
        means=("x `step`",),
        columns=(
            ("stencil", text("{stencil}")), ("x `step`", ratio("skewed", "step")),
            ("% of attainable", percent("skewed", ATTAINABLE)),
            ("% of peak", peak_share("skewed")),
            ("bound by", binding),
            ("best", configuration("skewed")), ("`step`", rate("step")),
            ("`skewed`", rate("skewed")),
            ("copy GB/s", number("skewed", "header.streams.copy")),
            ("peak GFLOP/s", number("skewed", "header.roofline.peak_gflop_per_s")),
        ),
        extra="rates in GCell/s",
    )


TABLES = (
    devices("h100", authors=True),
    devices("h200", authors=False),
    end_point(),
    ladder("h100"),
    ladder("h200"),
    Table(
        name="jacobi-paper",
        lines=paper_points,
        picks={key: Pick(LADDER.format(gpu="h100"), variant, OF_STENCIL)
               for key, variant in (("step", "jacobi/step"), ("same", "jacobi/{name}"))},
        columns=(("stencil", text("{stencil}")), ("nearest to the paper's", text("`{name}`")),
                 ("the paper's, as printed: A100, GCell/s", text("{printed}")),
                 ("the nearest on an H100, GCell/s", rate("same")), ("`step`", rate("step"))),
        captions=("step",),
    ),
    Table(
        name="jacobi-depths",
        lines=paper_depths,
        picks={},
        columns=(("time steps a pass", text("{stencil}")),
                 *((library, text(f"{{{library}}}")) for library in LIBRARIES)),
        extra=f"`{TABLE_3}`, an A100",
        keep=lambda rows: True,
    ),
    Table(
        name="jacobi-sizes",
        lines=SIZES,
        picks={key: Pick("nvidia-h100/ebisu-sizes.csv", "jacobi/warps", {
            "stencil": "jacobi/{stencil}",
            **{axis: f"{{{prefix}{axis}}}" for axis in ("nx", "ny", "nz")}})
            for key, prefix in (("size", ""), ("whole", "whole_"))},
        captions=("size",),
        columns=(("stencil", text("{stencil}")), ("cells", grid("size")),
                 ("best", configuration("size")), ("GCell/s", rate("size")),
                 ("lost, %", loss), ("by ragged tiles, %", ragged)),
    ),
    host("avx512", HOSTS[0][1]),
    host("avx2", HOSTS[1][1]),
)
