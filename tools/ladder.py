#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print what each stage of EBISU's ladder gains (Figure 9), from a result file of `tessera run`.

Of each variant of the jacobi family the fastest valid configuration counts; for every stencil,
precision and grid in the file there is a table: GCell/s, TFLOP/s, depth, the gain over the stage
before, over `base` and over `step`, and the fraction of the attainable performance that the result
file predicts. With --plot, also a picture of the ladder.
"""

import argparse
import json
import sys
from pathlib import Path

EXAMPLES = """examples:
  ladder.py out/ebisu-ladder-2d.json
  ladder.py out/ebisu-ladder-2d.json out/ebisu-ladder-3d.json --plot ladder.png
"""

STAGES = [
    "step",
    "overlapped",
    "base",
    "cmq_shift",
    "cmq_compute",
    "prefetch",
    "lazy",
    "rst",
    "ebisu",
]


def stop(message):
    """Ends the program with one line on stderr."""
    sys.exit(f"ladder.py: error: {message}")


def read_rows(path):
    """The rows of a result file that belong to the family."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        stop(f"{path}: {error.strerror}")
    except json.JSONDecodeError:
        stop(f"{path}: not JSON")
    if not isinstance(content, dict) or content.get("schema") != "tessera-result-1":
        stop(f"{path}: not a result file of tessera run")
    rows = [row for row in content["results"] if row["family"] == "jacobi"]
    if not rows:
        stop(f"{path}: no rows of the jacobi family")
    return rows


def ladders(rows):
    """{(stencil, precision, grid): {stage: fastest valid row}}, in the file's order."""
    found = {}
    for row in rows:
        if row["status"] != "valid":
            continue
        key = (row["stencil"], row["precision"], (row["nx"], row["ny"], row["nz"]))
        stage = row["variant"].split("/")[1]
        best = found.setdefault(key, {}).get(stage)
        if best is None or rate(row) > rate(best):
            found[key][stage] = row
    return found


def rate(row):
    """Median GCell/s of a row."""
    return row["gcell_per_s"]["median"]


def attainable_fraction(row):
    """Measured over predicted, or None where the file predicts nothing."""
    predicted = (row.get("predicted") or {}).get("gcell_per_s")
    return rate(row) / predicted if predicted else None


def table(stages):
    """One line a stage."""
    head = f"{'stage':<12} {'configuration':<16} {'t':>3} {'GCell/s':>9} {'TFLOP/s':>8}"
    lines = [f"{head} {'x before':>9} {'x base':>7} {'x step':>7} {'% attainable':>13}"]
    before = None
    for stage in STAGES:
        row = stages.get(stage)
        if row is None:
            continue

        def times(other, row=row):
            return f"{rate(row) / rate(other):.2f}" if other else "-"

        fraction = attainable_fraction(row)
        share = f"{100 * fraction:.0f}" if fraction else "-"
        flops = (row.get("gflop_per_s") or 0) / 1000
        # The ladder starts at `base`: what comes before it are yardsticks.
        last = before if stage in STAGES[STAGES.index("cmq_shift") :] else None
        lines.append(
            f"{stage:<12} {row['configuration']:<16} {row['temporal_depth']:>3} {rate(row):>9.1f} "
            f"{flops:>8.2f} {times(last):>9} {times(stages.get('base')):>7} "
            f"{times(stages.get('step')):>7} {share:>13}"
        )
        before = row
    return "\n".join(lines)


def draw(found, path):
    """Bars of GCell/s, a panel for each ladder."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        stop(f"{error}; on Debian: apt-get install python3-matplotlib")
    figure, panels = plt.subplots(1, len(found), figsize=(5 * len(found), 4), squeeze=False)
    for axes, (key, stages) in zip(panels[0], found.items()):
        shown = [stage for stage in STAGES if stage in stages]
        axes.bar(shown, [rate(stages[stage]) for stage in shown], color="#4878a8")
        for i, stage in enumerate(shown):
            axes.text(i, rate(stages[stage]), f"t={stages[stage]['temporal_depth']}", ha="center")
        axes.set_title(f"{key[0]} {key[1]}, {' x '.join(map(str, key[2]))}", fontsize=9)
        axes.set_ylabel("GCell/s")
        axes.tick_params(axis="x", rotation=60)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(path)


def main():
    """Reads the command line and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", help="result files of tessera run")
    parser.add_argument("--plot", metavar="PNG", help="also draw the ladders")
    arguments = parser.parse_args()
    rows = [row for path in arguments.results for row in read_rows(path)]
    found = ladders(rows)
    if not found:
        stop("no valid row: nothing to compare")
    for (stencil, precision, grid), stages in found.items():
        print(f"{stencil} {precision}, {' x '.join(map(str, grid))} cells\n{table(stages)}\n")
    if arguments.plot:
        draw(found, arguments.plot)


if __name__ == "__main__":
    main()
