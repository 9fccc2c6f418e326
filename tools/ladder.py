#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print what each stage of EBISU's ladder gains (Figure 9), from a result file of `tessera run`.

Of each variant of the jacobi family the fastest valid configuration counts; for every stencil,
precision, grid and number of steps in the files there is a table: GCell/s, TFLOP/s, depth, the gain
over the stage before, over `base` and over `step`, and the share of the attainable performance by
EBISU's equations, computed from the machine that the file describes. In three dimensions prefetching
goes on from
shifted addresses, which computed ones lose to, and the paper's end point from prefetching (7.4.4); in
two from computed ones (Table 1), and from lazy streaming. What is beside the ladder has no stage
before. With --plot a picture: bars, and below the same stages under the roofs of memory and
arithmetic, each with its own attainable performance.
"""

from tessera_tools import attainable, command_line, errors, plotting, results
from tessera_tools.columns import figure
from tessera_tools.errors import ToolError

EXAMPLES = """
  ladder.py out/ladder-2d/result.json
  ladder.py out/ladder-2d/result.json out/ladder-3d/result.json --plot ladder.png"""

BASELINES = ["step", "overlapped"]
LADDER = ["base", "cmq_shift", "cmq_compute", "prefetch", "lazy", "ebisu"]
BESIDE = ["partial_sums", "warps", "skewed"]
STAGES = BASELINES + LADDER + BESIDE
# Stages that nothing goes on from: in three dimensions.
ENDS_3D = {"cmq_compute", "lazy"}


def read_rows(path):
    """The rows of a result file that belong to the family."""
    rows = results.select(results.read(path).rows, family="jacobi")
    if not rows:
        raise ToolError(f"{path}: no rows of the jacobi family")
    return rows


def stage_of(row):
    """A variant's present name without its family."""
    return row.variant.split("/")[-1]


def ladders(rows):
    """{problem: {stage: fastest valid row}}, in the file's order."""
    found = {}
    for row in rows:
        if row.valid and row.rate:
            stages = found.setdefault(row.problem, {})
            stages[stage_of(row)] = results.best([*filter(None, [stages.get(stage_of(row))]), row])
    return found


def stage_before(stage, stages, flat):
    """The row of the stage that this one goes on from, of those with a rate; None for the first."""
    order = [s for s in LADDER if flat or s == stage or s not in ENDS_3D]
    before = [s for s in order[:order.index(stage)] if s in stages] if stage in order else []
    return stages[before[-1]] if before else None


def table(stages, flat):
    """One line a stage; `flat`: in two dimensions."""
    head = f"{'stage':<12} {'configuration':<16} {'t':>3} {'GCell/s':>9} {'TFLOP/s':>8}"
    lines = [f"{head} {'x before':>9} {'x base':>7} {'x step':>7} {'% attainable':>13}"]
    for stage in STAGES:
        row = stages.get(stage)
        if row is None:
            continue

        def times(other, row=row):
            return f"{row.rate / other.rate:.2f}" if other else "-"

        share = figure(attainable.share_of(row), 0, 100)
        flops = (row.record.get("gflop_per_s") or 0) / 1000
        last = stage_before(stage, stages, flat)
        lines.append(
            f"{stage:<12} {row.configuration:<16} {row.temporal_depth:>3} {row.rate:>9.1f} "
            f"{flops:>8.2f} {times(last):>9} {times(stages.get('base')):>7} "
            f"{times(stages.get('step')):>7} {share:>13}"
        )
    return "\n".join(lines)


def draw_bars(axes, key, stages):
    """GCell/s of each stage."""
    shown = [stage for stage in STAGES if stage in stages]
    axes.bar(shown, [stages[stage].rate for stage in shown], color=plotting.MAIN)
    for i, stage in enumerate(shown):
        axes.text(i, stages[stage].rate, f"t={stages[stage].temporal_depth}", ha="center")
    title = f"{key.stencil} {key.precision}, {' x '.join(map(str, key.grid))}"
    axes.set_title(plotting.short(title), fontsize=9)
    axes.set_ylabel("GCell/s")
    axes.tick_params(axis="x", rotation=60)


def draw_roofline(axes, stages, flat):
    """TFLOP/s over flops a byte of memory, 2 / t elements a cell and step: each stage, hollow what is
    attainable to it, and arrows up the ladder."""
    points = {}
    for stage in (stage for stage in STAGES if stage in stages):
        row, most = stages[stage], attainable.attainable(stages[stage])
        if most is None:
            continue
        flops = row.resources["flops_per_cell"]
        intensity = flops * row.temporal_depth / (2 * attainable.BYTES[row.precision])
        points[stage] = (intensity, row.rate * flops / 1000, most * flops / 1000)
    if not points:
        axes.set_axis_off()
        return
    roofs = next(iter(stages.values())).file.roofline
    slope, peak = roofs["gb_per_s"] / 1000, roofs["peak_gflop_per_s"] / 1000
    low = 0.5 * min(x for x, _, _ in points.values())
    high = 4 * max(max(x for x, _, _ in points.values()), peak / slope)
    axes.plot([low, peak / slope, high], [low * slope, peak, peak], "k-", linewidth=1,
              label=f"memory {slope:.2f} TB/s, arithmetic {peak:.1f} TFLOP/s")
    for stage, (x, y, bound) in points.items():
        colour = plotting.MAIN if stage in LADDER else "gray"
        axes.plot([x, x], [y, bound], ":", color=colour, linewidth=0.8)
        axes.plot([x], [bound], "o", color=colour, markerfacecolor="none")
        axes.plot([x], [y], "o", color=colour)
        axes.annotate(stage, (x, y), xytext=(4, -3), textcoords="offset points", fontsize=7)
        last = stage_before(stage, {name: name for name in points}, flat)
        if last:
            axes.annotate("", (x, y), points[last][:2],
                          arrowprops={"arrowstyle": "->", "linewidth": 0.8})
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flop a byte of memory")
    axes.set_ylabel("TFLOP/s")
    axes.legend(fontsize=7)


def draw(found):
    """A figure, a column for each ladder: bars above, the roofline below."""
    figure_, panels = plotting.pyplot().subplots(2, len(found), figsize=(5.5 * len(found), 9),
                                                 squeeze=False)
    for column, (key, stages) in enumerate(found.items()):
        draw_bars(panels[0][column], key, stages)
        draw_roofline(panels[1][column], stages, key.grid[2] == 1)
    figure_.tight_layout()
    return figure_


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("results", nargs="+", help="result files of tessera run")
    parser.add_argument("--plot", metavar="PNG", help="also draw the ladders")
    arguments = parser.parse_args()
    if arguments.plot:
        plotting.check_picture(arguments.plot)
    found = ladders([row for path in arguments.results for row in read_rows(path)])
    if not found:
        raise ToolError("no valid row: nothing to compare")
    for key, stages in found.items():
        case = ", ".join([f"{' x '.join(map(str, key.grid))} cells", *key.words()])
        print(f"{key.stencil} {key.precision}, {case}\n{table(stages, key.grid[2] == 1)}\n")
    if arguments.plot:
        print(plotting.save(draw(found), arguments.plot))


if __name__ == "__main__":
    errors.run(main)
