# SPDX-License-Identifier: Apache-2.0
"""Tables of counters launch by launch, out of CSVs of tools/launch_counters.py."""

from .cells import NOTHING, number, percent, text, words
from .data import Pick, lookup
from .table import Table

GPUS = (("H100", "nvidia-h100"), ("H200", "nvidia-h200"))
LADDER = "{folder}/ebisu/ladder-counters.csv"
PACING = "{folder}/past-the-bound/counters.csv"
SCRATCH = "{folder}/past-the-bound/scratch-instructions.csv"


def launch_rate(row):
    """GCell/s of one launch: cells times steps over its time under ncu."""
    cells = 1
    for extent in row["cells"].split("x"):
        cells *= int(extent)
    return 1e-3 * cells * int(row["steps"]) / float(row["time_us"])


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
        found = [lookup(rows["launch"], key) for key in keys]
        if "" in found or None in found:
            return NOTHING
        value = sum(map(float, found))
        return f"{value:.1f}", value

    return cell


def ladder():
    """What each stage's units did, and what its warps waited for."""
    return Table(
        name="jacobi-ladder-counters",
        lines=stages,
        picks={"launch": Pick(LADDER, where={
            key: f"{{{key}}}" for key in ("stencil", "variant", "cells", "steps")})},
        captions=None,
        columns=(
            ("GPU", text("{GPU}")), ("stencil", text("{short}")), ("stage", text("`{name}`")),
            ("GCell/s", words("launch", lambda row: f"{launch_rate(row):.0f}")),
            ("warps resident", number("launch", "warps_resident")),
            ("schedulers busy, %", percent("launch", "issue_busy")),
            ("L1 and scratch busy, %", percent("launch", "l1_busy")),
            ("memory busy, %", percent("launch", "dram_busy")),
            ("warps per issue", number("launch", "warps_per_issue", "{:.1f}")),
            ("wait for team", waits("wait_team")), ("for fence", waits("wait_fence")),
            ("for memory", waits("wait_memory", "wait_memory_queue")),
            ("for scratch", waits("wait_scratch", "wait_scratch_queue")),
        ),
        extra="From `results/*/ebisu/ladder-counters.csv`: one launch of each stage under ncu, at "
              "the GPU's own clocks.",
    )


ST, BULK = "acoustic/st_async:128x16,v=4,chunk=64", "acoustic/two_step:56x24,copies=bulk"
ASYNC = "directional/fused_async:128x32,v=4,rows=2,ahead=2"
IN_BULK = "directional/fused_async:128x32,v=4,rows=2,ahead=3,copies=bulk,paced"
CUBES = (("1000³", "1000x1000x1000"), ("512³", "512x512x512"))
TRIALS = ("directional/window:128x4,v=4,ahead=3,nw=10", "directional/window:256x4,v=4,nw=100",
          "directional/window:256x4,v=4,nw=1000", "ete/gather_columns:32x16,rows=iso",
          "ete/gather_scratch:32x16,chunk=117,rows=iso", "ete/class_sums:32x8,chunk=117",
          "jacobi/warps:128x1,t=10", "jacobi/warps:64x32,t=4",
          "low_order/zvector:128x4,v=4,chunk=8", "low_order/zvector:128x4,v=4,chunk=32")
# What, its cells, (variant, note) without and with; the first launch of the row: of several regions
# the inner one.
TRIED = (
    ("`st_async`, inner region", CUBES[0][1], (ST, ""), (f"{ST},paced", "")),
    ("`two_step`, its pass", CUBES[0][1], (BULK, "trial, unpaced"), (BULK, "")),
    *((f"`fused_async`, xyz, {cube}", cells, (ASYNC, ""), (f"{ASYNC},paced", ""))
      for cube, cells in CUBES),
    *((f"`fused_async` in bulk, xyz, {cube}", cells, (IN_BULK, "trial, unpaced"), (IN_BULK, ""))
      for cube, cells in CUBES),
    *((f"`{name.split('/')[1]}`", "*", (name, "trial, unpaced"), (name, "trial, paced"))
      for name in TRIALS),
)


