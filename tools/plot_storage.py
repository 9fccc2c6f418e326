#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rate against error of fields in 16 bits (acoustic.storage): a point a format and machine.

Reads result files of `tessera run` with acoustic.storage = plain, half ...: the fastest valid row of
each format, machine, grid and layer width is a point, its rate over that of plain fields there; they
have no error of storage and stand at the left edge. The line joins, machine by machine, the formats that
no other beats in both.
"""

from pathlib import Path

from tessera_tools import command_line, errors, plotting, results
from tessera_tools.errors import ToolError

EXAMPLES = """
  plot_storage.py results/nvidia-h*00/storage/layers-{plain,half,half_difference}.json --output out/storage.png"""
MARKERS = {"plain": "o", "half": "s", "half_difference": "D", "bhalf": "X", "float24": "^", "block16": "v"}


def fastest(paths):
    """{(machine, problem): {format: (rate, error, variant)}} of the files' valid rows."""
    points = {}
    for path in paths:
        file = results.read(path)
        physics = file.deck.get("acoustic", {})
        if physics.get("vp_storage", "field") != "field":
            continue
        for row in results.select(file.rows, status="valid", family="acoustic"):
            layers = physics.get("pml_cells")
            where = (file.device, f"{' x '.join(map(str, row.grid))}, layers of {layers} cells")
            of = points.setdefault(where, {})
            found = (row.rate, row.resources.get("storage_error", 0.0), row.variant)
            name = physics.get("storage", "plain")
            of[name] = max(found, of.get(name, found))
    if not any(error > 0 for of in points.values() for _, error, _ in of.values()):
        raise ToolError("no valid row has a storage_error: run with acoustic.storage = \"half\"")
    for (device, problem), of in points.items():
        if "plain" not in of:
            raise ToolError(f"{device}, {problem}: no valid row of plain fields to compare with")
    return points


def unbeaten(of):
    """The points that no other beats in rate and error, by rising error."""
    best, kept = 0.0, []
    for rate, error, _ in sorted(of.values(), key=lambda point: (point[1], -point[0])):
        if rate > best:
            best = rate
            kept.append((error, rate))
    return kept


def draw(points):
    figure, axes = plotting.pyplot().subplots(figsize=(7, 4.5))
    exact = min(error for of in points.values() for _, error, _ in of.values() if error > 0) / 10
    lines, markers = [], []
    for (device, problem), of in sorted(points.items()):
        plain = of["plain"][0]
        lines += axes.plot(*zip(*((max(e, exact), rate / plain) for e, rate in unbeaten(of))), "-",
                           label=plotting.short(f"{device}, {problem}"))
        for name, (rate, error, _) in of.items():
            axes.plot(max(error, exact), rate / plain, MARKERS.get(name, "*"), color=lines[-1].get_color())
    for name in dict.fromkeys(name for of in points.values() for name in of):
        markers += axes.plot([], [], MARKERS.get(name, "*"), color="grey", label=plotting.short(name))
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("relative L2 error of the field after the run's steps; at the left edge none")
    axes.set_ylabel("rate over that of plain fields")
    axes.grid(alpha=0.3)
    axes.add_artist(axes.legend(handles=lines, loc="lower left"))
    axes.legend(handles=markers, loc="lower right")
    figure.tight_layout()
    return figure


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("results", type=Path, nargs="+", help="result files of tessera run")
    parser.add_argument("-o", "--output", type=Path, default=Path("storage.png"),
                        help="picture (default: %(default)s)")
    arguments = parser.parse_args()
    plotting.check_picture(arguments.output)
    print(plotting.save(draw(fastest(arguments.results)), arguments.output, dpi=150))


if __name__ == "__main__":
    errors.run(main)
