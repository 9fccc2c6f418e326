#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is anything slower than what is stored? Runs decks and compares each with result files, as
`tools/compare.py --difference` does with a run that is there.

Compared are shares of the copy bandwidth of the same run, since a machine that is slow today copies
slowly too; --absolute compares GCell/s. A deck in which something is slower is run once more
(--tries), and the better of the two counts.

Exit status: 0 nothing slower; 1 something is slower, or was valid and is not; 2 bad input.
"""

import sys
import tempfile
from pathlib import Path

from tessera_tools import command_line, errors, results
from tessera_tools.program import execute, find_tessera, run_folder, run_options

EXAMPLES = """
  check_performance.py out/study inputs/quick.toml
  check_performance.py results/nvidia-h100 inputs/sai-table2.toml --set case.steps=20 \\
    -v 'acoustic/st_async' --tessera build/cuda-hopper90/tessera --keep out/check"""


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    add = parser.add_argument
    add("stored", help="what to compare with: a folder of result files, or one")
    add("decks", nargs="+", metavar="deck", help="decks to run")
    command_line.add_number(parser, "--tolerance", float, 0, 100, default=5, metavar="PERCENT",
                            help="a difference up to this is none (5)")
    add("--absolute", action="store_true", help="compare GCell/s, not shares of copy")
    command_line.add_number(parser, "--tries", int, 1, 100, default=2, metavar="N",
                            help="runs of a deck at most: where something is slower, the better counts (2)")
    add("--any-machine", action="store_true", help="compare with files of other machines too")
    command_line.add_tessera(parser)
    command_line.add_run_options(parser)
    add("--keep", type=Path, metavar="FOLDER", help="keep the runs' result files")
    return parser.parse_args()


def check_deck(deck, number, folder, stored, arguments, tessera):
    """The difference of a deck, run again while something is slower; two decks may have one name."""
    from tessera_tools.difference import difference
    options, found = run_options(arguments.variants, arguments.set), None
    for attempt in range(arguments.tries):
        print(f"running {deck}" + (" again" if attempt else ""), file=sys.stderr, flush=True)
        result = folder / f"{number:02}-{Path(deck).stem}{f'-{attempt}' if attempt else ''}.json"
        with run_folder(result) as out:
            execute([tessera, "run", deck, "-o", str(out), *options])
        again = difference(stored, results.read(result), arguments.tolerance / 100, arguments.absolute,
                           arguments.any_machine)
        found = found.better(again) if found else again
        if not found.count("slower"):
            break
    return found


def main():
    arguments = parse_arguments()
    tessera = find_tessera(arguments.tessera, "build/openmp/tessera")
    stored = results.read_all([arguments.stored])  # before anything runs for minutes
    worse = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for number, deck in enumerate(arguments.decks, 1):
            found = check_deck(deck, number, folder, stored, arguments, tessera)
            print(f"{deck}\n{found.text()}")
            worse += found.worse
    return 1 if worse else 0


if __name__ == "__main__":
    errors.run(main, status=2)
