#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the gather and the snapshots of a shot as PNG, and a movie of the snapshots.

Reads what `tessera shot` left in its output directory: gather.csv or gather.sgy, snapshots.h5.
Writes gather.png and snapshots.png beside them (or into --output). A run that is still going
(files named *.part.*) can be drawn too, and is said to be unfinished; so can one that was killed.
With --model it draws the velocity with source and receivers alone: also of a deck, before the shot.
"""

import tempfile
from functools import partial
from pathlib import Path

from tessera_tools import command_line, errors, program
from tessera_tools.errors import ToolError

EXAMPLES = """
  plot_shot.py out/shot
  plot_shot.py out/shot --style wiggle --clip 98
  plot_shot.py out/shot --only snapshots --count 6 --slice y=1200
  plot_shot.py out/shot --only movie --movie out/shot/movie.gif
  plot_shot.py inputs/shot.toml --model --output out"""
PARTS = {"gather": "gather.csv or gather.sgy", "snapshots": "snapshots.h5",
         "movie": "snapshots.h5"}


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    add = parser.add_argument
    add("directory", type=Path, help="output directory of the shot; with --model also its deck")
    add("-o", "--output", type=Path, help="where the PNGs go (default: the directory; of a deck or in results/: "
        "here)")
    add("--model", action="store_true", help="draw the velocity, source and receivers: model.png")
    command_line.add_tessera(parser)
    add("--only", choices=list(PARTS), help="draw one of these")
    add("--style", choices=["image", "wiggle"], default="image", help="of the gather")
    add_number = partial(command_line.add_number, parser)
    add_number("--clip", float, 0, 100, above=True, default=96.0,
               help="percentile that saturates in the gather (96)")
    add_number("--wave-clip", float, 0, 100, above=True, default=99.2,
               help="the same for snapshots (99.2)")
    add_number("--agc", float, 0, 1e6, default=0.4,
               help="window of the gather's automatic gain in s, 0 for true amplitudes (0.4)")
    add_number("--line", int, 0, 1 << 22, help="line of receivers in the gather, from 1; 0: all receivers (the "
               "line with the most)")
    add_number("--gain", float, 0, 100, above=True, default=1.5,
               help="wiggle width in trace spacings (1.5)")
    add_number("--count", int, 1, 1000, default=4, help="number of snapshots (4)")
    add("--slice", help="plane of the snapshots, such as y=1200 (the source's y)")
    add("--movie", type=Path, metavar="FILE",
        help="also a movie of all snapshots: .gif, or .mp4 where ffmpeg is found")
    add_number("--dpi", int, 10, 1200, help="resolution of the PNGs (130) and of the movie (100)")
    options = parser.parse_args()
    # What the gather's, the snapshots' and the movie's options say has no effect on the others.
    others = {"gather": ["wave_clip", "count", "slice", "movie"],
              "snapshots": ["style", "clip", "agc", "line", "gain", "movie"],
              "movie": ["style", "clip", "agc", "line", "gain", "count", "output"]}
    if options.only:
        command_line.refuse_idle(parser, options, others[options.only], f"beside --only {options.only}")
    if options.model:
        command_line.refuse_idle(parser, options, ["only", "style", "agc", "line", "count", "movie"],
                                 "beside --model")
    if options.style != "wiggle":
        command_line.refuse_idle(parser, options, ["gain"], "without --style wiggle")
    if options.only == "movie" and options.movie is None:
        raise ToolError("--only movie: --movie names the file")
    return options


def wanted(part, options):
    """Whether a part is asked for; the movie is only where it is named."""
    return options.only in (None, part) and (part != "movie" or options.movie)


def draw_model(options):
    """The picture of --model. A deck's is what a dry run writes."""
    from tessera_tools import plotting, shots
    from tessera_tools.snapshot_plot import draw_snapshots
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.directory
        if folder.is_file():
            program.execute([program.find_tessera(options.tessera), "shot", str(folder), "--dry-run",
                             "--model", f"{scratch}/snapshots.h5"])
            folder = scratch
        shot = shots.snapshots(folder, options.slice or "source", 0)
    output = options.output or (Path() if options.directory.is_file() else
                                plotting.folder_for(options.directory))
    output.mkdir(parents=True, exist_ok=True)
    print(plotting.save(draw_snapshots(shot), output / "model.png", options.dpi or 130,
                        bbox_inches="tight"))


def main():
    options = parse_arguments()
    if options.model:
        return draw_model(options)
    from tessera_tools import plotting, shots  # these need NumPy, --help does not
    from tessera_tools.gather_plot import draw_gather
    from tessera_tools.snapshot_plot import check_movie, draw_snapshots, write_movie
    if options.movie:
        check_movie(options.movie)
    if not options.directory.is_dir():
        raise ToolError(f"{options.directory} is not a directory; run `tessera shot DECK` first")
    output = options.output or plotting.folder_for(options.directory)
    output.mkdir(parents=True, exist_ok=True)
    there = {"gather": shots.find_gather(options.directory),
             "snapshots": shots.find(options.directory, "snapshots.h5")}
    there["movie"] = there["snapshots"]
    parts = [part for part in PARTS if wanted(part, options) and there[part]]
    if not parts:
        names = PARTS.get(options.only, "gather.csv, gather.sgy or snapshots.h5")
        raise ToolError(f"{options.directory} has no {names}")
    for path in sorted({there[part] for part in parts}):
        if shots.is_unfinished(path):
            print(f"{path}: unfinished")
    plane = options.slice or "source"
    if "gather" in parts:
        gather, name = shots.line(shots.gather(options.directory), options.line)
        figure = draw_gather(gather, options.style, options.clip, options.agc, options.gain, name)
        print(plotting.save(figure, output / "gather.png", options.dpi or 130,
                            bbox_inches="tight"))
    if "snapshots" in parts:
        figure = draw_snapshots(shots.snapshots(options.directory, plane, options.count),
                                options.wave_clip)
        print(plotting.save(figure, output / "snapshots.png", options.dpi or 130,
                            bbox_inches="tight"))
    if "movie" in parts:
        print(write_movie(shots.snapshots(options.directory, plane), options.movie,
                          options.wave_clip, dpi=options.dpi or 100))


if __name__ == "__main__":
    errors.run(main)
