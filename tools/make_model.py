#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The velocity model that ships: inputs/models/thrust.f32, a plane of a fold-and-thrust belt.

Made up, in the style of models that imaging is tried on: beds that are folded over two ramps and
cut by their faults, an eroded top under weathered rock, two channels, a fast carbonate bed and a
flat basement. 201 samples along x, 25 m apart, and 121 along z, 12.5 m apart: 5 km by 1.5 km. Raw
little-endian float32, in m/s, z slowest. Velocities are whole numbers, so that rounding does not change the file.
"""

import math
import struct
from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.files import ROOT, write_whole

NX, NZ = 201, 121
DX, DZ = 25.0, 12.5  # m
EXAMPLES = "  make_model.py inputs/models/thrust.f32"
# Tops of the beds below a datum, in m, and their velocities in m/s.
BEDS = ((-1e9, 2250), (80, 2400), (190, 2700), (260, 2550), (390, 2950), (480, 3600), (560, 3150),
        (700, 3350), (830, 3250), (930, 3700), (1080, 3900))
BASEMENT = (1330.0, 4500)
# Faults: where they leave the basement (x in m), the slope dz/dx of their ramp, the throw in m.
FAULTS = ((1500.0, -0.55, 210.0), (3100.0, -0.7, 260.0))
# Channels in the cover: middle, width and depth in m, velocity.
CHANNELS = ((900.0, 420.0, 70.0, 1950), (3900.0, 560.0, 90.0, 1900))
WEATHERED = 1750


def uplift(x, z):
    """How far up the beds at a place were moved, in m: by each fault that it lies above, and by the
    fold over its ramp, which dies out away from it."""
    moved = 0.0
    for foot, slope, throw in FAULTS:
        ramp = BASEMENT[0] + slope * (x - foot)  # depth of the fault under x
        if z < ramp:
            moved += throw * math.exp(-(((x - foot - 900.0) / 1100.0) ** 2))
    return moved


def topography(x):
    """Depth of the eroded surface under the weathered rock, in m."""
    return 45.0 + 18.0 * math.sin(2 * math.pi * x / 1900.0) + 10.0 * math.sin(2 * math.pi * x / 610.0)


def velocity(x, z):
    """m/s at a place in m."""
    surface = topography(x)
    for middle, width, depth, slow in CHANNELS:
        across = (x - middle) / (0.5 * width)
        if abs(across) < 1 and z < surface + depth * (1 - across * across):
            return slow if z > 0.5 * surface else WEATHERED
    if z < surface:
        return WEATHERED
    if z > BASEMENT[0]:
        return BASEMENT[1]
    level = z + uplift(x, z) + 25.0 * math.sin(2 * math.pi * x / 2700.0)
    return [v for top, v in BEDS if level >= top][-1]


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("output", nargs="?", type=Path, default=ROOT / "inputs/models/thrust.f32",
                        help="where to write it (default: the file that ships)")
    arguments = parser.parse_args()
    values = [velocity(i * DX, k * DZ) for k in range(NZ) for i in range(NX)]
    write_whole(arguments.output, struct.pack(f"<{len(values)}f", *values))
    print(f"wrote {arguments.output}: {NX} x {NZ} samples, {min(values)} to {max(values)} m/s")


if __name__ == "__main__":
    errors.run(main)
