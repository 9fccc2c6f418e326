#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure what absorbing layers send back, by angle of incidence.

Runs `tessera shot` of a Ricker wavelet in a uniform medium, source and receivers half a wavelength of
its peak from one layer, so that the wave meets it at the angles; a second shot has that layer out of
reach. The difference of the two traces, over what a mirror in the layer's place would send, is the
reflection. Prints the table of docs/shot.md and writes all figures as CSV.
"""

import math
import tempfile
from pathlib import Path

import numpy as np
from tessera_tools import command_line, errors, program, shots
from tessera_tools.errors import ToolError
from tessera_tools.files import write_whole

EXAMPLES = """
  layer_reflection.py --output reflection.csv
  layer_reflection.py --layers convolutional --widths 6 10 --points 10"""
ANGLES = (0, 30, 45, 60, 70, 75, 80)  # degrees from the layer's normal
V, PEAK = 2000.0, 10.0  # m/s, Hz
WAVE = V / PEAK  # m
NEAR, FAR, BESIDE = WAVE / 2, 3 * WAVE, 1.25 * WAVE  # of source and receivers to layers
WAVELET = 2.4 / PEAK  # s: from its start to its end


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("--layers", nargs="+", choices=["paper", "convolutional"],
                        default=["paper", "convolutional"], help="kinds of layers (both)")
    command_line.add_number(parser, "--widths", int, 4, 100, nargs="+", default=[10, 20, 27],
                            help="cells of a layer (10 20 27)")
    command_line.add_number(parser, "--points", int, 5, 50, nargs="+", default=[10, 15],
                            help="grid points on the peak's wavelength (10 15)")
    parser.add_argument("--output", type=Path, help="CSV of all figures")
    command_line.add_tessera(parser)
    return parser.parse_args()


def places():
    """Of receivers, m along the layer and away from it; the last angle's is the farthest."""
    return [(0.0, 2 * NEAR) if angle == 0 else (2 * NEAR * math.tan(math.radians(angle)), NEAR)
            for angle in ANGLES]


def traces(tessera: str, layers: str, width: int, points: int, depth: float):
    """Times and traces with the source `depth` m from the layer on top."""
    h = WAVE / points
    reach = places()[-1][0]
    cells = [round(length / h) + 1 + 2 * width for length in
             (reach + 2 * BESIDE, 2 * FAR, depth + FAR + NEAR)]
    duration = math.hypot(reach, 2 * NEAR) / V + WAVELET
    deck = (f'[case]\nnx = {cells[0]}\nny = {cells[1]}\nnz = {cells[2]}\nduration_s = {duration}\n'
            f'[acoustic]\nh = {h}\npml_cells = {width}\nlayers = "{layers}"\n'
            f'[model]\nkind = "uniform"\nv = {V}\n'
            f'[[source]]\nx = {BESIDE}\ny = {FAR}\nz = {depth}\nf_peak = {PEAK}\namplitude = 1e3\n'
            "[output]\nsegy = false\n")
    for x, z in places():
        deck += f"[[receivers]]\nstart = [{BESIDE + x}, {FAR}, {depth + z - NEAR}]\n"
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "deck.toml"
        path.write_text(deck)
        program.execute([tessera, "shot", str(path), "-o", f"{scratch}/shot"])
        gather = shots.gather(f"{scratch}/shot")
        return gather["time"].values, gather["pressure"].values.T


def reflections(times, found, reference):
    """By angle, of a wave on its way: the spreading of the mirror's path is taken out."""
    for angle, (x, z), u, exact in zip(ANGLES, places(), found, reference):
        direct, mirrored = math.hypot(x, z - NEAR), math.hypot(x, z + NEAR)
        seen = times <= mirrored / V + WAVELET
        yield angle, (np.linalg.norm((u - exact)[seen]) / np.linalg.norm(exact[seen])
                      * mirrored / direct)


def main():
    options = parse_arguments()
    tessera = program.find_tessera(options.tessera)
    lines = ["layers,width_cells,points_per_wavelength,angle_deg,reflection"]
    print("| layers | cells | points | " + " | ".join(f"{angle}°" for angle in ANGLES) + " |")
    print("| --- " * (3 + len(ANGLES)) + "|")
    for points in options.points:
        times, reference = traces(tessera, "paper", 20, points, FAR)
        for layers in options.layers:
            for width in options.widths:
                _, found = traces(tessera, layers, width, points, NEAR)
                if found.shape != reference.shape:
                    raise ToolError("the two shots differ in their number of steps")
                row = list(reflections(times, found, reference))
                lines += [f"{layers},{width},{points},{angle},{value:.5f}" for angle, value in row]
                print(f"| {layers} | {width} | {points} | "
                      + " | ".join(f"{100 * value:.2g} %" for _, value in row) + " |", flush=True)
    if options.output:
        write_whole(options.output, "\n".join(lines) + "\n")


if __name__ == "__main__":
    errors.run(main)
