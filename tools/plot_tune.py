#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw what `tessera tune -o FILE` found: a heat map of rates over block sizes (Fang, figure 8).

Variants whose tiles have three extents and differ in y and z are drawn as maps, y by z; the others
as bars. Writes FILE.png (or --output).
"""

import argparse
import json
import sys
from pathlib import Path

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
except ImportError as error:
    needed = "on Debian: apt-get install python3-matplotlib python3-numpy"
    sys.exit(f"plot_tune.py: error: {error}; {needed}")

EXAMPLES = """examples:
  tessera tune inputs/fang-37-random.toml -v 'ete/base_simd_blocked' 'ete/scatter' -o out/tune.json
  plot_tune.py out/tune.json
"""


def rank(extent):
    """Order of extents: numbers, then the region's own."""
    return float("inf") if extent == "full" else int(extent)


def cells_of(rows):
    """{variant with its other keys: {(y, z): GCell/s}} of tiles with three extents."""
    maps = {}
    for row in rows:
        tile, *keys = row["configuration"].split(",")
        extents = tile.split("x")
        chunk = [key[6:] for key in keys if key.startswith("chunk=")]
        if len(extents) == 2:  # streamed along z: the chunk is the block's z extent
            extents.append(chunk[0] if chunk else "full")
        if row.get("gcell_per_s") and len(extents) == 3:
            others = [key for key in keys if not key.startswith("chunk=")]
            cells = maps.setdefault(",".join([row["variant"], *others]), {})
            key = (extents[1], extents[2])
            cells[key] = max(cells.get(key, 0), row["gcell_per_s"]["median"])
    return maps


def draw_map(axes, variant, cells, limit):
    ys = sorted({y for y, _ in cells}, key=rank)
    zs = sorted({z for _, z in cells}, key=rank)
    values = np.full((len(ys), len(zs)), np.nan)
    for (y, z), rate in cells.items():
        values[ys.index(y), zs.index(z)] = rate
    image = axes.imshow(values, vmin=0, vmax=limit, origin="lower", cmap="viridis", aspect="auto")
    for (i, j), rate in np.ndenumerate(values):
        if np.isfinite(rate):
            colour = "white" if rate < 0.6 * limit else "black"
            axes.text(j, i, f"{rate:.3g}", ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(len(zs)), zs)
    axes.set_yticks(range(len(ys)), ys)
    axes.set_xlabel("block along z, cells")
    axes.set_ylabel("block along y, cells")
    axes.set_title(variant)
    return image


def draw_bars(axes, rows):
    valid = [row for row in rows if row.get("gcell_per_s")]
    valid.sort(key=lambda row: row["gcell_per_s"]["median"])
    names = [f"{row['variant']}:{row['configuration']}" for row in valid]
    axes.barh(names, [row["gcell_per_s"]["median"] for row in valid], color="tab:blue")
    axes.set_xlabel("GCell/s, median")
    axes.tick_params(axis="y", labelsize=7)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("result", type=Path, help="result file of tessera tune")
    parser.add_argument("-o", "--output", type=Path, help="picture (default: FILE.png)")
    arguments = parser.parse_args()
    try:
        rows = json.loads(arguments.result.read_text())["results"]
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"plot_tune.py: error: {arguments.result}: {error}")
    rows = [row for row in rows if row.get("gcell_per_s")]
    if not rows:
        sys.exit(f"plot_tune.py: error: {arguments.result}: no configuration has a rate")
    maps = {
        variant: cells
        for variant, cells in cells_of(rows).items()
        if len({y for y, _ in cells}) > 1 and len({z for _, z in cells}) > 1
    }
    limit = max(row["gcell_per_s"]["median"] for row in rows)
    count = len(maps) + 1
    figure, axes = plt.subplots(
        1, count, figsize=(5 * count, max(4, 0.22 * len(rows))), squeeze=False, layout="constrained"
    )
    image = None
    for axis, (variant, cells) in zip(axes[0], sorted(maps.items())):
        image = draw_map(axis, variant, cells, limit)
    if image is not None:
        figure.colorbar(image, ax=axes[0, : len(maps)].tolist(), label="GCell/s, median")
    draw_bars(axes[0, -1], rows)
    output = arguments.output or arguments.result.with_suffix(".png")
    figure.savefig(output, dpi=150)
    print(output)


if __name__ == "__main__":
    main()