def tried(data):
    """Each kernel on each GPU that has both of its launches."""
    lines = []
    for gpu, folder in GPUS:
        file = PACING.format(folder=folder)
        for what, cells, without, paced in TRIED if data.has(file) else ():
            line = {"GPU": gpu, "folder": folder, "what": what, "cells": cells,
                    "without": without[0], "without note": without[1],
                    "paced": paced[0], "paced note": paced[1]}
            if all(side(key).choose(data, line) for key in ("without", "paced")):
                lines.append(line)
    return lines


def side(key):
    """The launch without pacing, or with."""
    return Pick(PACING, where={"variant": f"{{{key}}}", "note": f"{{{key} note}}",
                               "cells": "{cells}", "launch": "1"})


def change():
    """Time saved by pacing, per cent of the time without."""

    def cell(rows, values):
        times = [float(rows[key]["time_us"]) for key in ("without", "paced")]
        value = 100 * (times[0] / times[1] - 1)
        return f"{value:+.1f}", value

    return cell


def pacing():
    """The same kernel with and without pacing: time, bytes from memory, bytes through L2."""
    return Table(
        name="pacing",
        lines=tried,
        picks={key: side(key) for key in ("without", "paced")},
        captions=None,
        columns=(
            ("GPU", text("{GPU}")), ("kernel", text("{what}")),
            ("us", number("without", "time_us")), ("paced", number("paced", "time_us")),
            ("rate, %", change()),
            ("GB read", number("without", "dram_read_gb", "{:.2f}")),
            ("paced", number("paced", "dram_read_gb", "{:.2f}")),
            ("GB through L2", number("without", "l2_gb", "{:.2f}")),
            ("paced", number("paced", "l2_gb", "{:.2f}")),
        ),
        extra="From `results/*/past-the-bound/counters.csv`, a launch each under ncu at the GPU's "
              "own clocks.",
    )


def a_warp(*keys):
    """Instructions that a warp executes, on average of the launch."""

    def cell(rows, values):
        row = rows["launch"]
        value = sum(float(row[key]) for key in keys) / float(row["warps"])
        return f"{value:.1f}", value

    return cell


def scratch_launches(data):
    """The launches whose scratch instructions were counted, with what the paper prints."""
    printed = {(row["stencil"], row["name"]): value for row, value in
               data.published("amd-lds.toml").values_of("counters.scratch_instructions_per_wave")}
    return [{"GPU": gpu, "folder": folder, "stencil": row["stencil"], "variant": row["variant"],
             "short": row["stencil"].split("/")[1], "name": row["variant"].split("/")[1],
             "printed": f"{printed[key]:g}" if (key := (row["stencil"], row["variant"])) in printed
             else ""}
            for gpu, folder in GPUS if data.has(SCRATCH.format(folder=folder))
            for row in data.rows(SCRATCH.format(folder=folder))]


def scratch_instructions():
    """Loads and stores of team scratch that a warp executes."""
    return Table(
        name="directional-lds",
        lines=scratch_launches,
        picks={"launch": Pick(SCRATCH, where={"stencil": "{stencil}", "variant": "{variant}"})},
        captions=None,
        columns=(
            ("GPU", text("{GPU}")), ("stencil", text("{short}")), ("kernel", text("`{name}`")),
            ("loads a warp", a_warp("scratch_loads")), ("stores", a_warp("scratch_stores")),
            ("together", a_warp("scratch_loads", "scratch_stores")),
            ("printed, LDS instructions a wave", text("{printed}")),
            ("us", number("launch", "time_us")),
        ),
        extra="From `results/*/past-the-bound/scratch-instructions.csv`, a launch each under ncu, "
              "and `inputs/published/amd-lds.toml`.",
    )


TABLES = (ladder(), pacing(), scratch_instructions())
