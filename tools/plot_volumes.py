#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Su's Figures 1, 3 and 4: volumes of data traffic, predicted and counted.

1: 7pt-1 at 256 cubed, one cell a thread, over block shapes: V_SMX, V_L2, V_GM. 3: the same with
chunk_z cells a thread, blocks with Bx = 32. 4: V_GM of the four stencils over chunk_z, with and
without the L2's misses (epsilon = 0 in formula (15)). The lines are the paper's formulas and the
machine model as `tessera predict` has them; no device is needed. The dots are counters of runs of
the same machine, from the runs.csv of tools/traffic_study.py. The paper's own measurements stand in
its figures only: they are no data.
"""

import csv
import json
import re
from pathlib import Path

from tessera_tools import command_line, errors, plotting
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT
from tessera_tools.program import execute, find_tessera, run_options

EXAMPLES = """
  plot_volumes.py --machine K20 -o out                     # the paper's card: formulas alone
  plot_volumes.py --machine H100 --runs results/nvidia-h100/traffic-model/runs.csv -o out \\
    --registers results/nvidia-h100/traffic-model/registers.csv"""

STAGES = {"smx": ("$V_{SMX}$", "l1_bytes_per_cell"), "l2": ("$V_{L2}$", "l2_bytes_per_cell"),
          "gm": ("$V_{GM}$", "dram_bytes_per_cell")}
STENCILS = ("7pt-1", "7pt-2", "7pt-3", "19pt")
DECKS = {"baseline": "inputs/su-baseline.toml", "zblock": "inputs/su-zblock.toml"}
GIB = 1024.0**3


def numbers(name):
    """The numbers of a configuration, which sort it: Bx, By, Bz or chunk."""
    return tuple(int(n) for n in re.findall(r"\d+", name.split(":")[1]))


def predictions(arguments, kind, stencil, pattern):
    """{variant:configuration: prediction} of what the binary offers, sorted by its numbers."""
    command = [find_tessera(arguments.tessera), "predict", str(ROOT / DECKS[kind]), "--machine",
               arguments.machine, "--json",
               *(("--registers", str(arguments.registers)) if arguments.registers else ()),
               *run_options([pattern], [f'case.stencil="{stencil}"', *(
                   f"case.n{axis}={arguments.size}" for axis in "xyz")])]
    rows = [row for row in json.loads(execute(command)) if row.get("paper")]
    if not rows:
        raise ToolError(f"{arguments.machine}: no configuration of {pattern} is predicted for it")
    return {row["name"]: row for row in sorted(rows, key=lambda row: numbers(row["name"]))}


def counted(arguments, kind, stencil):
    """{variant:configuration: line} of the runs of this size that were counted."""
    if not arguments.runs:
        return {}
    try:
        with open(arguments.runs, encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
    except OSError as error:
        raise ToolError(f"{arguments.runs}: {error.strerror}") from None
    try:
        return {line["name"]: line for line in lines
                if (line["kind"], line["stencil"], line["size"]) == (
                    kind, stencil, str(arguments.size)) and line["l2_bytes_per_cell"]}
    except KeyError as error:
        raise ToolError(f"{arguments.runs}: no column {error.args[0]}: is it a runs.csv of "
                        "tools/traffic_study.py?") from None


def draw_stages(arguments, axis, kind, pattern, label):
    """The three volumes of 7pt-1 over configurations, in GiB a step."""
    rows = predictions(arguments, kind, "7pt-1", pattern)
    runs = counted(arguments, kind, "7pt-1")
    gib = arguments.size**3 / GIB
    x = range(len(rows))
    for stage, (title, column) in STAGES.items():
        line, = axis.plot(x, [gib * row["paper"]["volume_bytes_per_cell"][stage]
                              for row in rows.values()], "--", label=f"{title}, paper's formula")
        axis.plot(x, [gib * row["volume_bytes_per_cell"][stage] for row in rows.values()], "-",
                  color=line.get_color(), label=f"{title}, machine model")
        dots = [(i, gib * float(runs[name][column])) for i, name in enumerate(rows)
                if name in runs and runs[name][column]]
        if dots:
            axis.plot(*zip(*dots), "o", color=line.get_color(), label=f"{title}, counted")
    axis.set_xticks(list(x), [label(name) for name in rows], rotation=75, fontsize=7)
    axis.set_ylabel("GiB a step")
    axis.set_ylim(bottom=0)
    axis.legend(ncol=3)
    axis.set_title(f"7pt-1, {kind}, {arguments.size}³, double, {arguments.machine}")


def draw_misses(arguments, axis, stencil):
    """V_GM over chunk_z of blocks of 32 x 4, with and without the L2's misses."""
    rows = predictions(arguments, "zblock", stencil, "low_order/zblock:32x4,chunk=*")
    runs = counted(arguments, "zblock", stencil)
    gib = arguments.size**3 / GIB
    chunks = [numbers(name)[2] for name in rows]
    paper = [row["paper"] for row in rows.values()]
    axis.plot(chunks, [gib * p["volume_bytes_per_cell"]["gm"] for p in paper], "r--",
              label="paper's formula")
    axis.plot(chunks, [gib * p["volume_without_misses"]["gm"] for p in paper], "g:",
              label="the same, ε = 0")
    axis.plot(chunks, [gib * row["volume_bytes_per_cell"]["gm"] for row in rows.values()], "b-",
              label="machine model")
    dots = [(numbers(name)[2], gib * float(runs[name]["dram_bytes_per_cell"])) for name in rows
            if name in runs and runs[name]["dram_bytes_per_cell"]]
    if dots:
        axis.plot(*zip(*dots), "ko", label="counted")
    axis.set_xscale("log", base=2)
    axis.set_ylim(bottom=0)
    axis.set_title(stencil, fontsize=9)
    axis.set_xlabel("chunk_z")
    axis.set_ylabel("$V_{GM}$, GiB a step")
    axis.legend()


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    command_line.add_tessera(parser)
    parser.add_argument("-m", "--machine", default="K20",
                        help="machine file, or the name of one in inputs/machines (K20)")
    parser.add_argument("--runs", type=Path, help="runs.csv of tools/traffic_study.py")
    parser.add_argument("--registers", type=Path, help="the compiler's table (ci/resources.sh)")
    parser.add_argument("--size", type=int, default=256, help="cells along each axis (256)")
    parser.add_argument("--figures", type=int, nargs="+", choices=(1, 3, 4), default=[1, 3, 4])
    parser.add_argument("-o", "--out", type=Path, default=Path("out"), help="folder (out)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for number in arguments.figures:
        if number == 4:
            figure, axes = plotting.pyplot().subplots(2, 2, figsize=(9, 7))
            for axis, stencil in zip(axes.flat, STENCILS):
                draw_misses(arguments, axis, stencil)
            figure.suptitle(f"32 x 4, {arguments.size}³, double, {arguments.machine}")
        else:
            figure, axis = plotting.pyplot().subplots(figsize=(11, 4.5))
            kind, pattern = (("baseline", "low_order/baseline") if number == 1
                             else ("zblock", "low_order/zblock:32x*"))
            draw_stages(arguments, axis, kind, pattern, lambda name: name.split(":")[1])
        figure.tight_layout()
        print(plotting.save(figure, arguments.out / f"su-figure{number}-{arguments.machine}.png"))


if __name__ == "__main__":
    errors.run(main)
