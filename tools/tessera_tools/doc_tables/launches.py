# SPDX-License-Identifier: Apache-2.0
"""Tables of launches: counters of each, out of CSVs of tools/launch_counters.py, and their ways."""

from .cells import figures, full_name, name, number, rate, text, words
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
    """The ladder's launches as they were counted, stencil by stencil, on the H100."""
    gpu, folder = GPUS[0]
    return [{"GPU": gpu, "folder": folder, **{
        key: row[key] for key in ("stencil", "variant", "cells", "steps")},
        "short": row["stencil"].split("/")[1], "name": row["variant"].split("/")[1]}
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
        extra="From `results/nvidia-h100/ebisu/ladder-counters.csv` (an H200's, whose processor is the "
              "same, lie beside it): one launch of each stage under ncu; "
              "cells are cells times steps.",
    )


# Stencil, its accesses of scratch by EBISU's Table 2 (w/ RST), tiles of `ebisu`.
RST = (("j2d5pt", "4", ("256x4,t=12", "512x2,t=12")), ("j2d9pt", "6", ("256x4,t=8", "512x2,t=8")),
       ("j2d9pt-gol", "4", ("256x4,t=6", "512x2,t=6")),
       ("j2d25pt", "6", ("256x4,t=4", "512x2,t=4")),
       ("j3d7pt", "4.5", ("32x32,t=8,apart=1", "32x32,t=8,apart=2")),
       ("j3d13pt", "7", ("32x32,t=5,apart=2",)))


def planned(row):
    """Accesses of a computed cell, by the plan that a run recorded: it stores one value of each."""
    loads, stores = (row["resources"][f"scratch_{way}_per_cell"] for way in ("loads", "stores"))
    return (loads + stores) / stores


def ebisu_scratch():
    """What `ebisu` reads and writes of scratch: the paper, the plan, the counters."""
    return Table(
        name="jacobi-ebisu-scratch",
        lines=[{"stencil": stencil, "paper": paper, "tile": tile}
               for stencil, paper, tiles in RST for tile in tiles],
        picks={"plan": Pick("nvidia-h100/ebisu/{stencil}.json", "jacobi/ebisu:{tile}"),
               "launch": Pick(LADDER.format(folder=GPUS[0][1]), where={
                   "stencil": "jacobi/{stencil}", "variant": "jacobi/ebisu:{tile}"})},
        captions=None,
        absent="not counted",
        columns=(
            ("stencil", text("{stencil}")), ("tile", text("`{tile}`")),
            ("paper, w/ RST", text("{paper}")),
            ("plan: a computed cell", figures(("plan",), planned, "{:g}".format)),
            ("counted: loads", counted_scratch("scratch_loads")),
            ("stores", counted_scratch("scratch_stores")),
            ("together", counted_scratch("scratch_loads", "scratch_stores")),
        ),
        extra="The paper's by its Table 2, the plan's by `results/nvidia-h100/ebisu`, counted by "
              "`results/nvidia-h100/ebisu/ladder-counters.csv` (one launch each under ncu).",
    )


def counted_scratch(*keys):
    """Instructions times 32 lanes, a cell of the grid and step; nothing where none was counted."""
    return figures(("launch",), lambda row: (
        32 * sum(float(row[key]) for key in keys) / updates(row)), "{:.2f}".format)


