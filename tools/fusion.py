#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What fusing x, y and z gains: the paper's formulas beside the measured times.

The paper (AMD, part 3) takes for each kernel T = N / B, N the bytes of the two cubes and B the
effective bandwidth, and compares the kernels one after the other with one that does it all:

    (T_x + T_y + T_z) / T_xyz        (T_xy + T_z) / T_xyz

Here B are the medians of a result file that holds x, y, z and xyz of one radius, grid, precision,
layout and number of steps. Measured are the times themselves: their ratio, and the range that the
samples allow. Where B is far from steady the two differ.
"""

import fnmatch
import statistics

from tessera_tools import command_line, errors, published, results
from tessera_tools.errors import ToolError
from tessera_tools.files import PUBLISHED

EXAMPLES = """
  fusion.py out/amd-directions.json
  fusion.py out/amd-directions.json -v 'directional/[!f]*' 'directional/fused_xy*'"""
AFTER = """The paper's column: its formulas with its bandwidths on one die of an MI250X, R = 4,
512^3 (inputs/published/amd-bandwidth.toml)."""
FUSED = "xyz"
SPLITS = (("x", "y", "z"), ("xy", "z"))


def read_rows(path, patterns):
    """The valid rows of the family that match a pattern."""
    globs = [pattern if ":" in pattern else pattern + ":*" for pattern in patterns]
    rows = [row for row in results.select(results.read(path).rows, family="directional",
                                          status="valid")
            if any(fnmatch.fnmatchcase(row.name, glob) for glob in globs)]
    for row in rows:
        if not row.samples:
            raise ToolError(f"{path}: {row.name} has no samples")
    return rows


def direction_and_radius(stencil):
    """("xyz", 4) of "directional/xyz-r4"."""
    direction, _, radius = stencil.split("/")[-1].partition("-r")
    if not radius.isdigit():
        raise ToolError(f"{stencil}: is not named as a directional stencil, such as xyz-r4")
    return direction, int(radius)


def bandwidth(row):
    """Effective GB/s."""
    return row.number("effective_gb_per_s")


def group_rows(rows):
    """{(radius, problem without its stencil): {direction: its fastest row}}"""
    groups = {}
    for row in rows:
        direction, radius = direction_and_radius(row.stencil)
        group = groups.setdefault((radius, row.problem._replace(stencil="")), {})
        group[direction] = max([*filter(None, [group.get(direction)]), row], key=bandwidth)
    return groups


def published_bandwidths():
    """(radius, {direction: GB/s of the paper's fastest kernel})."""
    best, radius = {}, None
    table = published.read(PUBLISHED / "amd-bandwidth.toml")
    for row, value in table.values_of("effective_gb_per_s"):
        direction, radius = direction_and_radius(row["stencil"])
        best[direction] = max(best.get(direction, 0), value)
    return radius, best


def by_formula(bandwidths, parts):
    """Sum of T over the parts, over T of the fused kernel; GB/s."""
    return sum(bandwidths[FUSED] / bandwidths[part] for part in parts)


def by_time(group, parts):
    """(ratio of the medians, least, greatest) of the measured times."""
    def total(of):
        return sum(of(group[part].samples) for part in parts)

    fused = group[FUSED].samples
    return (total(statistics.median) / statistics.median(fused), total(min) / max(fused),
            total(max) / min(fused))


def print_group(key, group, paper):
    """One table; True if there was something to compare."""
    splits = [parts for parts in SPLITS if FUSED in group and all(p in group for p in parts)]
    if not splits:
        return False
    radius, problem = key
    words = problem._replace(decomposition=problem.decomposition or "aligned").words()
    cells = " x ".join(map(str, problem.grid))
    print(f"R = {radius}, {', '.join([f'{cells} cells', problem.precision, *words])}:")
    width = max(len(row.name) for row in group.values())
    for direction in ("x", "y", "z", "xy", "xyz"):
        if direction in group:
            row = group[direction]
            print(f"  {direction:<4} {row.name:<{width}} {bandwidth(row):9.1f} GB/s effective"
                  f" {1e3 * row.median_s:9.3f} ms")
    bandwidths = {direction: round(bandwidth(row)) for direction, row in group.items()}
    print(f"  {'':<24} {'formula':>8} {'measured':>9} {'[min, max]':>16} {'the paper':>9}")
    paper_radius, paper_bandwidths = paper
    for parts in splits:
        ratio, least, greatest = by_time(group, parts)
        theirs = f"{by_formula(paper_bandwidths, parts):.2f}" if radius == paper_radius else "-"
        head = "(" + " + ".join(f"T_{p}" for p in parts) + f") / T_{FUSED}"
        print(f"  {head:<24} {by_formula(bandwidths, parts):8.2f} {ratio:9.2f} "
              f"{f'[{least:.2f}, {greatest:.2f}]':>16} {theirs:>9}")
    print()
    return True


def main():
    parser = command_line.parser(__doc__, EXAMPLES, AFTER)
    parser.add_argument("result", help="result file of tessera run")
    parser.add_argument("-v", "--variants", nargs="+", default=["*"], metavar="GLOB",
                        help="which to choose the fastest of each direction from (default: all)")
    arguments = parser.parse_args()
    groups = group_rows(read_rows(arguments.result, arguments.variants))
    paper = published_bandwidths()
    shown = [print_group(key, group, paper) for key, group in groups.items()]
    if not any(shown):
        raise ToolError(f"{arguments.result}: holds no xyz together with x, y and z, or with xy "
                        "and z, of one radius")


if __name__ == "__main__":
    errors.run(main)
