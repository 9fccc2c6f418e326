# SPDX-License-Identifier: Apache-2.0
"""Su's Figures 1, 3 and 4: volumes of data traffic by the paper's formulas, by the machine model of
that time and as counted, drawn from a stored table (results/*/traffic-model/volumes.csv).

1: 7pt-1 at 256 cubed, one cell a thread, over block shapes: V_SMX, V_L2, V_GM. 3: the same with
chunk_z cells a thread, blocks with Bx = 32. 4: V_GM of the four stencils over chunk_z, with and
without the L2's misses (epsilon = 0 in formula (15)).
"""

from __future__ import annotations

import csv
import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path

from . import plotting
from .errors import ToolError, one_line
from .files import note_read

STAGES = {"smx": "$V_{SMX}$", "l2": "$V_{L2}$", "gm": "$V_{GM}$"}
STENCILS = ("7pt-1", "7pt-2", "7pt-3", "19pt")
FIGURE_1 = ("baseline", "low_order/baseline:*")
FIGURE_3 = ("zblock", "low_order/zblock:32x*")
FIGURE_4 = ("zblock", "low_order/zblock:32x4,chunk=*")
FIGURES = {1: [("7pt-1", *FIGURE_1)], 3: [("7pt-1", *FIGURE_3)],
           4: [(stencil, *FIGURE_4) for stencil in STENCILS]}
GIB = 1024.0**3


@dataclass
class Line:
    """One configuration of a stencil at one size; volumes in bytes a cell, by stage."""

    machine: str
    kind: str
    stencil: str
    size: int
    name: str
    paper: dict[str, float]
    without_misses: float  # V_GM by the paper's formula with epsilon = 0
    model: dict[str, float]
    counted: dict[str, float]  # stages that were


def read(path: Path) -> list[Line]:
    """The lines of a stored table."""
    note_read(path)
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        return [Line(row["machine"], row["kind"], row["stencil"], int(row["size"]), row["name"],
                     paper={stage: float(row[f"paper_{stage}"]) for stage in STAGES},
                     without_misses=float(row["paper_gm_without_misses"]),
                     model={stage: float(row[f"model_{stage}"]) for stage in STAGES},
                     counted={stage: float(row[f"counted_{stage}"]) for stage in STAGES
                              if row[f"counted_{stage}"]}) for row in rows]
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise ToolError(f"{path}: not a table of volumes: {one_line(error)}") from None


def numbers(name: str) -> tuple[int, ...]:
    """The numbers of a configuration, which sort it: Bx, By, Bz or chunk."""
    return tuple(int(n) for n in re.findall(r"\d+", name.split(":")[1]))


def select(lines: list[Line], stencil: str, kind: str, pattern: str) -> list[Line]:
    """The lines of a figure, by block or chunk."""
    found = [line for line in lines if (line.kind, line.stencil) == (kind, stencil)
             and fnmatch.fnmatchcase(line.name, pattern)]
    if not found:
        raise ToolError(f"no volumes of {stencil}, {pattern}")
    return sorted(found, key=lambda line: numbers(line.name))


def draw_stages(lines, axis, kind, pattern):
    """The three volumes of 7pt-1 over configurations, in GiB a step."""
    rows = select(lines, "7pt-1", kind, pattern)
    gib = rows[0].size**3 / GIB
    x = range(len(rows))
    for stage, title in STAGES.items():
        line, = axis.plot(x, [gib * row.paper[stage] for row in rows], "--",
                          label=f"{title}, paper's formula")
        axis.plot(x, [gib * row.model[stage] for row in rows], "-", color=line.get_color(),
                  label=f"{title}, machine model")
        dots = [(i, gib * row.counted[stage]) for i, row in enumerate(rows) if stage in row.counted]
        if dots:
            axis.plot(*zip(*dots), "o", color=line.get_color(), label=f"{title}, counted")
    axis.set_xticks(list(x), [plotting.short(row.name.split(":")[1]) for row in rows],
                    rotation=75, fontsize=7)
    axis.set_ylabel("GiB a step")
    axis.set_ylim(bottom=0)
    axis.legend(ncol=3)
    axis.set_title(f"7pt-1, {kind}, {rows[0].size}³, double, {plotting.short(rows[0].machine)}")


def draw_misses(lines, axis, stencil):
    """V_GM over chunk_z of blocks of 32 x 4, with and without the L2's misses."""
    rows = select(lines, stencil, *FIGURE_4)
    gib = rows[0].size**3 / GIB
    chunks = [numbers(row.name)[2] for row in rows]
    axis.plot(chunks, [gib * row.paper["gm"] for row in rows], "r--", label="paper's formula")
    axis.plot(chunks, [gib * row.without_misses for row in rows], "g:", label="the same, ε = 0")
    axis.plot(chunks, [gib * row.model["gm"] for row in rows], "b-", label="machine model")
    dots = [(chunk, gib * row.counted["gm"]) for chunk, row in zip(chunks, rows)
            if "gm" in row.counted]
    if dots:
        axis.plot(*zip(*dots), "ko", label="counted")
    axis.set_xscale("log", base=2)
    axis.set_ylim(bottom=0)
    axis.set_title(stencil, fontsize=9)
    axis.set_xlabel("chunk_z")
    axis.set_ylabel("$V_{GM}$, GiB a step")
    axis.legend()


def draw(lines, number):
    """One of the paper's figures."""
    if number == 4:
        figure, axes = plotting.pyplot().subplots(2, 2, figsize=(9, 7))
        for axis, stencil in zip(axes.flat, STENCILS):
            draw_misses(lines, axis, stencil)
        figure.suptitle(f"32 x 4, {lines[0].size}³, double, {plotting.short(lines[0].machine)}")
    else:
        figure, axis = plotting.pyplot().subplots(figsize=(11, 4.5))
        draw_stages(lines, axis, *(FIGURE_1 if number == 1 else FIGURE_3))
    figure.tight_layout()
    return figure
