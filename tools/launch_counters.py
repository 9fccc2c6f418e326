#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counters of each launch of `tessera run --profile` under ncu, as one CSV: times, volumes, how busy
units were, and what warps waited for.

Each raw file is what ncu printed (`--csv --page raw --print-units base`, with the marks
ProfileBegin and ProfileEnd among its kernels); the folder of the run lies beside it, as raw/st beside raw/st.csv.
"""

import io
from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError
from tessera_tools.files import write_whole
from tessera_tools.launch_metrics import METRICS, lines_of, write_lines

EXAMPLES = """
  ncu --csv --page raw --print-units base --kernel-name-base demangled --kernel-name regex:tessera \\
    --metrics $(tools/launch_counters.py --metrics) build/cuda-hopper90/tessera run inputs/quick.toml \\
    --profile -v acoustic/st_async -o raw/st > raw/st.csv
  launch_counters.py raw/st.csv -o out/st-launches.csv"""


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("raw", nargs="*", type=Path, help="ncu's files, in the order of the lines")
    parser.add_argument("--metrics", action="store_true", help="print the counters that are known")
    parser.add_argument("--note", default="", help="said of every line, such as how a trial was built")
    parser.add_argument("-o", "--output", type=Path, help="the CSV file (default: standard output)")
    arguments = parser.parse_args()
    command_line.refuse_together(parser, "metrics", ["raw", "note", "output"])
    if arguments.metrics:
        print(",".join(METRICS))
        return
    if not arguments.raw:
        raise ToolError("a file of ncu's is required, or --metrics")
    command_line.refuse_twice("raw", arguments.raw)
    table = io.StringIO()
    write_lines([line for raw in arguments.raw for line in lines_of(raw, arguments.note)], table)
    if arguments.output:
        write_whole(arguments.output, table.getvalue())
    else:
        print(table.getvalue(), end="")


if __name__ == "__main__":
    errors.run(main)
