#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Su's Figures 1, 3 and 4: volumes of data traffic, predicted and counted.

1: 7pt-1 at 256 cubed, one cell a thread, over block shapes: V_SMX, V_L2, V_GM. 3: the same with
chunk_z cells a thread, blocks with Bx = 32. 4: V_GM of the four stencils over chunk_z, with and
without the L2's misses (epsilon = 0 in formula (15)). The lines are the paper's formulas and the
machine model as `tessera predict` has them; no device is needed. The dots are counters of runs of
the same machine, from the runs.csv of tools/traffic_study.py. The paper's own measurements stand in
its figures only: they are no data. --save writes what is drawn to a table, --stored draws one.
"""

import re
from pathlib import Path

from tessera_tools import command_line, errors, plotting, volumes
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT, note_read
from tessera_tools.program import ask_json, find_tessera, run_options

EXAMPLES = """
  plot_volumes.py --machine K20 -o out                     # the paper's GPU: formulas alone
  plot_volumes.py --machine H100 --runs results/nvidia-h100/traffic-model/runs.csv -o out \
    --registers results/nvidia-h100/traffic-model/registers.csv
  plot_volumes.py --stored results/nvidia-h100/traffic-model/volumes.csv -o out"""

STAGES = {"smx": "$V_{SMX}$", "l2": "$V_{L2}$", "gm": "$V_{GM}$"}
STENCILS = ("7pt-1", "7pt-2", "7pt-3", "19pt")
DECKS = {"baseline": "inputs/su-baseline.toml", "zblock": "inputs/su-zblock.toml"}
FIGURE_1 = ("baseline", "low_order/baseline:*")
FIGURE_3 = ("zblock", "low_order/zblock:32x*")
FIGURE_4 = ("zblock", "low_order/zblock:32x4,chunk=*")
GIB = 1024.0**3


def numbers(name):
    """The numbers of a configuration, which sort it: Bx, By, Bz or chunk."""
    return tuple(int(n) for n in re.findall(r"\d+", name.split(":")[1]))


def predictions(arguments, kind, stencil, pattern):
    """The lines of what the binary offers (tessera_tools/volumes.py), without what was counted."""
    command = [find_tessera(arguments.tessera), "predict", str(ROOT / DECKS[kind]), "--machine",
               arguments.machine, "--json",
               *(("--registers", str(arguments.registers)) if arguments.registers else ()),
               *run_options([pattern], [f'case.stencil="{stencil}"', *(
                   f"case.n{axis}={arguments.size}" for axis in "xyz")])]
    rows = [row for row in ask_json(command, stencil) if row.get("paper")]
    if not rows:
        raise ToolError(f"{arguments.machine}: no configuration of {pattern} is predicted for it")
    return [volumes.Line(
        machine=arguments.machine, kind=kind, stencil=stencil, size=arguments.size,
        name=row["name"], paper=row["paper"]["volume_bytes_per_cell"],
        without_misses=row["paper"]["volume_without_misses"]["gm"],
        model=row["volume_bytes_per_cell"], counted={}) for row in rows]


def predicted(arguments):
    """Every line that the wanted figures have, with the counters of --runs."""
    wanted = [*[("7pt-1", *FIGURE_1)] * (1 in arguments.figures),
              *[("7pt-1", *FIGURE_3)] * (3 in arguments.figures),
              *[(stencil, *FIGURE_4) for stencil in STENCILS] * (4 in arguments.figures)]
    lines = {}
    for stencil, kind, pattern in wanted:
        for line in predictions(arguments, kind, stencil, pattern):
            lines[kind, stencil, line.name] = line
    return volumes.with_counters(list(lines.values()), arguments.runs)


def select(lines, stencil, kind, pattern):
    """The lines of a figure, by block or chunk."""
    found = volumes.select(lines, kind, stencil, pattern)
    if not found:
        raise ToolError(f"no volumes of {stencil}, {pattern}")
    return sorted(found, key=lambda line: numbers(line.name))


def draw_stages(lines, axis, kind, pattern):
    """The three volumes of 7pt-1 over configurations, in GiB a step."""
    rows = select(lines, "7pt-1", kind, pattern)
    gib = rows[0].size**3 / GIB
    x = range(len(rows))
    for stage, title in STAGES.items():
        line, = axis.plot(x, [gib * row.paper[stage] for row in rows], "--",
                          label=f"{title}, paper's formula")
        axis.plot(x, [gib * row.model[stage] for row in rows], "-", color=line.get_color(),
                  label=f"{title}, machine model")
        dots = [(i, gib * row.counted[stage]) for i, row in enumerate(rows) if stage in row.counted]
        if dots:
            axis.plot(*zip(*dots), "o", color=line.get_color(), label=f"{title}, counted")
    axis.set_xticks(list(x), [plotting.short(row.name.split(":")[1]) for row in rows],
                    rotation=75, fontsize=7)
    axis.set_ylabel("GiB a step")
    axis.set_ylim(bottom=0)
    axis.legend(ncol=3)
    axis.set_title(f"7pt-1, {kind}, {rows[0].size}³, double, {plotting.short(rows[0].machine)}")


def draw_misses(lines, axis, stencil):
    """V_GM over chunk_z of blocks of 32 x 4, with and without the L2's misses."""
    rows = select(lines, stencil, *FIGURE_4)
    gib = rows[0].size**3 / GIB
    if any(len(numbers(row.name)) < 3 for row in rows):
        raise ToolError(f"{stencil}: a configuration of zblock names no chunk")
    chunks = [numbers(row.name)[2] for row in rows]
    axis.plot(chunks, [gib * row.paper["gm"] for row in rows], "r--", label="paper's formula")
    axis.plot(chunks, [gib * row.without_misses for row in rows], "g:", label="the same, ε = 0")
    axis.plot(chunks, [gib * row.model["gm"] for row in rows], "b-", label="machine model")
    dots = [(chunk, gib * row.counted["gm"]) for chunk, row in zip(chunks, rows)
            if "gm" in row.counted]
    if dots:
        axis.plot(*zip(*dots), "ko", label="counted")
    axis.set_xscale("log", base=2)
    axis.set_ylim(bottom=0)
    axis.set_title(stencil, fontsize=9)
    axis.set_xlabel("chunk_z")
    axis.set_ylabel("$V_{GM}$, GiB a step")
    axis.legend()


