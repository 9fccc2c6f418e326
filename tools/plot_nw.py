#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Effective bandwidth and read/write ratio against nw, the planes a team walks (AMD, figure 1).

Reads a result file of inputs/amd-nw.toml: every variant and tile whose configurations name an nw is
a curve. The ratio is that of the hardware counters, where tools/counters.py has put them into the
file; the dashed line is the least that a window allows, 1 + 2R/nw, when no plane that two windows
share is found in a cache.
"""

import re
from pathlib import Path

from tessera_tools import command_line, errors, plotting, results
from tessera_tools.errors import ToolError
from tessera_tools.problems import differences

EXAMPLES = "  plot_nw.py out/amd-nw/result.json --output out/amd-nw.png"


def read_curves(file):
    """{name: sorted [(nw, effective GB/s, achieved GB/s or None, R/W or None)]} of the valid rows,
    the radius, and the problem."""
    curves, radii, problems = {}, set(), set()
    for row in results.select(file.rows, status="valid"):
        nw = re.search(r"(^|,)nw=(\d+)", row.configuration)
        radius = re.search(r"-r(\d+)$", row.stencil)
        if not nw or not int(nw[2]) or not radius:
            continue
        radii.add(int(radius[1]))
        problems.add(row.problem)
        # A window taller than the grid walks the grid.
        walked = min(int(nw[2]), row.grid[2])
        name = f"{row.variant}:{row.configuration.replace(nw[0], '')}"
        curves.setdefault(name, []).append((walked, row.number("effective_gb_per_s"),
                                            row.counters.get("achieved_gb_per_s"),
                                            row.counters.get("read_write_ratio")))
    if not curves:
        raise ToolError("no valid row names an nw: is it a result of inputs/amd-nw.toml?")
    if len(radii) > 1:
        raise ToolError(f"rows of several radii, {sorted(radii)}: one a plot")
    if len(problems) > 1:
        raise ToolError(f"{file.path}: rows differ in {' and '.join(differences(problems))}: one "
                        "problem a plot")
    by_nw = {name: sorted(points, key=lambda point: point[0]) for name, points in curves.items()}
    return by_nw, radii.pop(), problems.pop()


def draw(curves, radius, problem, file):
    """Two panels, one above the other."""
    figure, (top, bottom) = plotting.pyplot().subplots(2, 1, sharex=True, figsize=(7, 7))
    for name, points in sorted((plotting.short(name), points) for name, points in curves.items()):
        nws = [p[0] for p in points]
        line, = top.plot(nws, [p[1] for p in points], "o-", label=f"{name}, effective")
        if any(p[2] for p in points):
            top.plot(nws, [p[2] or float("nan") for p in points], "x:", color=line.get_color(),
                     label=f"{name}, achieved")
        if any(p[3] for p in points):
            bottom.plot(nws, [p[3] or float("nan") for p in points], "o-", color=line.get_color(),
                        label=name)
    every = sorted({p[0] for points in curves.values() for p in points})
    bottom.plot(every, [1 + 2 * radius / nw for nw in every], "k--", linewidth=1,
                label=f"1 + 2R/nw, R = {radius}")
    copy = file.streams.get("copy")
    if copy:
        top.axhline(copy, color="grey", linewidth=1)
        top.text(every[0], copy, f"copy {copy:.0f} GB/s", va="bottom", color="grey")
    top.set_ylabel("memory bandwidth, GB/s")
    top.set_ylim(bottom=0)
    bottom.set_ylabel("bytes read / bytes written")
    bottom.set_yscale("log")
    bottom.set_xlabel("nw, planes a team walks")
    bottom.set_xscale("log")
    for panel in (top, bottom):
        panel.legend()
        panel.grid(alpha=0.3)
    figure.suptitle(plotting.short(f"{problem.stencil} {problem.precision}, "
                                   f"{' x '.join(map(str, problem.grid))}, {file.device}"))
    figure.tight_layout()
    return figure


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("result", type=Path, help="result file of tessera run inputs/amd-nw.toml")
    parser.add_argument("-o", "--output", type=Path, help="picture (default: RESULT with .png for .json)")
    arguments = parser.parse_args()
    output = arguments.output or plotting.beside(arguments.result)
    plotting.check_picture(output)
    file = results.read(arguments.result)
    print(plotting.save(draw(*read_curves(file), file), output, dpi=150))


if __name__ == "__main__":
    errors.run(main)
