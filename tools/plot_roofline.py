#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sai's Figure 3: kernels below the rooflines of L2 and of device memory, whole and close up.

Reads a result file whose rows have counters (tools/counters.py): a row stands at its own rate, over
the flops a byte that were counted; the roofs are the file's, the greater of the measured streams, the
L2's bandwidth of the machine file, the measured peak. Where the file has a published table of the
same quantities, or --published names one, the paper's points are drawn hollow. With --published
alone the picture is the paper's own, from its Table IV; its roofs follow from the roofs in there.
"""

from pathlib import Path

from tessera_tools import command_line, errors, plotting, published, results
from tessera_tools.errors import ToolError

EXAMPLES = """
  plot_roofline.py out/sai-table4/result.json
  plot_roofline.py results/nvidia-h100/counted/acoustic-gpu.json -o out/figure3.png \\
    --published inputs/published/sai-table4.toml
  plot_roofline.py --published inputs/published/sai-table4.toml -o out/figure3-v100.png"""

LEVELS = {"l2": "L2", "dram": "device memory"}
BANDWIDTH = {"l2": "l2_gb_per_s", "dram": "gb_per_s"}


def family_of(variant):
    """The paper's groups: gmem, smem, semi, st_smem, st_reg_shft, st_reg_fixed; ours by name."""
    name = variant.split("/")[-1]
    return "smem" if name.startswith("smem") else name


def measured_points(file, decomposition):
    """{level: [(variant, configuration, flop/byte, GFLOP/s)]} of the counted rows."""
    points = {level: [] for level in LEVELS}
    for row in results.select(file.rows, status="valid", decomposition=decomposition):
        for level, found in points.items():
            intensity = row.counters.get(f"{level}_flop_per_byte")
            if intensity and row.record.get("gflop_per_s"):
                found.append((row.variant, row.configuration, intensity,
                              row.record["gflop_per_s"]))
    if not any(points.values()):
        raise ToolError(f"{file.path}: no row of decomposition {decomposition} has counters "
                        "(tools/counters.py --result)")
    return points


def published_points(table):
    """The same of a published table, and its roofs {level: GB/s}."""
    scaled = {column["quantity"]: column.get("scale", 1.0) for column in table.columns}

    def values(quantity):
        return {row["name"]: value * scaled[quantity]
                for row, value in table.values_of(quantity) if value}

    rates, points, roofs = values("gflop_per_s"), {}, {}
    for level in LEVELS:
        intensity = values(f"counters.{level}_flop_per_byte")
        points[level] = [(*name.split(":"), intensity[name], rate)
                         for name, rate in rates.items() if name in intensity]
        roof = values(f"counters.{level}_roofline_gflop_per_s")
        slopes = sorted(roof[name] / intensity[name] for name in roof if name in intensity)
        if slopes:
            roofs[level] = slopes[len(slopes) // 2]
    if not any(points.values()):
        raise ToolError(f"{table.source}: no rates and intensities by counters")
    return points, roofs


def draw_roof(axis, low, high, bandwidth, peak, label):
    """Bandwidth times intensity, up to the peak."""
    ridge = peak / bandwidth if peak else high
    xs = [low, *([ridge] if low < ridge < high else []), high]
    axis.plot(xs, [min(x * bandwidth, peak or x * bandwidth) for x in xs], "k-", linewidth=1,
              label=label)


def draw(parts, title):
    """Four panels: below the roofs, and close up. `parts`: (points, roofs, peak, hollow)."""
    pyplot = plotting.pyplot()
    figure, axes = pyplot.subplots(2, 2, figsize=(12, 9))
    names = list(dict.fromkeys(family_of(point[0]) for points, *_ in parts
                               for found in points.values() for point in found))
    colours = {name: pyplot.get_cmap("tab20")(i % 20) for i, name in enumerate(names)}
    for column, level in enumerate(LEVELS):
        for close, axis in enumerate(axes[:, column]):
            drawn = set()
            for points, _, _, hollow in parts:
                for variant, configuration, x, y in points[level]:
                    name = family_of(variant)
                    label = plotting.short(name) if name not in drawn and not hollow else None
                    drawn |= {name} if label else set()
                    axis.plot([x], [y], "o", color=colours[name], label=label, markersize=6,
                              markerfacecolor="none" if hollow else colours[name])
                    if close and not hollow:
                        axis.annotate(plotting.short(configuration.split(",")[0], 40), (x, y), fontsize=5,
                                      xytext=(3, 2), textcoords="offset points")
            everything = [point for points, *_ in parts for point in points[level]]
            if not close and everything:
                low = 0.3 * min(point[2] for point in everything)
                high = 30 * max(point[2] for point in everything)
                for _, roofs, peak, hollow in parts:
                    if roofs.get(level):
                        what = "paper's " if hollow else ""
                        draw_roof(axis, low, high, roofs[level], peak,
                                  f"{what}{LEVELS[level]}: {roofs[level]:.0f} GB/s")
                axis.set_xscale("log")
                axis.set_yscale("log")
            axis.set_xlabel(f"flop a byte of {LEVELS[level]}")
            axis.set_ylabel("GFLOP/s")
            axis.grid(alpha=0.3)
            axis.legend(fontsize=7)
    figure.suptitle(plotting.short(title))
    figure.tight_layout()
    return figure


def parts_of(file, decomposition, table):
    """What draw() needs of a result file, a published table or both, and the title."""
    parts, words = [], []
    if file:
        roofs = {level: file.roofline.get(key) for level, key in BANDWIDTH.items()}
        parts.append((measured_points(file, decomposition), roofs,
                      file.roofline.get("peak_gflop_per_s"), False))
        words.append(f"{file.device}, {decomposition}")
    if table:
        parts.append((*published_points(table), None, bool(parts)))
        words.append(table.source + (" (hollow)" if len(parts) > 1 else ""))
    return parts, "; ".join(words)


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("result", nargs="?", type=Path, help="result file with counters")
    parser.add_argument("-p", "--published", type=Path, help="published table of the same figures")
    parser.add_argument("--decomposition", default="seven", help="rows of this one (seven)")
    parser.add_argument("-o", "--output", type=Path,
                        help="picture (default: RESULT or the table with .png)")
    arguments = parser.parse_args()
    if not arguments.result and not arguments.published:
        raise ToolError("a result file or --published is required")
    if not arguments.result:
        command_line.refuse_idle(parser, arguments, ["decomposition"], "without a result file")
    output = arguments.output or (plotting.beside(arguments.result) if arguments.result else
                                  plotting.beside(arguments.published, ".toml"))
    plotting.check_picture(output)
    parts, words = parts_of(results.read(arguments.result) if arguments.result else None,
                            arguments.decomposition,
                            published.read(arguments.published) if arguments.published else None)
    print(plotting.save(draw(parts, words), output, dpi=150))


if __name__ == "__main__":
    errors.run(main)
