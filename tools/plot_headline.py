#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the README's picture: the best of each family and its baseline in shares of the bound.

The rows are those of the table "performance at a glance" (tessera_tools/doc_tables/glance.py),
of one machine. The figures are kept in the picture's description, so that --check can tell without
drawing whether it is of today's results.
"""

import json
from dataclasses import asdict
from pathlib import Path

from tessera_tools import command_line, errors, plotting
from tessera_tools.doc_tables.data import Data
from tessera_tools.doc_tables.glance import headline
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT

EXAMPLES = """
  plot_headline.py
  plot_headline.py --machine H200 --output out/headline-h200.svg
  plot_headline.py --check
"""
INK, FAINT, BASE = "#1f2933", "#6b7785", "#b9c2cc"
BAR, GAP = 0.46, 0.2  # heights of the two bars; families are 1 apart
SHARE_AT, RIGHT = 102, 140  # where the columns stand, in per cent of the bound
MARK = "tessera-headline: "


def rate_text(rate: float) -> str:
    """GCell/s with three or four digits."""
    return f"{rate:.0f}" if rate >= 1000 else f"{rate:.1f}"


def description(bars) -> str:
    """What the picture shows, as text."""
    return MARK + json.dumps([
        {key: round(value, 6) if isinstance(value, float) else value
         for key, value in asdict(bar).items()} for bar in bars], sort_keys=True)


def draw_family(axes, y: float, bar) -> None:
    """Two bars and what stands at them; y is the middle of the upper one."""
    low = y + BAR / 2 + GAP / 2
    axes.barh(y, 100 * bar.share, height=BAR, color=plotting.MAIN)
    axes.barh(low, 100 * bar.baseline_share, height=GAP, color=BASE)
    axes.text(100 * bar.share - 1, y, f"{rate_text(bar.rate)} GCell/s", va="center", ha="right",
              color="white", fontsize=9, fontweight="bold")
    inside = bar.baseline_share > 0.8  # beside the bar the words would cross the bound
    axes.text(100 * bar.baseline_share + (-1 if inside else 1), low + 0.02,
              f"{bar.baseline}: {rate_text(bar.baseline_rate)}", va="center",
              ha="right" if inside else "left", color=INK if inside else FAINT, fontsize=7.5)
    axes.text(SHARE_AT, y, f"{100 * bar.share:.0f} % of {bar.bound}", va="center", color=INK,
              fontsize=9)
    axes.text(RIGHT, y, f"{bar.rate / bar.baseline_rate:.1f} x", va="center", ha="right",
              color=plotting.MAIN, fontsize=12, fontweight="bold")
    axes.text(-1.5, y - 0.06, f"{bar.family}/{bar.best}", va="center", ha="right", color=INK,
              fontsize=9.5, fontweight="bold")
    axes.text(-1.5, low, bar.case, va="center", ha="right", color=FAINT, fontsize=7.5)


def draw(bars, machine: str, path: Path) -> Path:
    """The picture; SVG with text as outlines, the same on every machine."""
    plt = plotting.pyplot()
    figure, axes = plt.subplots(figsize=(9.2, 0.82 * len(bars) + 0.95))
    for i, bar in enumerate(bars):
        draw_family(axes, i, bar)
    axes.axvline(100, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.text(SHARE_AT, -0.42, "share of the bound", va="bottom", color=FAINT, fontsize=8)
    axes.text(RIGHT, -0.42, "times the\nbaseline", ha="right", va="bottom", color=FAINT, fontsize=8)
    axes.set_xlim(0, RIGHT)
    axes.set_ylim(len(bars) - 0.35, -0.5)
    axes.set_xticks(range(0, 101, 20), [f"{share} %" for share in range(0, 101, 20)],
                    fontsize=8, color=FAINT)
    axes.set_yticks([])
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.xaxis.grid(True, color="#e6eaee", linewidth=0.8)
    axes.set_axisbelow(True)
    figure.suptitle(f"NVIDIA {machine}: the best variant of each family against its bound, "
                    "and its baseline (grey)", x=0.5, y=0.985, fontsize=10.5, color=INK)
    figure.subplots_adjust(left=0.245, right=0.985, top=1 - 0.68 / figure.get_figheight(),
                           bottom=0.3 / figure.get_figheight())
    return plotting.save(figure, path, metadata={"Description": description(bars)})


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("--machine", default="H100", help="as in the table (default: H100)")
    parser.add_argument("--output", type=Path, metavar="FILE",
                        help="SVG or PNG (default: docs/images/headline.svg)")
    parser.add_argument("--check", action="store_true",
                        help="draw nothing; fail where the picture is of other results")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="DIR",
                        help="the folder that holds docs/ and results/")
    arguments = parser.parse_args()
    command_line.refuse_together(parser, "check", ["output"])
    if arguments.output:
        plotting.check_picture(arguments.output)
    bars = headline(Data(arguments.root), arguments.machine)
    if not bars:
        raise ToolError(f"the table has no row of {arguments.machine}")
    path = arguments.output or arguments.root / "docs" / "images" / "headline.svg"
    if not arguments.check:
        path.parent.mkdir(parents=True, exist_ok=True)
        print(draw(bars, arguments.machine, path))
        return 0
    try:
        held = path.read_text(encoding="utf-8").replace("&quot;", '"')
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror}") from None
    if description(bars) not in held:
        raise ToolError(f"{path}: not of today's results; run tools/plot_headline.py")
    return 0


if __name__ == "__main__":
    errors.run(main)
