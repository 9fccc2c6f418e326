#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw what `tessera tune -o FILE` found: a heat map of rates over block sizes (Fang, figure 8).

Variants whose tiles have three extents and differ in y and z are drawn as maps, y by z; beside them
a bar for each configuration. Writes FILE.png for FILE.json (or --output).
"""

from pathlib import Path

from tessera_tools import command_line, errors, results
from tessera_tools.errors import ToolError

EXAMPLES = """
  tessera tune inputs/fang-37-random.toml -v ete/base_simd_blocked -v ete/scatter -o out/tune
  plot_tune.py out/tune/result.json"""


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("result", type=Path, help="result file of tessera tune")
    parser.add_argument("-o", "--output", type=Path, help="picture (default: FILE.png)")
    arguments = parser.parse_args()
    from tessera_tools import charts, plotting
    output = arguments.output or plotting.beside(arguments.result)
    plotting.check_picture(output)
    rows = [row for row in results.read(arguments.result).rows if row.rate]
    if not rows:
        raise ToolError(f"{arguments.result}: no configuration has a rate")
    found = [*charts.tile_maps(rows), charts.tile_bars(rows)]
    figure, axes = plotting.pyplot().subplots(
        1, len(found), figsize=(5.4 * len(found), max(4, 0.22 * len(rows))), squeeze=False,
        layout="constrained")
    for place, chart in zip(axes[0], found):
        charts.draw(chart, place)
    print(plotting.save(figure, output, dpi=150))


if __name__ == "__main__":
    errors.run(main)