ST = "acoustic/st_async:128x16,v=4,chunk=64"
TWO = "acoustic/two_step:56x24,copies=bulk"
ASYNC = "directional/fused_async:128x32,v=4,rows=2,ahead=2"
BULK = "directional/fused_async:128x32,v=4,rows=2,ahead=3,copies=bulk,paced"
CUBES = (("1000³", "1000x1000x1000"), ("512³", "512x512x512"))
# Notes of lines: what keeps no pace here did so in a trial, and what keeps it kept none.
PACED, UNPACED = "trial, paced", "trial, not paced"
# What, its cells and regions, and variant and note without and with; the first launch of the row:
# of several regions the inner one.
TRIED = (
    ("`st_async`, no layers", CUBES[0][1], "single", (ST, ""), (f"{ST},paced", "")),
    ("`st_async`, inner region", CUBES[0][1], "seven", (ST, ""), (f"{ST},paced", "")),
    ("`two_step`, no layers", CUBES[0][1], "seven",
     (TWO, f"{UNPACED}, no layers"), (TWO, "no layers")),
    ("`two_step`, inner region", CUBES[0][1], "seven", (TWO, UNPACED), (TWO, "")),
    *((f"`fused_async`, xyz, {cube}", cells, "aligned", (ASYNC, ""), (f"{ASYNC},paced", ""))
      for cube, cells in CUBES),
    *((f"the same, bulk copies, {cube}", cells, "aligned", (BULK, UNPACED), (BULK, ""))
      for cube, cells in CUBES),
    *((f"{what} *", cells, regions, (variant, UNPACED), (variant, PACED))
      for what, cells, regions, variant in (
          ("`window`, z, 10 planes", CUBES[1][1], "aligned",
           "directional/window:128x4,v=4,ahead=3,nw=10"),
          ("`window`, z, 100 planes", CUBES[1][1], "aligned", "directional/window:256x4,v=4,nw=100"),
          ("`gather_columns`", "328x328x936", "", "ete/gather_columns:32x16,rows=iso"),
          ("`gather_scratch`", "328x328x936", "", "ete/gather_scratch:32x16,chunk=117,rows=iso"),
          ("`class_sums`", "328x328x936", "", "ete/class_sums:32x8,chunk=117"),
          ("`warps`, j2d5pt, t = 10", "8352x8352x1", "", "jacobi/warps:128x1,t=10"),
          ("`warps`, j3d7pt, t = 4", "384x288x2560", "", "jacobi/warps:64x32,t=4"),
          ("`zvector`, 7pt-1, 8 planes", CUBES[1][1], "", "low_order/zvector:128x4,v=4,chunk=8"),
          ("`zvector`, 7pt-1, 32 planes", CUBES[1][1], "", "low_order/zvector:128x4,v=4,chunk=32"),
      )),
)


def tried(data):
    """Each kernel on each GPU that has both of its launches."""
    lines = []
    for gpu, folder in GPUS:
        file = PACING.format(folder=folder)
        for what, cells, regions, without, paced in TRIED if data.has(file) else ():
            line = {"GPU": gpu, "folder": folder, "what": what, "cells": cells,
                    "regions": regions, "without": without[0], "without_note": without[1],
                    "paced": paced[0], "paced_note": paced[1]}
            if all(side(key).choose(data, line) for key in ("without", "paced")):
                lines.append(line)
    return lines


def side(key):
    """The launch without pacing, or with."""
    return Pick(PACING, where={"variant": f"{{{key}}}", "note": f"{{{key}_note}}",
                               "regions": "{regions}", "cells": "{cells}", "launch": "1"})


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
        extra="From `results/*/past-the-bound/counters.csv`, a launch each under ncu. "
              "\\* kept without pacing, and paced in a trial; `two_step` and bulk copies are kept "
              "with it, and were without in one.",
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


LAUNCHES = "nvidia-h200/launches/{file}-{way}.json"
# File, stencil and decomposition, variant.
EACH_WAY = (
    *(("acoustic", "single", variant) for variant in (
        "acoustic/semi:8x8x8", "acoustic/jam:32x8,nz=4", "acoustic/smem_u:8x8x8",
        "acoustic/gmem:8x8x4", "acoustic/gmem:32x4x4", "acoustic/st_smem:16x8",
        "acoustic/smem_eta_1:8x8x8", "acoustic/st_reg_fixed:32x16", "acoustic/st_reg_shft:32x32",
        "acoustic/st_semi:32x8,chunk=128")),
    ("j2d9pt", "", "jacobi/step"), ("j3d7pt", "", "jacobi/step"),
    *(("ete", "", variant) for variant in (
        "ete/base_simd_blocked:32x4x2", "ete/base_simd:32x8x1", "ete/split2_xy_xz:32x8x1,xz=32x1x8",
        "ete/gather_ro:32x8,chunk=117", "ete/gather_ro:32x16,chunk=117",
        "ete/class_sums:32x8,chunk=117")),
)


def each_way():
    """Kernels of other families both ways, from two binaries that differ in nothing else."""
    return Table(
        name="team-policy-others",
        lines=[{"file": file, "decomposition": how, "variant": variant}
               for file, how, variant in EACH_WAY],
        picks={way: Pick(LAUNCHES.replace("{way}", way), "{variant}",
                         {"decomposition": "{decomposition}"}) for way in ("native", "policy")},
        columns=(
            ("kernel", full_name("native")),
            ("stencil", words("native", lambda row: row["stencil"])),
            ("native", rate("native")), ("TeamPolicy", rate("policy")),
            ("lost", figures(("native", "policy"), lambda native, policy:
                             100 * (1 - speed(policy) / speed(native)), "{:.0f} %".format)),
        ),
    )


TABLES = (ladder(), ebisu_scratch(), pacing(), team_policy(), each_way())
