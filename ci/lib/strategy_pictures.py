#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each strategy's tile and its traffic as a picture, from the plan's own numbers.

Usage: ci/lib/strategy_pictures.py TESSERA [FOLDER]      (default: docs/images/strategies)
The plans are those of `tessera list --machine H100 --json`: no device is needed.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINE, RADIUS = "H100", 4
STRATEGIES = ["naive:64x4x1", "gmem:8x8x8", "jam:32x8,nz=2", "smem_u:8x8x8", "st_smem:16x16",
              "st_reg_fixed:32x16", "st_async:128x8,v=4,chunk=64", "two_step:56x24,copies=bulk"]
BARS = [("loads_per_cell", "loads", "#4477aa"), ("stores_per_cell", "stores", "#66ccee"),
        ("scratch_loads_per_cell", "scratch loads", "#ee6677"),
        ("scratch_stores_per_cell", "scratch stores", "#ccbb44")]
TILE, HALO = "#4477aa", "#dddddd"
STREAMED = 32  # planes from which on a tile is drawn as a stream
DEPTH = 24     # of which so many are drawn


def plans(tessera):
    """The plans by their configurations."""
    names = sorted({f"acoustic/{name.split(':')[0]}" for name in STRATEGIES})
    output = subprocess.run([tessera, "list", *names, "--machine", MACHINE, "--json"], check=True,
                            capture_output=True, text=True).stdout
    return {row["name"].partition("/")[2]: row["resources"] for row in json.loads(output)}


def rectangle(x, y, width, height, fill, more=""):
    """One."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" {more}/>'


def words(x, y, text, size=12, more=""):
    """A line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" {more}>{text}</text>'


def view(x, y, across, down, scale, labels):
    """A face of the tile, its halo around it (a star: no corners), to scale."""
    around = RADIUS * scale
    return [rectangle(x, y + around, (across + 2 * RADIUS) * scale, down * scale, HALO),
            rectangle(x + around, y, across * scale, (down + 2 * RADIUS) * scale, HALO),
            rectangle(x + around, y + around, across * scale, down * scale, TILE),
            words(x + around, y + (down + 2 * RADIUS) * scale + 14, labels)]


def picture(name, plan):
    """The picture of a configuration."""
    nx, ny, nz = plan["tile"]
    streamed = nz >= STREAMED
    depth = DEPTH if streamed else nz
    scale = min(4.0, 300 / (nx + 2 * RADIUS))
    left, top = 16, 44
    second = left + (nx + 2 * RADIUS) * scale + 40
    parts = [words(left, 20, f"acoustic/{name}", 15, 'font-weight="bold"'),
             words(left, 36, f"{plan['team']} threads a team, {plan['scratch_bytes']:,} B of scratch, "
                             f"{plan['temporal_depth']} step{'s' * (plan['temporal_depth'] > 1)} a pass"),
             *view(left, top, nx, ny, scale, f"x {nx}, y {ny}"),
             *view(second, top, nx, depth, scale, f"x {nx}, z {'streamed' if streamed else nz}")]
    if streamed:
        x = second + (nx + 2 * RADIUS) * scale + 8
        parts.append(f'<path d="M {x:.0f} {top} V {top + 100} m -5 -10 l 5 10 l 5 -10" '
                     'stroke="#000000" fill="none"/>')
    bottom = top + (max(ny, depth) + 2 * RADIUS) * scale + 40
    unit = 12.0
    for key, label, colour in BARS:
        parts += [words(left, bottom + 11, label), rectangle(left + 110, bottom, plan[key] * unit, 14, colour),
                  words(left + 116 + plan[key] * unit, bottom + 11, f"{plan[key]:.1f} a cell")]
        bottom += 20
    parts.append(words(left, bottom + 14, f"halo {plan['halo_cells']:,} cells a "
                       f"{'plane' if streamed else 'tile'} of {nx * ny * (1 if streamed else nz):,}; must move "
                       f"{4 * plan['moved_elements_per_cell']:.0f} B a cell and step inside (float)"))
    for at, fill, label in ((left, TILE, "tile: cells that a team makes"), (left + 230, HALO, "halo: cells that it reads besides")):
        parts += [rectangle(at, bottom + 24, 12, 12, fill), words(at + 18, bottom + 34, label)]
    width, height = max(second + (nx + 2 * RADIUS) * scale + 30, 560), bottom + 46
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'font-family="sans-serif">\n<!-- made by ci/lib/strategy_pictures.py -->\n'
            + rectangle(0, 0, width, height, "#ffffff") + "\n" + "\n".join(parts) + "\n</svg>\n")


def main():
    """Writes a picture a strategy."""
    tessera = sys.argv[1]
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "images" / "strategies"
    folder.mkdir(parents=True, exist_ok=True)
    found = plans(tessera)
    for name in STRATEGIES:
        (folder / f"{name.split(':')[0]}.svg").write_text(picture(name, found[name]), "utf-8")


if __name__ == "__main__":
    main()
