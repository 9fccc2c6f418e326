#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Count what builds for several platforms share: lines of each family and of what all stand on.

Takes a file of `cbi-cov compute` (P3HPC's code-base-investigator) a platform; ci/convergence.sh makes
them from the compile databases of an OpenMP, a CUDA and a HIP build. docs/compare.md has the definitions.
Needs pandas.
"""

from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError
from tessera_tools.files import check_output, make_folder, write_whole

EXAMPLES = """
  convergence.py openmp=build/openmp.json cuda=build/cuda.json hip=build/hip.json -o lines.csv
  convergence.py                                                        # the stored count
"""


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("coverages", nargs="*", metavar="PLATFORM=FILE", help="none: results/convergence")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the count as CSV")
    arguments = parser.parse_args()
    from tessera_tools import convergence
    from tessera_tools.columns import text
    given = dict(one.partition("=")[::2] for one in arguments.coverages)
    if len(given) == 1 or not all(given.values()):
        raise ToolError("two or more PLATFORM=FILE are expected, of different platforms")
    table = convergence.count(given) if given else convergence.read()
    shown = convergence.by_part(table)
    shown["shared"] = (100 * shown.shared).map("{:.1f} %".format)
    shown["divergence"] = shown.divergence.map("{:.3f}".format)
    print(text(shown))
    if arguments.output:
        check_output(arguments.output, ".csv")
        make_folder(arguments.output.parent)
        write_whole(arguments.output, table.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    errors.run(main)
