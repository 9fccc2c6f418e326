#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Set machines side by side: efficiencies, performance portability, rankings; or a run beside stored
ones of the same machine.

Takes result files, published tables, files of `tessera predict -o` and folders of these; NAME=PATH
gives a platform a name. docs/studies.md says what the figures mean. Needs pandas
(1.5 or newer) and jsonschema.

  % bound   share of what bounds the platform (architectural efficiency)
  % best    of the best variant there (application efficiency)
  Phi       harmonic mean over the platforms named, 0 where a variant is unsupported or invalid on one

Measured, published and predicted platforms form sets of their own unless --platforms names them.
Exit status: 0; 1 where an input is bad, or --difference finds something slower or valid no more.
"""

import json
import shutil
import sys
from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError
from tessera_tools.files import check_output, write_whole

EXAMPLES = """
  compare.py results/nvidia-h100 results/nvidia-h200
  compare.py published/sai-table2.toml --cascade
  compare.py laptop=out/quick.json desk=desk/quick.json --csv p3.csv
  compare.py --difference before.json after.json
  compare.py --difference results/nvidia-h100 out/sai-table2.json"""
OF_TEXT = ("configurations", "cascade", "wide", "summary")


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    add = parser.add_argument
    add("inputs", nargs="+", metavar="FILE-or-FOLDER")
    add("-p", "--platforms", action="append", default=[], metavar="GLOB",
        help="over platform names: these form the set, of whatever origin")
    add("--configurations", action="store_true",
        help="also a line a configuration, the same on all platforms")
    add("--cascade", action="store_true",
        help="also each variant's platforms from best to worst, and Phi so far")
    add("--wide", action="store_true", help="each table in one piece, with the tiles that won")
    add("--summary", action="store_true",
        help="platforms, remarks and families alone, without the table of each problem")
    add("--json", action="store_true", help="print JSON")
    add("--csv", type=Path, metavar="FILE",
        help="write a line a variant, problem and platform, for the P3 analysis library")
    add("--long-csv", type=Path, metavar="FILE", help="write every row, a line each")
    add("--difference", action="store_true",
        help="set the last file, a run, beside stored ones (files, folders) of the same machine: row "
             "by row faster, slower or the same")
    command_line.add_number(parser, "--tolerance", float, 0, 100, default=3, metavar="PERCENT",
                            help="what --difference takes for none (3); the spread counts too")
    add("--absolute", action="store_true",
        help="--difference: compare GCell/s, not shares of each run's copy bandwidth")
    add("--any-machine", action="store_true",
        help="--difference: with stored files of other machines too")
    arguments = parser.parse_args()
    command_line.refuse_together(parser, "difference", (*OF_TEXT, "platforms", "csv", "long_csv"))
    command_line.refuse_together(parser, "json", OF_TEXT)
    command_line.refuse_together(parser, "summary", ("configurations", "cascade"))
    command_line.refuse_without(parser, ["difference"], ["tolerance", "absolute", "any_machine"])
    return arguments


def print_difference(arguments, width):
    from tessera_tools import comparison_text, difference, results
    if len(arguments.inputs) < 2:
        raise ToolError("--difference requires stored files or folders, and last the run")
    *stored, run = arguments.inputs
    found = difference.difference(results.read_all(stored), results.read(run), difference.Options(
        arguments.tolerance / 100, arguments.absolute, arguments.any_machine))
    print(json.dumps(found, indent=2) if arguments.json
          else comparison_text.difference_report(found, width), end="\n" if arguments.json else "")
    worse = sum(difference.count(found, verdict) for verdict in difference.FAILURES)
    if worse:
        raise ToolError(f"{worse} of {len(found['rows'])} rows became slower or are valid no more")


def print_comparison(arguments, width):
    from tessera_tools import comparison, comparison_text, points
    data = points.collect(arguments.inputs)
    found = comparison.compare(data, arguments.platforms)
    for output in filter(None, (arguments.csv, arguments.long_csv)):
        check_output(output)
    print(json.dumps(found, indent=2) if arguments.json else comparison_text.report(
        found, width, arguments.configurations, arguments.cascade, arguments.summary))
    if arguments.csv:
        table, unbounded = comparison_text.p3_csv(found)
        write_whole(arguments.csv, table)
        if unbounded:
            print(f'compare.py: warning: {arguments.csv}: without "arch eff", since {unbounded} rates '
                  "have no known bound: --platforms chooses platforms that have one", file=sys.stderr)
    if arguments.long_csv:
        write_whole(arguments.long_csv, comparison_text.long_csv(data))


def main():
    arguments = parse_arguments()
    width = None if arguments.wide else shutil.get_terminal_size((80, 24)).columns
    (print_difference if arguments.difference else print_comparison)(arguments, width)


if __name__ == "__main__":
    errors.run(main)
