#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the gather and the snapshots of a shot as PNG.

Reads what `tessera shot` left in its output directory: gather.csv or gather.sgy, snapshots.h5.
Writes gather.png and snapshots.png beside them (or into --output). A run that is still going
(files named *.part.*) can be drawn too.
"""

from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError

EXAMPLES = """
  plot_shot.py out/shot
  plot_shot.py out/shot --style wiggle --clip 98
  plot_shot.py out/shot --only snapshots --count 6 --slice y=1200"""


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    add = parser.add_argument
    add("directory", type=Path, help="output directory of the shot")
    add("--output", type=Path, help="where the PNGs go (default: the directory)")
    add("--only", choices=["gather", "snapshots"], help="draw one of the two")
    add("--style", choices=["image", "wiggle"], default="image", help="of the gather")
    add("--segy", action="store_true", help="prefer gather.sgy to gather.csv")
    add("--clip", type=float, default=96.0, help="percentile that saturates in the gather (96)")
    add("--wave-clip", type=float, default=99.2, help="the same for snapshots (99.2)")
    add("--time-power", type=float, default=1.0, help="gain t^p of the gather, 0 for none (1)")
    add("--gain", type=float, default=1.5, help="wiggle width in trace spacings (1.5)")
    add("--count", type=int, default=4, help="number of snapshots (4)")
    add("--slice", help="plane of the snapshots, such as y=1200 (the source's y)")
    add("--dpi", type=int, default=130, help="resolution of the PNGs (130)")
    options = parser.parse_args()
    for name, value in (("--clip", options.clip), ("--wave-clip", options.wave_clip)):
        if not 0 < value <= 100:
            raise ToolError(f"{name} {value} is not between 0 and 100")
    if options.count < 1 or options.dpi < 10:
        raise ToolError("--count must be at least 1 and --dpi at least 10")
    return options


def main():
    options = parse_arguments()
    from tessera_tools.gather_plot import plot_gather  # these need NumPy, --help does not
    from tessera_tools.snapshot_plot import plot_snapshots
    if not options.directory.is_dir():
        raise ToolError(f"{options.directory} is not a directory; run `tessera shot DECK` first")
    output = options.output or options.directory
    output.mkdir(parents=True, exist_ok=True)
    drawn = []
    if options.only != "snapshots":
        drawn.append(plot_gather(options.directory, output, options))
    if options.only != "gather":
        drawn.append(plot_snapshots(options.directory, output, options))
    if not any(drawn):
        names = {"gather": "gather.csv or gather.sgy", "snapshots": "snapshots.h5"}
        wanted = names.get(options.only, "gather.csv, gather.sgy or snapshots.h5")
        raise ToolError(f"{options.directory} has no {wanted}")
    for path in filter(None, drawn):
        print(path)


if __name__ == "__main__":
    errors.run(main)
