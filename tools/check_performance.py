#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is anything slower than what is stored? Runs decks and compares them with result files.

What `tools/compare.py --difference` does with a run that is there, for decks: each is run, and each
row set beside the stored one of the same case on a machine like this one. A line a row says whether
it is slower, faster or the same, by more than --tolerance and by more than the samples of both leave
open. Compared are shares of the copy bandwidth of the same run, since a machine that is slow today
copies slowly too; --absolute compares GCell/s. A deck in which something is slower is run once more
(--tries), and the better of the two counts.

Exit status: 0 nothing slower; 1 something is slower, or was valid and is not; 2 bad input.
"""

import os
import sys
import tempfile
from pathlib import Path

from tessera_tools import command_line, errors, results
from tessera_tools.errors import ToolError
from tessera_tools.program import execute, find_tessera, run_folder, run_options

EXAMPLES = """
  check_performance.py out/study inputs/quick.toml
  check_performance.py results/nvidia-h100 inputs/sai-table2.toml --set case.steps=20 \\
    -v 'acoustic/st_async' --tessera build/cuda-hopper90/tessera --keep out/check
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
        help="the program (default: build/openmp/tessera, or the newest build)")
    command_line.add_run_options(parser)
    add("--keep", type=Path, metavar="FOLDER",
        help="keep the runs' result files, elsewhere than what is stored")
    add("-q", "--quiet", action="store_true", help="only lines of what is slower, and the sum")
    arguments = parser.parse_args()
    if not arguments.decks and not arguments.result:
        raise ToolError("a deck is required, or --result")
    command_line.refuse_without(parser, ["decks"], ["tries", "variants", "set", "keep"])
    if arguments.tries < 1:
        raise ToolError("--tries must be at least 1")
    if not 0 <= arguments.tolerance < 100:
        raise ToolError(f"--tolerance {arguments.tolerance:g} is not a percentage below 100")
    if arguments.keep and is_same(arguments.keep, Path(arguments.stored)):
        raise ToolError(f"--keep {arguments.keep} is the folder of what is stored: a run would be "
                        "set beside itself; name another folder")
    arguments.tessera = find_tessera(arguments.tessera, "build/openmp/tessera")
    return arguments


def is_same(one, other):
    """Whether two names mean one folder."""
    return os.path.realpath(one) == os.path.realpath(other)


def difference(result, arguments):
    """The run of a result file beside what is stored."""
    from tessera_tools import difference as differences
    return differences.difference(results.read_all([arguments.stored]), results.read(result),
                                  arguments.tolerance / 100, arguments.absolute, arguments.any_machine)


def run_deck(deck, number, attempt, folder, arguments):
    """The result file of a deck; two decks may have one name."""
    again = f"-{attempt}" if attempt else ""
    result = folder / f"{number:02}-{Path(deck).stem}{again}.json"
    print(f"running {deck}" + (" again" if attempt else ""), file=sys.stderr, flush=True)
    options = run_options(arguments.variants, arguments.set)
    with run_folder(result) as out:
        execute([arguments.tessera, "run", deck, "-o", str(out), *options])
    return result


def check_deck(deck, number, folder, arguments):
    """The difference of a deck, run again while something is slower."""
    found = difference(run_deck(deck, number, 0, folder, arguments), arguments)
    for attempt in range(1, arguments.tries):
        if not found.count("slower"):
            break
        again = run_deck(deck, number, attempt, folder, arguments)
        found = found.better(difference(again, arguments))
    return found


def line(row, measure, tolerance):
    source = f"[{Path(row.stored).name} {row.stored_date[:10]}]"
    if row.verdict == "lost":
        return f"lost   {row.name} was valid, is {row.reason} {source}"
    if row.verdict == "gained":
        return f"gained {row.name} is valid now {source}"
    return (f"{row.verdict:<6} {row.name} {row.before:.4g} -> {row.after:.4g} GCell/s, {measure} "
            f"{100 * (row.ratio - 1):+.1f} % (allowed {max(tolerance, 100 * row.spread):.1f}) {source}")


def main():
    arguments = parse_arguments()
    from tessera_tools import difference as differences
    results.read_all([arguments.stored])
    # All of these are read before anything runs for minutes.
    found = [difference(result, arguments) for result in arguments.result]
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        found += [check_deck(deck, number, folder, arguments)
                  for number, deck in enumerate(arguments.decks, 1)]
    for one in found:
        for row in one.rows.itertuples(index=False):
            if not arguments.quiet or row.verdict in differences.FAILURES:
                print(line(row, one.measure, arguments.tolerance))
    for remark in dict.fromkeys(remark for one in found for remark in one.remarks):
        if not arguments.quiet:
            print(f"note: {remark}")
    counts = {verdict: sum(one.count(verdict) for one in found) for verdict in differences.VERDICTS[:-1]}
    left_out = sum(one.only_after for one in found)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items())
          + (f"; {left_out} rows are not stored" if left_out else ""))
    return 1 if any(one.count(*differences.FAILURES) for one in found) else 0


if __name__ == "__main__":
    errors.run(main, status=2)
