# SPDX-License-Identifier: Apache-2.0
"""The README's picture: the best of each family and its baseline in shares of the bound, by the
table "glance" on one machine."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from .. import plotting
from ..errors import ToolError
from .cells import It, bound, case, fraction, over, short, speed
from .table import Table

MACHINE = "H100"
INK, FAINT, BASE = "#1f2933", "#6b7785", "#b9c2cc"
BAR, GAP = 0.46, 0.2  # heights of the two bars; families are 1 apart
SHARE_AT, RIGHT = 102, 140  # where the columns stand, in per cent of the bound


@dataclass(frozen=True)
class Bar:
    """A family. Shares are of the same bound."""

    family: str
    case: str
    bound: str
    best: str
    baseline: str
    rate: float
    baseline_rate: float
    share: float
    baseline_share: float
    times: str


def bars(table: Table, root: Path) -> list[Bar]:
    """The families' bars, in the table's order."""
    found = []
    for values in table.lines(root):
        rows = table.chosen(root, values)
        best, base = It(rows[MACHINE]), It(rows[f"{MACHINE}_base"])
        share = fraction(best)
        found.append(Bar(values["family"], case(best), bound(best), short(best), short(base),
                         speed(best), speed(base), share, share / (best / base),
                         over(best, base)))
    return found


def update(table: Table, root: Path, check: bool) -> bool:
    """Draws the picture anew where it shows other data, by the digest in its description; whether it
    did. With `check` a ToolError says so."""
    path, found = root / "docs/images/headline.svg", bars(table, root)
    digest = hashlib.sha256(json.dumps([asdict(bar) for bar in found], sort_keys=True).encode())
    description = f"tessera-picture: headline {digest.hexdigest()}"
    if path.exists() and description in path.read_text(encoding="utf-8"):
        return False
    if check:
        raise ToolError(f"{path}: not of today's data; run tools/docs_tables.py README.md")
    plotting.pyplot().rcParams["svg.fonttype"] = "path"  # outlines, the same everywhere
    plotting.save(draw(found), path, metadata={"Description": description})
    return True


def rate_text(rate: float) -> str:
    """GCell/s with three or four digits."""
    return f"{rate:.0f}" if rate >= 1000 else f"{rate:.1f}"


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
    axes.text(RIGHT, y, f"{bar.times} x", va="center", ha="right",
              color=plotting.MAIN, fontsize=12, fontweight="bold")
    axes.text(-1.5, y - 0.06, f"{bar.family}/{bar.best}", va="center", ha="right", color=INK,
              fontsize=9.5, fontweight="bold")
    axes.text(-1.5, low, bar.case, va="center", ha="right", color=FAINT, fontsize=7.5)


def draw(bars):
    """The picture."""
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
    figure.suptitle("NVIDIA H100: the best variant of each family against its bound, "
                    "and its baseline (grey)", x=0.5, y=0.985, fontsize=10.5, color=INK)
    figure.subplots_adjust(left=0.245, right=0.985, top=1 - 0.68 / figure.get_figheight(),
                           bottom=0.3 / figure.get_figheight())
    return figure
