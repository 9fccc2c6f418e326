#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the gathers of a survey, or the one of a shot, into one HDF5 file in the form of netCDF 4:
pressure [shot, receiver, time] in Pa with the places of sources and receivers in m, depths down.

In Python one line opens it: xarray.open_dataset("gathers.h5")
"""

from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError
from tessera_tools.files import check_output, replacing

EXAMPLES = """
  pack_gathers.py out/survey -o gathers.h5"""


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("directory", type=Path, help="of the survey or the shot")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    options = parser.parse_args()
    check_output(options.output, ".h5")
    from tessera_tools import shots
    packed = shots.gathers(options.directory)
    # Times are numbers of s: not dates.
    fixed = {name: {"_FillValue": None} for name in packed.variables if name != "pressure"}
    try:
        with replacing(options.output, ".h5") as part:
            packed.to_netcdf(part, engine="h5netcdf", encoding=fixed)
    except (ImportError, ValueError) as error:
        raise ToolError(f"cannot write {options.output}: {errors.one_line(error)} "
                        "(it needs h5py and h5netcdf)") from None
    print(f"wrote {options.output}: " + ", ".join(f"{n} {name}s" for name, n in packed.sizes.items()))


if __name__ == "__main__":
    errors.run(main)
