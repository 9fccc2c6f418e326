#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Effective bandwidth and read/write ratio against nw, the planes that a team walks (AMD, figure 1).

Reads a result file of inputs/amd-nw.toml: every variant and tile whose configurations name an nw is
a curve. The ratio is that of the hardware counters, where tools/counters.py has put them into the
file; the dashed line is the least that a window allows, 1 + 2R/nw, when no plane that two windows
share is found in a cache.
"""

import argparse
import json
import re
import sys
from pathlib import Path


try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError as error:
    sys.exit(f"plot_nw.py: error: {error}; on Debian: apt-get install python3-matplotlib")


class PlotError(Exception):
    """Nothing can be drawn; the message is one line."""


def read_file(path):
    """A result file."""
    try:
        file = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PlotError(f"{path}: cannot be read as JSON: {error}") from None
    if not isinstance(file, dict) or file.get("schema") != "tessera-result-1":
        raise PlotError(f"{path}: is not a result file (tessera-result-1)")
    return file


def read_curves(file):
    """{name: sorted [(nw, effective GB/s, achieved GB/s or None, R/W or None)]} of the valid rows,
    and the radius."""
    curves, radii = {}, set()
    for row in file["results"]:
        nw = re.search(r"(^|,)nw=(\d+)", row["configuration"])
        if row["status"] != "valid" or not nw:
            continue
        name = f"{row['variant']}:{row['configuration'].replace(nw[0], '')}"
        radii.add(int(row["stencil"].split("-r")[-1]))
        # A window taller than the grid walks the grid.
        walked = min(int(nw[2]), row["nz"])
        counters = row.get("counters", {})
        curves.setdefault(name, []).append((walked, row["effective_gb_per_s"],
                                            counters.get("achieved_gb_per_s"),
                                            counters.get("read_write_ratio")))
    if not curves:
        raise PlotError("no valid row names an nw: is it a result of inputs/amd-nw.toml?")
    if len(radii) > 1:
        raise PlotError(f"rows of several radii, {sorted(radii)}: one a plot")
    return {name: sorted(points, key=lambda p: p[0]) for name, points in curves.items()}, radii.pop()


def draw(curves, radius, file, output):
    """Two panels, one above the other."""
    figure, (top, bottom) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 7))
    for name, points in sorted(curves.items()):
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
    copy = (file.get("streams") or {}).get("copy")
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
        panel.legend(fontsize="small")
        panel.grid(alpha=0.3)
    first = next(row for row in file["results"] if row["status"] == "valid")
    figure.suptitle(f"{first['stencil']} {first['precision']}, {first['nx']} x {first['ny']} x "
                    f"{first['nz']}, {file['machine'].get('device') or file['machine']['name']}")
    figure.tight_layout()
    figure.savefig(output, dpi=150)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  plot_nw.py out/amd-nw.json --output out/amd-nw.png")
    parser.add_argument("result", type=Path, help="result file of tessera run inputs/amd-nw.toml")
    parser.add_argument("-o", "--output", type=Path, help="picture (default: RESULT with .png)")
    arguments = parser.parse_args()
    file = read_file(arguments.result)
    curves, radius = read_curves(file)
    output = arguments.output or arguments.result.with_suffix(".png")
    draw(curves, radius, file, output)
    print(output)


if __name__ == "__main__":
    try:
        main()
    except (PlotError, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: error: {error}")
