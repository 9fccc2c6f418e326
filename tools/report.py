#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write a study as one HTML file that opens from disk: which machine is faster, charts, all rows.

Efficiencies, Phi, rankings and choices are those of tools/compare.py, which takes the same inputs:
result files, folders of these, published tables, files of `tessera predict -o`, NAME=PATH. Files of
`tessera tune` give maps of tiles.
"""

from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.files import check_output, make_folder, write_whole
from tessera_tools.program import ask_json, find_tessera

EXAMPLES = """
  report.py results/nvidia-h100 results/nvidia-h200 -o out/report.html
  report.py results/nvidia-h100 --tessera build/openmp/tessera -o out/report.html
  report.py laptop=out/quick out/tune --svg out/figures
"""


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("inputs", nargs="+", metavar="FOLDER-or-FILE")
    parser.add_argument("-o", "--output", type=Path, default=Path("report.html"), metavar="FILE",
                        help="the page (default: report.html)")
    parser.add_argument("--svg", type=Path, metavar="FOLDER",
                        help="also write each chart as SVG into this folder")
    parser.add_argument("-p", "--platforms", action="append", default=[], metavar="GLOB",
                        help="as of compare.py: these form the set of Phi")
    parser.add_argument("--title", default="Portability study")
    parser.add_argument("--tessera", metavar="PROGRAM", help="also draw what the model of this program "
                        "predicts of folders with a machine.json (stored predictions are not drawn)")
    return parser.parse_args()


def predicted(program, inputs):
    """Of each folder with a machine file what the program predicts of its rows."""
    from tessera_tools.compared_rows import split_input
    folders = {name or path.name: path for name, path in map(split_input, inputs)
               if program and (path / "machine.json").is_file()}
    return {name: ask_json([find_tessera(program), "predict", "--study", str(path)], str(path))
            for name, path in folders.items()}


def main():
    arguments = parse_arguments()
    from tessera_tools import charts, comparison, convergence
    from tessera_tools.charts import matplotlib_figures
    from tessera_tools.report import page
    check_output(arguments.output, ".html")
    found = comparison.compare(arguments.inputs, arguments.platforms, tunings=False)
    make_folder(arguments.output.parent)
    drawn = [*charts.rooflines(found), *charts.bars(found), *charts.heat_maps(found),
             *charts.cascades(found),
             *(charts.navigation(found, convergence.read()) if convergence.STORED.is_file() else ()),
             *charts.tile_maps(row for _, row in found.measured),
             *charts.predictions(predicted(arguments.tessera, arguments.inputs))]
    write_whole(arguments.output, page.render(found, drawn, arguments.title))
    print(arguments.output)
    if arguments.svg:
        written = matplotlib_figures.write(drawn, arguments.svg)
        print(f"{len(written)} charts in {arguments.svg}")


if __name__ == "__main__":
    errors.run(main)
