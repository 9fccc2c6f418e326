#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much finer must finite differences step for the accuracy of an ete shot (Fang II)?

Shoots into a uniform medium with the ete operator at a long time step, and with finite differences
at 1/1, 1/2, ... of it, and compares each gather, before anything returns from a boundary, with the
analytic solution f(t - r/V) / (4 pi r). Prints the errors and where finite differences meet the ete
operator; draws both with --plot.
"""

import math
import tempfile
from functools import partial
from pathlib import Path

from tessera_tools import command_line, errors, plotting
from tessera_tools.errors import ToolError
from tessera_tools.program import execute, find_tessera

EXAMPLES = """
  ete_accuracy.py --tessera build/openmp/tessera
  ete_accuracy.py --stencil 37pt --peak 12 --plot out/ete_accuracy.png"""
DECK = """[case]
nx = {n}
ny = {n}
nz = {n}
duration_s = {time}
precision = "double"
[acoustic]
h = {h}
pml_cells = {layer}
f_max = {f_max}
cfl = {cfl}
v_max = {v}
[model]
kind = "uniform"
v = {v}
[[source]]
x = {centre}
y = {centre}
z = {centre}
f_peak = {peak}
amplitude = 1e3
[[receivers]]
start = [{axis}, {centre}, {centre}]
[[receivers]]
start = [{diagonal}, {diagonal}, {centre}]
[shot]
operator = "{operator}"
ete_stencil = "{stencil}"
[output]
segy = false
"""


def shoot(options, operator, parts, folder):
    """Errors of the receivers at 1/parts of the time step, sqrt(sum (u - exact)^2 / sum exact^2).
    """
    inner = 2 * options.reach + 1
    centre = options.reach * options.h
    distance = round(0.48 * options.reach)
    diagonal = round(0.34 * options.reach)
    places = [distance * options.h, math.hypot(diagonal, diagonal) * options.h]
    # The direct wave has passed the receivers; what the layers return travelled further.
    time = 2.4 / options.peak + max(places) / options.velocity
    deck = folder / "deck.toml"
    deck.write_text(
        DECK.format(
            n=inner + 2 * options.layer, time=time, h=options.h, layer=options.layer,
            f_max=2.5 * options.peak, cfl=options.cfl / parts, v=options.velocity, centre=centre,
            peak=options.peak, axis=centre + distance * options.h,
            diagonal=centre + diagonal * options.h, operator=operator, stencil=options.stencil,
        ),
        encoding="utf-8",
    )
    shot = folder / "shot"
    execute([options.tessera, "shot", str(deck), "-o", str(shot)])
    difference = [0.0, 0.0]
    norm = [0.0, 0.0]
    for line in (shot / "gather.csv").read_text(encoding="utf-8").splitlines():
        try:
            values = [float(field) for field in line.split(",")]
        except ValueError:
            continue  # comments and headings
        for i, r in enumerate(places):
            a = math.pi * options.peak * (values[0] - r / options.velocity - 1.2 / options.peak)
            exact = 1e3 * (1 - 2 * a * a) * math.exp(-a * a) / (4 * math.pi * r)
            difference[i] += (values[i + 1] - exact) ** 2
            norm[i] += exact**2
    if not all(norm):
        raise ToolError("the gather ends before the wave arrives")
    return [math.sqrt(d / n) for d, n in zip(difference, norm)]


def draw(path, parts, fd, ete):
    """Errors of finite differences against their time step, ete's as a line."""
    figure, axes = plotting.pyplot().subplots(figsize=(6, 4), layout="constrained")
    axes.loglog(parts, fd, "o-", label="finite differences, dt / n")
    axes.axhline(ete, color="tab:red", label="ete, dt")
    axes.set_xlabel("n: time steps of finite differences for one of ete")
    axes.set_ylabel("relative error of the gather")
    axes.set_xticks(parts, [str(p) for p in parts])
    axes.legend()
    print(plotting.save(figure, path, dpi=150))


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("--tessera", metavar="PROGRAM",
                        help="the program (default: build/openmp/tessera, or the only build)")
    parser.add_argument("--stencil", default="73pt", choices=["37pt", "73pt"])
    add_number = partial(command_line.add_number, parser)
    add_number("--cfl", float, 0, 1, above=True, default=0.9,
               help="ete's time step, of the finite differences' limit (0.9)")
    add_number("--velocity", float, 0, 1e5, above=True, default=2000, help="m/s (2000)")
    add_number("--h", float, 0, 1e5, above=True, default=10, help="grid spacing in m (10)")
    add_number("--peak", float, 0, 1e5, above=True, default=12,
               help="Hz, of the Ricker wavelet (12)")
    # Receivers lie at half of it.
    add_number("--reach", int, 2, 1000, default=50, help="cells from source to layers (50)")
    add_number("--layer", int, 1, 1000, default=10, help="cells of the layers (10)")
    add_number("--most", int, 1, 1000, default=8, help="finest step tried: dt / MOST (8)")
    parser.add_argument("--plot", type=Path, help="also draw the errors")
    options = parser.parse_args()
    if options.plot:
        plotting.check_picture(options.plot)  # before anything runs for minutes
    options.tessera = find_tessera(options.tessera, "build/openmp/tessera")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ete = max(shoot(options, "ete", 1, folder))
        print(f"ete, {options.stencil}, dt: error {ete:.3e}")
        parts = list(range(1, options.most + 1))
        fd = []
        for n in parts:
            fd.append(max(shoot(options, "fd", n, folder)))
            print(f"finite differences, dt/{n}: error {fd[-1]:.3e}, {fd[-1] / ete:.2f} times ete's")
    met = [n for n, error in zip(parts, fd) if error <= ete]
    if met:
        print(f"finite differences reach ete's error with {met[0]} steps for one of ete")
    else:
        print(f"finite differences do not reach ete's error with {options.most} steps for one of "
              "ete")
    if options.plot:
        draw(options.plot, parts, fd, ete)


if __name__ == "__main__":
    errors.run(main)
