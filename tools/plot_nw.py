#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Effective bandwidth and read/write ratio against nw, the planes a team walks (AMD, figure 1).

Reads result files of inputs/amd-nw.toml: every variant and tile whose configurations name an nw is a
curve; those of a single nw are left out where others have more. The ratio is that of the hardware
counters, drawn where tools/counters.py has put them into a file; the dashed line is the least that a
window allows, 1 + 2R/nw, when no plane that two windows share is found in a cache.
"""

import re
from pathlib import Path

from tessera_tools import command_line, errors, plotting, results
from tessera_tools.errors import ToolError
from tessera_tools.problems import differences

EXAMPLES = """
  plot_nw.py out/amd-nw/result.json --output out/amd-nw.png
  plot_nw.py results/nvidia-h*00/directional-windows-gpu.json --output out/nw.svg"""


def read_curves(files):
    """{name: sorted [(nw, effective GB/s, achieved GB/s or None, R/W or None)]} of the valid rows,
    the radius, and the problem."""
    curves, radii, problems = {}, set(), set()
    by_device = len({file.device for file in files}) == len(files)
    for row in results.select(results.rows_of(files), status="valid"):
        nw = re.search(r"(^|,)nw=(\d+)", row.configuration)
        radius = re.search(r"-r(\d+)$", row.stencil)
        if not nw or not int(nw[2]) or not radius:
            continue
        radii.add(int(radius[1]))
        problems.add(row.problem)
        # A window taller than the grid walks the grid.
        walked = min(int(nw[2]), row.grid[2])
        name = f"{row.variant}:{row.configuration.replace(nw[0], '')}"
        if len(files) > 1:
            name = f"{row.file.device if by_device else row.file.path}, {name}"
        curves.setdefault(name, []).append((walked, row.number("effective_gb_per_s"),
                                            row.counters.get("achieved_gb_per_s"),
                                            row.counters.get("read_write_ratio")))
    if not curves:
        raise ToolError("no valid row names an nw: is it a result of inputs/amd-nw.toml?")
    if len(radii) > 1:
        raise ToolError(f"rows of several radii, {sorted(radii)}: one a plot")
    if len(problems) > 1:
        raise ToolError(f"{files[0].path}: rows differ in {' and '.join(differences(problems))}: one "
                        "problem a plot")
    by_nw = {name: sorted(points, key=lambda point: point[0]) for name, points in curves.items()}
    swept = {name: points for name, points in by_nw.items() if len(points) > 1}
    return swept or by_nw, radii.pop(), problems.pop()


def draw(curves, radius, problem, files):
    """The bandwidths; below them the ratios, if any were counted."""
    counted = any(p[3] for points in curves.values() for p in points)
    figure, panels = plotting.pyplot().subplots(1 + counted, 1, sharex=True, squeeze=False,
                                                figsize=(7, 4.5 + 2.5 * counted))
    top, bottom = panels[0, 0], panels[-1, 0] if counted else None
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
    for file in files:
        if copy := file.streams.get("copy"):
            top.axhline(copy, color="grey", linewidth=1)
            device = f"{plotting.short(file.device)}, " if len(files) > 1 else ""
            top.text(every[0], copy, f"{device}copy {copy:.0f} GB/s", va="bottom", color="grey")
    top.set_ylabel("memory bandwidth, GB/s")
    top.set_ylim(bottom=0)
    if counted:
        bottom.plot(every, [1 + 2 * radius / nw for nw in every], "k--", linewidth=1,
                    label=f"1 + 2R/nw, R = {radius}")
        bottom.set_ylabel("bytes read / bytes written")
        bottom.set_yscale("log")
    panels[-1, 0].set_xlabel("nw, planes a team walks")
    panels[-1, 0].set_xscale("log")
    for panel in panels[:, 0]:
        panel.legend()
        panel.grid(alpha=0.3)
    title = f"{problem.stencil} {problem.precision}, {' x '.join(map(str, problem.grid))}"
    figure.suptitle(plotting.short(title if len(files) > 1 else f"{title}, {files[0].device}"))
    figure.tight_layout()
    return figure


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("results", type=Path, nargs="+", help="result files of tessera run inputs/amd-nw.toml")
    parser.add_argument("-o", "--output", type=Path, help="picture (default: the first with .png for .json)")
    arguments = parser.parse_args()
    output = arguments.output or plotting.beside(arguments.results[0])
    plotting.check_picture(output)
    files = [results.read(path) for path in arguments.results]
    print(plotting.save(draw(*read_curves(files), files), output, dpi=150))


if __name__ == "__main__":
    errors.run(main)
