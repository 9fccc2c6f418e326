#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is anything slower than what is stored? Runs decks and compares them with result files.

Each row of a run is set beside the stored row of the same stencil, variant, configuration,
decomposition, precision, grid and steps, from a machine like this one; of several the newest
counts. A line a row says whether it is slower, faster or the same, by more than --tolerance and by
more than the spread of the samples of both. Compared are shares of the copy bandwidth of the same
run, since a machine that is slow today copies slowly too; --absolute compares GCell/s. A deck in
which something is slower is run once more (--tries).

Exit status: 0 nothing slower; 1 something is slower, or was valid and is not; 2 bad input.
"""

import sys
import tempfile
from pathlib import Path

from tessera_tools import command_line, errors, performance, results
from tessera_tools.errors import ToolError
from tessera_tools.program import execute, find_tessera, run_options

EXAMPLES = """
  check_performance.py results/host inputs/quick.toml
  check_performance.py results/nvidia-h100 inputs/sai-table2.toml --set case.steps=100 \\
    -v 'acoustic/st_async' --tessera build/cuda-hopper90/tessera --keep out/check
  check_performance.py results/nvidia-h100 --result out/ebisu-j2d5pt.json --tolerance 2
  check_performance.py before.json --result after.json --absolute --quiet"""


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    add = parser.add_argument
    add("stored", help="what to compare with: a folder of result files, or one")
    add("decks", nargs="*", metavar="deck", help="decks to run")
    add("--result", action="append", default=[], metavar="JSON",
        help="a result file that is there already, compared as a run is")
    add("--tolerance", type=float, default=5.0, metavar="PERCENT",
        help="a difference up to this is none (5)")
    add("--absolute", action="store_true", help="compare GCell/s, not shares of copy")
    add("--tries", type=int, default=2, metavar="N",
        help="runs of a deck at most: where something is slower, the better of them counts (2)")
    add("--any-machine", action="store_true", help="compare with files of other machines too")
    add("--tessera", metavar="PROGRAM",
        help="the program (default: build/openmp/tessera, or the only build)")
    command_line.add_run_options(parser)
    add("--keep", type=Path, metavar="FOLDER", help="keep the runs' result files")
    add("-q", "--quiet", action="store_true", help="only lines of what is slower, and the sum")
    arguments = parser.parse_args()
    if not arguments.decks and not arguments.result:
        raise ToolError("a deck is wanted, or --result")
    if arguments.tries < 1:
        raise ToolError("--tries must be at least 1")
    if not 0 <= arguments.tolerance < 100:
        raise ToolError(f"--tolerance {arguments.tolerance:g} is not a percentage below 100")
    return arguments


def run_deck(deck, number, attempt, folder, arguments):
    """The result file of a deck; two decks may have one name."""
    tessera = find_tessera(arguments.tessera, "build/openmp/tessera")
    again = f"-{attempt}" if attempt else ""
    result = folder / f"{number:02}-{Path(deck).stem}{again}.json"
    print(f"running {deck}" + (" again" if attempt else ""), file=sys.stderr, flush=True)
    options = run_options(arguments.variants, [*arguments.set, 'output.csv=""'])
    execute([tessera, "run", deck, "-o", str(result), *options])
    return results.read(result)


def check(run, stored, arguments):
    """The findings of a run."""
    alike = stored if arguments.any_machine else performance.of_machine(stored, run)
    return performance.compare(run, alike, measure_of(arguments), arguments.tolerance / 100)


def measure_of(arguments):
    return performance.ABSOLUTE if arguments.absolute else performance.SHARE


def check_deck(deck, number, stored, folder, arguments):
    """(findings, rows that were run) of a deck, run again while something is slower."""
    run = run_deck(deck, number, 0, folder, arguments)
    found = check(run, stored, arguments)
    for attempt in range(1, arguments.tries):
        if all(finding.verdict != "slower" for finding in found):
            break
        again = run_deck(deck, number, attempt, folder, arguments)
        found = performance.better(found, check(again, stored, arguments))
    return found, len(run.rows)


def main():
    arguments = parse_arguments()
    stored = results.read_all([arguments.stored])
    # All of these are read before anything runs for minutes.
    checked = [(check(run, stored, arguments), len(run.rows))
               for run in map(results.read, arguments.result)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        checked += [check_deck(deck, number, stored, folder, arguments)
                    for number, deck in enumerate(arguments.decks, 1)]
    findings = [finding for found, _ in checked for finding in found]
    for finding in findings:
        if not arguments.quiet or finding.verdict in performance.FAILURES:
            print(finding.line(measure_of(arguments)))
    verdicts = [finding.verdict for finding in findings]
    counts = [f"{verdicts.count(word)} {word}" for word in ("slower", "lost", "faster", "same")
              if word != "lost" or word in verdicts]
    left_out = sum(rows for _, rows in checked) - len(findings)
    print(", ".join(counts) + (f"; {left_out} rows are not stored" if left_out else ""))
    return 1 if any(word in verdicts for word in performance.FAILURES) else 0


if __name__ == "__main__":
    errors.run(main, status=2)
