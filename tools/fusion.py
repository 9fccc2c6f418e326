#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What fusing x, y and z gains: the seed's formulas beside the measured times.

The seed (AMD, part 3) takes for each kernel T = N / B, N the bytes of the two cubes and B the
effective bandwidth, and compares the kernels one after the other with one that does it all:

    (T_x + T_y + T_z) / T_xyz        (T_xy + T_z) / T_xyz

Here B are the medians of a result file that holds x, y, z and xyz of one radius, grid, precision and
layout. Measured are the times themselves: their ratio, and the range that the samples allow. Where B
is far from steady the two differ.
"""

import argparse
import fnmatch
import json
import statistics
import sys
from pathlib import Path

# The seed's own figures: GB/s on one die of an MI250X, R = 4, 512^3.
SEED = {"x": 1240.0, "y": 1272.0, "z": 1200.0, "xy": 1252.0, "xyz": 1000.0}
FUSED = "xyz"
SPLITS = (("x", "y", "z"), ("xy", "z"))


class FusionError(Exception):
    """Nothing can be compared; the message is one line."""


def read_rows(path, patterns):
    """The valid rows of the family that match a pattern."""
    try:
        file = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FusionError(f"{path}: cannot be read as JSON: {error}") from None
    if not isinstance(file, dict) or file.get("schema") != "tessera-result-1":
        raise FusionError(f"{path}: is not a result file (tessera-result-1)")

    def wanted(row):
        name = f"{row['variant']}:{row['configuration']}"
        return any(fnmatch.fnmatchcase(name, p if ":" in p else p + ":*") for p in patterns)

    return [row for row in file["results"]
            if row["family"] == "directional" and row["status"] == "valid" and wanted(row)]


def direction_and_radius(stencil):
    """("xyz", 4) of "directional/xyz-r4"."""
    direction, radius = stencil.split("/")[-1].split("-r")
    return direction, int(radius)


def group_rows(rows):
    """{(radius, grid, precision, layout): {direction: its fastest row}}"""
    groups = {}
    for row in rows:
        direction, radius = direction_and_radius(row["stencil"])
        grid = (row["nx"], row["ny"], row["nz"])
        group = groups.setdefault((radius, grid, row["precision"], row["decomposition"]), {})
        best = group.get(direction)
        if best is None or row["effective_gb_per_s"] > best["effective_gb_per_s"]:
            group[direction] = row
    return groups


def by_formula(bandwidths, parts):
    """Sum of T over the parts, over T of the fused kernel; GB/s."""
    return sum(bandwidths[FUSED] / bandwidths[part] for part in parts)


def by_time(group, parts):
    """(ratio of the medians, least, greatest) of the measured times."""
    def total(of):
        return sum(of(group[part]["samples_s"]) for part in parts)

    fused = group[FUSED]["samples_s"]
    return (total(statistics.median) / statistics.median(fused), total(min) / max(fused),
            total(max) / min(fused))


def print_group(key, group):
    """One table; True if there was something to compare."""
    splits = [parts for parts in SPLITS if FUSED in group and all(p in group for p in parts)]
    if not splits:
        return False
    radius, grid, precision, layout = key
    print(f"R = {radius}, {' x '.join(map(str, grid))} cells, {precision}, {layout or 'aligned'}:")
    width = max(len(f"{row['variant']}:{row['configuration']}") for row in group.values())
    for direction in ("x", "y", "z", "xy", "xyz"):
        if direction in group:
            row = group[direction]
            name = f"{row['variant']}:{row['configuration']}"
            print(f"  {direction:<4} {name:<{width}} {row['effective_gb_per_s']:9.1f} GB/s effective"
                  f" {1e3 * statistics.median(row['samples_s']):9.3f} ms")
    bandwidths = {d: round(row["effective_gb_per_s"]) for d, row in group.items()}
    print(f"  {'':<24} {'formula':>8} {'measured':>9} {'[min, max]':>16} {'the seed':>9}")
    for parts in splits:
        ratio, least, greatest = by_time(group, parts)
        seed = f"{by_formula(SEED, parts):9.2f}" if radius == 4 else f"{'-':>9}"
        head = "(" + " + ".join(f"T_{p}" for p in parts) + f") / T_{FUSED}"
        print(f"  {head:<24} {by_formula(bandwidths, parts):8.2f} {ratio:9.2f} "
              f"{f'[{least:.2f}, {greatest:.2f}]':>16} {seed}")
    print()
    return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="The seed's column: its formulas with its bandwidths on one die of an MI250X, "
               "R = 4, 512^3.\nexamples:\n  fusion.py out/amd-directions.json\n"
               "  fusion.py out/amd-directions.json -v 'directional/[!f]*' 'directional/fused_xy*'")
    parser.add_argument("result", type=Path, help="result file of tessera run")
    parser.add_argument("-v", "--variants", nargs="+", default=["*"], metavar="GLOB",
                        help="which to choose the fastest of each direction from (default: all)")
    arguments = parser.parse_args()
    groups = group_rows(read_rows(arguments.result, arguments.variants))
    shown = [print_group(key, group) for key, group in groups.items()]
    if not any(shown):
        raise FusionError(f"{arguments.result}: holds no xyz together with x, y and z, or with xy "
                          "and z, of one radius")


if __name__ == "__main__":
    try:
        main()
    except FusionError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: error: {error}")
