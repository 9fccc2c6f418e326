#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the documented form of a velocity model (docs/velocity.md) from a file of another program: HDF5,
NetCDF with CF attributes, SEG-Y (also of sheared or mirrored grids), or raw numbers.

Axes are transposed and flipped to [z][y][x] or [z][x] from the top down, velocities and slownesses in
any of m/s, km/s, ft/s, s/m, s/km, us/ft, s2/m2, s2/km2 become m/s, lengths m; missing values are
filled, uneven or sheared grids resampled. It prints a line for each change, and the deck's [model].
"""

from pathlib import Path

import numpy as np

from tessera_tools import command_line, errors, foreign_models
from tessera_tools.errors import ToolError
from tessera_tools.files import check_output, replacing

EXAMPLES = """
  convert_model.py marmousi.segy -o marmousi.h5 --dz 1.25
  convert_model.py field.nc -o model.h5 --variable vp --crop x=2000:8000,z=0:3000
  convert_model.py vp.bin -o model.h5 --nx 401 --nz 121 --dx 25 --dz 25 --dtype '>f4' --order xz
  convert_model.py coarse.h5 -o model.h5 --resample x=12.5,z=12.5 --units km/s"""


def by_axis(text, option, count):
    """x=A or x=A:B, an axis after the other, as numbers by axis."""
    try:
        pairs = [word.split("=") for word in text.split(",") if word]
        found = {axis: [float(number) for number in value.split(":")] for axis, value in pairs}
    except ValueError:
        found = {"": []}
    if not set(found) <= set("xyz") or any(len(value) != count for value in found.values()):
        raise ToolError(f"{option} {text}: must be like x={'A:B'[:2 * count - 1]},z=...")
    return found


def write(model, path):
    """[z][y][x] or [z][x] as float32, m/s, with a scale in m for each axis."""
    import h5py
    check_output(path)
    with replacing(path, ".h5") as part, h5py.File(part, "w") as file:
        file["m"] = np.asarray(model, "f4")
        file["m"].attrs["units"] = "m/s"
        for axis, name in enumerate(model.dims):
            file[name] = np.asarray(model[name], "f8")
            file[name].attrs["units"] = "m"
            file[name].make_scale(name)
            file["m"].dims[axis].attach_scale(file[name])
            file["m"].dims[axis].label = name


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("input", type=Path, help="a file; .sgy and .segy are SEG-Y, unknown ones raw")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the HDF5 file to write")
    parser.add_argument("--variable", help="the field, where the file has several")
    parser.add_argument("--order", help="its axes, slowest first, such as zyx or xz (default: their names; "
                        "raw: zyx)")
    parser.add_argument("--units", help="of the values, where the file has none or a wrong one")
    parser.add_argument("--up", action="store_true", help="its z grows upwards")
    parser.add_argument("--fill", default="nearest", help="missing values: nearest (default), or m/s")
    parser.add_argument("--dtype", default="<f4", help="of raw numbers (default <f4)")
    for axis in "xyz":
        command_line.add_number(parser, f"--n{axis}", int, 1, 2**31, metavar="N",
                                help=f"samples along {axis} of raw numbers" +
                                (", or traces a row of SEG-Y" if axis == "x" else ""))
        command_line.add_number(parser, f"--d{axis}", float, 1e-6, 1e9, metavar="M",
                                help=f"spacing along {axis} in m, where the file has none")
    parser.add_argument("--resample", default="", metavar="x=M,z=M", help="to other spacings, m")
    parser.add_argument("--crop", default="", metavar="x=A:B,z=A:B", help="to ranges, m")
    options = parser.parse_args()
    resample = {a: v[0] for a, v in by_axis(options.resample, "--resample", 1).items()}
    crop = by_axis(options.crop, "--crop", 2)
    check_output(options.output)
    if options.output.resolve() == options.input.resolve():
        raise ToolError(f"{options.output}: is the input: name another output")
    steps = []
    try:
        model = foreign_models.read(options.input, options, steps)
        model = foreign_models.oriented(model, options, steps)
        model = foreign_models.velocities(model, options.units, steps)
        model = foreign_models.filled(model, options.fill, steps)
        model = foreign_models.regular(model, resample, crop, steps)
    except ToolError as error:
        raise ToolError(f"{options.input}: {error}") from None
    write(model, options.output)
    print("\n".join(steps + [f"wrote {options.output}: " + ", ".join(
        f"{axis} {model.sizes[axis]}" for axis in model.dims) +
        f" samples, {float(model.min()):g} to {float(model.max()):g} m/s", "", "[model]",
        'kind = "hdf5"', f'file = "{options.output}"'] + [
            f"d{axis} = {float(model[axis][1] - model[axis][0]):.9g}"
            for axis in reversed(model.dims) if model.sizes[axis] > 1] + (
                ["extrude_y = true"] if model.sizes.get("y", 1) == 1 else [])))


if __name__ == "__main__":
    errors.run(main)
