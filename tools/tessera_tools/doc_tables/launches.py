# SPDX-License-Identifier: Apache-2.0
"""Tables of launches: counters of each, out of CSVs of tools/launch_counters.py, and their ways."""

from .cells import figures, name, number, rate, text
from .data import Pick, speed
from .table import Table

GPUS = (("H100", "nvidia-h100"), ("H200", "nvidia-h200"))
LADDER = "{folder}/ebisu/ladder-counters.csv"
PACING = "{folder}/past-the-bound/counters.csv"


def updates(row):
    """Cells times steps of one launch."""
    count = int(row["steps"])
    for extent in row["cells"].split("x"):
        count *= int(extent)
    return count


def a_cell(key, scale):
    """A counter of one cell and step."""

    def cell(rows, values):
        value = scale * float(rows["launch"][key]) / updates(rows["launch"])
        return f"{value:.1f}", value

    return cell


def stages(data):
    """The ladder's launches as they were counted, stencil by stencil."""
    return [{"GPU": gpu, "folder": folder, **{
        key: row[key] for key in ("stencil", "variant", "cells", "steps")},
        "short": row["stencil"].split("/")[1], "name": row["variant"].split("/")[1]}
        for gpu, folder in GPUS if data.has(LADDER.format(folder=folder))
        for row in data.rows(LADDER.format(folder=folder))]


def waits(*keys):
    """Warps that wait for one of several things, of each scheduler."""

    def cell(rows, values):
        value = sum(float(rows["launch"][key]) for key in keys)
        return f"{value:.1f}", value

    return cell


def ladder():
    """What each stage executes a cell, and what its warps wait for."""
    return Table(
        name="jacobi-ladder-counters",
        lines=stages,
        picks={"launch": Pick(LADDER, where={
            key: f"{{{key}}}" for key in ("stencil", "variant", "cells", "steps")})},
        captions=None,
        columns=(
            ("GPU", text("{GPU}")), ("stencil", text("{short}")), ("stage", text("`{name}`")),
            ("instructions a cell", a_cell("instructions", 32)),
            ("wavefronts for 32 cells", a_cell("wavefronts", 32)),
            ("warps resident", number("launch", "warps_resident")),
            ("cycles between a warp's instructions", waits("warps_per_issue")),
            ("waiting for the team", waits("wait_team")),
            ("for memory", waits("wait_memory", "wait_memory_queue", "wait_fence")),
            ("for scratch", waits("wait_scratch", "wait_scratch_queue")),
            ("for arithmetic", waits("wait_arithmetic", "wait_fixed")),
        ),
        extra="From `results/*/ebisu/ladder-counters.csv`: one launch of each stage under ncu; "
              "cells are cells times steps.",
    )


ST = "acoustic/st_async:128x16,v=4,chunk=64"
ASYNC = "directional/fused_async:128x32,v=4,rows=2,ahead=2"
CUBES = (("1000³", "1000x1000x1000"), ("512³", "512x512x512"))
# What, its cells and regions, the variant without and with; the first launch of the row: of several
# regions the inner one.
TRIED = (
    ("`st_async`, no layers", CUBES[0][1], "single", ST, f"{ST},paced"),
    ("`st_async`, inner region", CUBES[0][1], "seven", ST, f"{ST},paced"),
    *((f"`fused_async`, xyz, {cube}", cells, "aligned", ASYNC, f"{ASYNC},paced")
      for cube, cells in CUBES),
)


def tried(data):
    """Each kernel on each GPU that has both of its launches."""
    lines = []
    for gpu, folder in GPUS:
        file = PACING.format(folder=folder)
        for what, cells, regions, without, paced in TRIED if data.has(file) else ():
            line = {"GPU": gpu, "folder": folder, "what": what, "cells": cells,
                    "regions": regions, "without": without, "paced": paced}
            if all(side(key).choose(data, line) for key in ("without", "paced")):
                lines.append(line)
    return lines


def side(key):
    """The launch without pacing, or with."""
    return Pick(PACING, where={"variant": f"{{{key}}}", "regions": "{regions}", "cells": "{cells}",
                               "launch": "1"})


def pacing():
    """The same kernel with and without pacing: bytes from memory and through L2, and time."""
    counted = (("GB read", "dram_read_gb", "{:.2f}"), ("GB through L2", "l2_gb", "{:.2f}"),
               ("us", "time_us", "{:.0f}"))
    return Table(
        name="pacing",
        lines=tried,
        picks={key: side(key) for key in ("without", "paced")},
        captions=None,
        columns=(
            ("GPU", text("{GPU}")), ("kernel", text("{what}")),
            *(column for title, key, shape in counted for column in (
                (title, number("without", key, shape)), ("paced", number("paced", key, shape)))),
        ),
        extra="From `results/*/past-the-bound/counters.csv`, a launch each under ncu; an empty "
              "cell was not measured.",
    )


# Kernels that were launched through a TeamPolicy in the study, and natively since then.
ROUNDABOUT = (
    ("baseline:256x1", "x"), ("baseline:256x1", "y"), ("vec:512x2,v=4", "x"),
    ("vec:256x4,v=4", "y"), ("lds:256x4,v=4", "y"), ("lds:128x16,v=4", "y"), ("fused_xy:128x8,v=4", "xy"),
    ("fused_xyz:256x4,v=4,nw=100", "xyz"), ("fused_xyz:64x4,v=1,nw=100", "xyz"),
)


def team_policy():
    """The same kernels by a native launch and through Kokkos' TeamPolicy."""
    files = {"native": "nvidia-h100/past-the-bound/directional-native.json",
             "policy": "nvidia-h100/directional-gpu.json"}
    return Table(
        name="team-policy",
        lines=[{"variant": variant, "stencil": stencil} for variant, stencil in ROUNDABOUT],
        picks={key: Pick(file, "directional/{variant}", {"stencil": "directional/{stencil}-r4"})
               for key, file in files.items()},
        columns=(
            ("kernel", name("native")), ("stencil", text("{stencil}")), ("native", rate("native")),
            ("TeamPolicy", rate("policy")),
            ("lost", figures(("native", "policy"), lambda native, policy:
                             100 * (1 - speed(policy) / speed(native)), "{:.0f} %".format)),
        ),
    )


TABLES = (ladder(), pacing(), team_policy())
