#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hardware counters of a deck's kernels: measured volumes beside the least and the planned ones.

Runs `tessera run DECK --profile` under a profiler (ncu, rocprofv3, likwid-perfctr: the first that
is there), or reads what one wrote before, sums the counters of each configuration's steps and
prints bytes a cell: device memory and L2. With --result they go into the rows of a result file.
"""

import tempfile
from pathlib import Path

from tessera_tools import command_line, errors, program, results
from tessera_tools.counter_rows import counters_of, merge, profiled_rows
from tessera_tools.counter_runs import PROFILERS, Run, choose_profiler, collect, read_imported
from tessera_tools.counter_tables import print_busy, print_published, print_volumes
from tessera_tools.errors import ToolError

EXAMPLES = """
  counters.py inputs/sai-table4.toml --set case.steps=2 --result out/sai-table4/result.json
  counters.py inputs/quick.toml --tessera build/cuda-hopper90/tessera -v 'acoustic/gmem:*' \\
    --keep raw
  counters.py --import raw/counters.csv --profile raw/profile.json --result out/quick/result.json"""
AFTER = """Take few steps: a profiler replays each kernel. LIKWID counts whole processes, so that
the deck runs twice, with its steps and with twice as many, a configuration at a time."""


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES, AFTER)
    parser.add_argument("deck", nargs="?", type=Path, help="deck to run under the profiler")
    command_line.add_tessera(parser)
    command_line.add_run_options(parser)
    parser.add_argument("--profiler", default="auto", choices=["auto", *PROFILERS])
    parser.add_argument("--import", dest="imported", type=Path, metavar="CSV",
                        help="read a profiler's file instead of running one")
    parser.add_argument("--minus", type=Path, metavar="CSV",
                        help="LIKWID's file of the same with half the steps, to be subtracted")
    parser.add_argument("--profile", type=Path, metavar="JSON",
                        help="with --import: the result.json of that run")
    parser.add_argument("--result", type=Path, metavar="JSON",
                        help="result file whose rows take the counters")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the profiler's files")
    arguments = parser.parse_args()
    if bool(arguments.imported) == bool(arguments.deck):
        raise ToolError("a deck is required, or --import with --profile")
    command_line.refuse_idle(parser, arguments, *(
        (["variants", "set", "profiler", "keep"], "beside --import") if arguments.imported
        else (["minus", "profile"], "without --import")))
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.result:
        results.read(arguments.result)  # before anything runs for minutes
    count(arguments)


def count(arguments):
    """Counts, or reads what was counted; prints it, and merges it into --result."""
    if arguments.imported:
        if not arguments.profile:
            raise ToolError("--import requires --profile, the result.json of the run with --profile")
        rows = profiled_rows(results.read(arguments.profile))
        source, parts = read_imported(arguments.imported, arguments.minus, rows)
    else:
        source = choose_profiler(arguments.profiler)
        run = Run(program.find_tessera(arguments.tessera), arguments.deck, arguments.variants,
                  arguments.set)
        with tempfile.TemporaryDirectory() as scratch:
            folder = arguments.keep or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            rows, parts = collect(run, source, folder)
    for row, (totals, by_name) in zip(rows, parts):
        row.record["counters"] = counters_of(row.record, totals, by_name, source)
    print_volumes(rows)
    print_busy(rows)
    if arguments.result:
        print_published(merge(rows, arguments.result))


if __name__ == "__main__":
    errors.run(main)
