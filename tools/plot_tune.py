#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw what `tessera tune -o FILE` found: a heat map of rates over block sizes (Fang, figure 8).

Variants whose tiles have three extents and differ in y and z are drawn as maps, y by z; the others
as bars. Writes FILE.png (or --output).
"""

from pathlib import Path

from tessera_tools import command_line, errors, plotting, results
from tessera_tools.errors import ToolError

EXAMPLES = """
  tessera tune inputs/fang-37-random.toml -v 'ete/base_simd_blocked' -v 'ete/scatter' -o out/tune.json
  plot_tune.py out/tune.json"""


def rank(extent):
    """Order of extents: numbers, then the region's own."""
    return int(extent) if extent.isdigit() else float("inf")


def cells_of(rows):
    """{variant with its other keys: {(y, z): GCell/s}} of tiles with three extents."""
    maps = {}
    for row in rows:
        tile, *keys = row.configuration.split(",")
        extents = tile.split("x")
        chunk = [key[6:] for key in keys if key.startswith("chunk=")]
        if len(extents) == 2:  # streamed along z: the chunk is the block's z extent
            extents.append(chunk[0] if chunk else "full")
        if len(extents) == 3:
            others = [key for key in keys if not key.startswith("chunk=")]
            cells = maps.setdefault(",".join([row.variant, *others]), {})
            key = (extents[1], extents[2])
            cells[key] = max(cells.get(key, 0), row.rate)
    return maps


def draw_map(axes, variant, cells, limit):
    """Rates as colours and numbers."""
    ys = sorted({y for y, _ in cells}, key=rank)
    zs = sorted({z for _, z in cells}, key=rank)
    values = [[cells.get((y, z), float("nan")) for z in zs] for y in ys]
    image = axes.imshow(values, vmin=0, vmax=limit, origin="lower", cmap="viridis", aspect="auto")
    for (y, z), rate in cells.items():
        colour = "white" if rate < 0.6 * limit else "black"
        axes.text(zs.index(z), ys.index(y), f"{rate:.3g}", ha="center", va="center", color=colour,
                  fontsize=8)
    axes.set_xticks(range(len(zs)), zs)
    axes.set_yticks(range(len(ys)), ys)
    axes.set_xlabel("block along z, cells")
    axes.set_ylabel("block along y, cells")
    axes.set_title(variant)
    return image


def draw_bars(axes, rows):
    """A bar a configuration, the fastest on top."""
    ordered = sorted(rows, key=lambda row: row.rate)
    axes.barh([row.name for row in ordered], [row.rate for row in ordered], color=plotting.MAIN)
    axes.set_xlabel("GCell/s, median")
    axes.tick_params(axis="y", labelsize=7)


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("result", type=Path, help="result file of tessera tune")
    parser.add_argument("-o", "--output", type=Path, help="picture (default: FILE.png)")
    arguments = parser.parse_args()
    rows = [row for row in results.read(arguments.result).rows if row.rate]
    if not rows:
        raise ToolError(f"{arguments.result}: no configuration has a rate")
    maps = {
        variant: cells
        for variant, cells in cells_of(rows).items()
        if len({y for y, _ in cells}) > 1 and len({z for _, z in cells}) > 1
    }
    limit = max(row.rate for row in rows)
    count = len(maps) + 1
    figure, axes = plotting.pyplot().subplots(
        1, count, figsize=(5 * count, max(4, 0.22 * len(rows))), squeeze=False, layout="constrained"
    )
    images = [draw_map(axis, variant, cells, limit)
              for axis, (variant, cells) in zip(axes[0], sorted(maps.items()))]
    if images:
        figure.colorbar(images[-1], ax=axes[0, : len(maps)].tolist(), label="GCell/s, median")
    draw_bars(axes[0, -1], rows)
    output = arguments.output or arguments.result.with_suffix(".png")
    print(plotting.save(figure, output, dpi=150))


if __name__ == "__main__":
    errors.run(main)