def draw(lines, number):
    """One of the paper's figures."""
    if number == 4:
        figure, axes = plotting.pyplot().subplots(2, 2, figsize=(9, 7))
        for axis, stencil in zip(axes.flat, STENCILS):
            draw_misses(lines, axis, stencil)
        figure.suptitle(f"32 x 4, {lines[0].size}³, double, {plotting.short(lines[0].machine)}")
    else:
        figure, axis = plotting.pyplot().subplots(figsize=(11, 4.5))
        draw_stages(lines, axis, *(FIGURE_1 if number == 1 else FIGURE_3))
    figure.tight_layout()
    return figure


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    command_line.add_tessera(parser)
    parser.add_argument("-m", "--machine", default="K20",
                        help="machine file, or the name of one in inputs/machines (K20)")
    parser.add_argument("--runs", type=Path, help="runs.csv of tools/traffic_study.py")
    parser.add_argument("--registers", type=Path, help="the compiler's table (ci/resources.sh)")
    command_line.add_number(parser, "--size", int, 1, 10000, default=256,
                            help="cells along each axis (256)")
    parser.add_argument("--figures", type=int, nargs="+", choices=(1, 3, 4), default=[1, 3, 4])
    parser.add_argument("--stored", type=Path, help="draw what --save wrote; asks no program")
    parser.add_argument("--save", type=Path, help="also write what is drawn to this table")
    parser.add_argument("-o", "--out", type=Path, default=Path("out"), help="folder (out)")
    arguments = parser.parse_args()
    command_line.refuse_together(parser, "stored", ["machine", "runs", "registers", "size"])
    for given in filter(None, (arguments.machine, arguments.registers)):
        note_read(given)  # by the program; a name of a machine is no file here
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines = volumes.read(arguments.stored) if arguments.stored else predicted(arguments)
    if arguments.save:
        volumes.write(arguments.save, lines)
    for number in arguments.figures:
        print(plotting.save(draw(lines, number),
                            arguments.out / f"su-figure{number}-{lines[0].machine}.png"))


if __name__ == "__main__":
    errors.run(main)
