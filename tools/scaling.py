#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weak and strong scaling from result files of `tessera run` on several numbers of ranks.

Rows of one variant and problem (stencil, precision, model, details, steps) that differ in their ranks
are a series: strong where the grid is the same, weak where the cells a rank are alike. Efficiency is
the rate over that of the fewest ranks of the series, times as many devices or cores less: 100 % where
each works as if alone, and of 2 ranks of 1 thread beside 1 rank of 2 threads the plain ratio. Rates
are of minimal bytes: a longer grid has a smaller share of boundary layers, whose cells move more. Beside it what the ranks
told of themselves: what of a step is exchange that nothing hides, and how much more the busiest rank
computes than the mean. A series is of one machine: files from different ones are kept apart.

With --pairs the files are measurements in turn, one, several, one, several ...: a pair each, of what
followed each other, and the median of their efficiencies with the least and the largest.
"""

import itertools
import statistics
from pathlib import Path

from tessera_tools import command_line, errors, plotting, results
from tessera_tools.columns import print_columns
from tessera_tools.errors import ToolError
from tessera_tools.problems import differences, same

EXAMPLES = """  scaling.py out/weak-*/result.json
  scaling.py out/weak-*/result.json out/strong-*/result.json --plot out/scaling.png --markdown
  scaling.py --pairs out/{one-1,two-1,one-2,two-2}/result.json"""

ALIKE = 0.03
"""Cells a rank of a weak series differ by no more than this, as a fraction."""


def ranks_of(row):
    return row.value("parallel.ranks") or 1


def units_of(row):
    """Devices, or of hosts threads, that a row ran on."""
    machine = row.file.machine
    return ranks_of(row) * (machine["concurrency"] if machine["kind"] == "cpu" else 1)


def efficiency(row, first):
    """Of what a row's units move, over what the first row's do."""
    per_cell = [r.value("predicted.bytes_per_cell") for r in (row, first)]
    more = per_cell[0] / per_cell[1] if all(per_cell) else 1
    return more * row.rate / first.rate * units_of(first) / units_of(row)


def what_of(row):
    """All that rows of a series share but their problem and ranks."""
    return row.file.device, row.name


def same_but_ranks(one, other, but=()):
    """Of one rank there is no transport and no overlap to compare. `but`: what of the problem may
    differ."""
    overlaps = {row.value("parallel.overlap") for row in (one, other)} - {None}
    return what_of(one) == what_of(other) and len(overlaps) < 2 and \
        same(one.problem, other.problem, but)


def series_of(rows):
    """[(kind, rows by ranks)] of all strong and weak series of two points and more."""
    found = []
    rows = sorted(rows, key=ranks_of)
    for first in rows:
        tests = {
            "strong": lambda row, first=first: row.grid == first.grid,
            "weak": lambda row, first=first: abs(
                row.cells / ranks_of(row) / (first.cells / ranks_of(first)) - 1) <= ALIKE,
        }
        for kind, test in tests.items():
            points = {}
            for row in rows:
                alike = same_but_ranks(first, row, but=("grid",)) and test(row)
                transport = row.value("parallel.transport")
                if not alike or ranks_of(row) < ranks_of(first):
                    continue
                points.setdefault(transport, {}).setdefault(ranks_of(row), []).append(row)
            alone = points.pop(None, {})
            for transport, by_ranks in sorted(points.items()):
                every = {**by_ranks, **alone}
                best = [max(every[n], key=lambda row: row.rate) for n in sorted(every)]
                series = (kind, transport, best)
                new = not any(k == kind and t == transport and
                              {id(r) for r in best} <= {id(r) for r in b} for k, t, b in found)
                if len(best) > 1 and new:
                    found.append(series)
    return found


def point(row, first):
    """What a table shows of a row."""
    parallel = row.record.get("parallel") or {}
    ranks = ranks_of(row)
    exposed = parallel.get("exchange_exposed_s")
    hidden = parallel.get("exchange_hidden_s")
    return {
        "ranks": ranks,
        "devices or cores": units_of(row),
        "rank grid": "x".join(map(str, parallel.get("rank_grid", [1, 1, 1]))),
        "cells": " x ".join(map(str, row.grid)),
        "GCell/s": f"{row.rate:.4g}",
        "efficiency %": f"{100 * efficiency(row, first):.1f}",
        "exposed us": "-" if exposed is None else f"{1e6 * exposed:.1f}",
        "hidden us": "-" if hidden is None else f"{1e6 * max(hidden):.1f}",
        "imbalance %": f"{100 * parallel['imbalance']:.1f}" if "imbalance" in parallel else "-",
    }


def print_table(rows, markdown):
    heads = list(rows[0])
    if markdown:
        for cells in (heads, ["---"] * len(heads), *(map(str, row.values()) for row in rows)):
            print(f"| {' | '.join(cells)} |")
    else:
        print_columns(heads, [[str(cell) for cell in row.values()] for row in rows], rule=False)


def title(kind, transport, rows):
    first = rows[0]
    return (f"{kind} scaling: {first.name}, {first.stencil} {first.precision}, "
            f"{', '.join([*first.problem.words(), transport, first.file.device])}")


def nothing_to_compare(rows, what):
    """The error of rows that form no series, with the least that else differs between two."""
    pairs = [differences((one.problem, other.problem))
             for one, other in itertools.combinations(rows, 2)
             if what_of(one) == what_of(other) and ranks_of(one) != ranks_of(other)]
    also = " and ".join(min(pairs, key=len, default=[]))
    return ToolError(f"no two rows {what}differ in their ranks alone: nothing to compare"
                     + (f" (some differ in {also} too)" if also else ""))


def pairs_of(files):
    """{what: [(one, several)]}: rows of files that follow each other, in pairs."""
    if len(files) % 2 == 1:
        raise ToolError(f"--pairs: {len(files)} files are no pairs")
    found = {}
    for one, several in zip(files[::2], files[1::2]):
        rows = [results.select(results.rows_of([file]), status="valid") for file in (one, several)]
        for first in rows[0]:
            for row in rows[1]:
                if same_but_ranks(first, row):
                    found.setdefault((*what_of(first), first.problem), []).append((first, row))
    if not found:
        rows = [row for row in results.rows_of(files) if row.valid]
        raise nothing_to_compare(rows, "of a pair ")
    return found


def pairs_table(found):
    """A line for each that was measured in pairs."""
    lines = []
    for pairs in found.values():
        percent = [100 * efficiency(row, first) for first, row in pairs]
        first, row = pairs[0]
        lines.append({
            "variant": f"{first.name}, {first.decomposition or '-'}, {first.precision}",
            "ranks": f"{ranks_of(first)}, {ranks_of(row)}",
            "devices or cores": f"{units_of(first)}, {units_of(row)}",
            "GCell/s": ", ".join(f"{statistics.median(rates):.4g}" for rates in zip(
                *((one.rate, several.rate) for one, several in pairs))),
            "pairs": len(pairs),
            "efficiency %": f"{statistics.median(percent):.1f}",
            "least": f"{min(percent):.1f}",
            "largest": f"{max(percent):.1f}",
        })
    return lines


def draw(found):
    """Efficiency over ranks, a line a series."""
    figure, axis = plotting.pyplot().subplots(figsize=(8, 5))
    for kind, transport, rows in found:
        ranks = [ranks_of(row) for row in rows]
        percent = [100 * efficiency(row, rows[0]) for row in rows]
        axis.plot(ranks, percent, "o-" if kind == "weak" else "s--",
                  label=plotting.short(f"{kind}, {rows[0].name} {rows[0].point} ({transport})"))
    every = sorted({ranks_of(row) for _, _, rows in found for row in rows})
    axis.axhline(100, color="grey", linewidth=1)
    axis.set_xscale("log", base=2)
    axis.set_xticks(every, [str(n) for n in every])
    axis.set_xlabel("ranks")
    axis.set_ylabel("efficiency, %")
    axis.set_ylim(bottom=0)
    axis.grid(alpha=0.3)
    axis.legend()
    figure.suptitle(plotting.short(found[0][2][0].file.device))
    figure.tight_layout()
    return figure


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("results", type=Path, nargs="+", help="result files or folders of them")
    parser.add_argument("--markdown", action="store_true", help="tables for Markdown pages")
    parser.add_argument("--plot", type=Path, help="picture of the efficiencies")
    parser.add_argument("--pairs", action="store_true",
                        help="files are one, several, one, several ... measured in turn")
    arguments = parser.parse_args()
    if arguments.pairs:
        command_line.refuse_idle(parser, arguments, ["plot"], "beside --pairs")
    if arguments.plot:
        plotting.check_picture(arguments.plot)
    if arguments.pairs:
        command_line.refuse_twice("--pairs", arguments.results)
        print_table(pairs_table(pairs_of(results.read_all(arguments.results))), arguments.markdown)
        return
    rows = results.select(results.rows_of(results.read_all(arguments.results)), status="valid")
    found = series_of(rows)
    if not found:
        raise nothing_to_compare(rows, "")
    for kind, transport, best in found:
        print(title(kind, transport, best) + "\n")
        print_table([point(row, best[0]) for row in best], arguments.markdown)
        print()
    if arguments.plot:
        print(plotting.save(draw(found), arguments.plot))


if __name__ == "__main__":
    errors.run(main)
