#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the device compiler says of each kernel: registers, spills, shared memory, occupancy.

Compiles the variants of a configured CUDA (nvcc_wrapper) or HIP (clang, hipcc) build once more, for
the device only, with the compiler's resource report on, and writes one CSV table. Nothing runs, so
no device is needed, and the build is left as it is. Exit status 1 where a kernel keeps values in
memory that should be in registers (spills, a stack frame), 2 where there is no report.
"""

import io
import os
import sys
from pathlib import Path

from tessera_tools import command_line, errors, published
from tessera_tools.device_compile import compile_variants
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT, check_output, write_whole
from tessera_tools.resource_reports import read_enumerators, report_rows
from tessera_tools.resource_rows import (
    REGISTERS,
    print_published,
    sort_key,
    summarise,
    write_table,
)


def main():
    parser = command_line.parser(__doc__)
    parser.add_argument("build", type=Path, help="a configured build folder")
    parser.add_argument("-o", "--output", type=Path, help="the CSV file (default: standard output)")
    parser.add_argument("-p", "--published", type=Path,
                        help="published table of compiler figures to print beside (Python 3.11)")
    command_line.add_number(parser, "--jobs", int, 1, 4096, short="-j", default=os.cpu_count(),
                            help="compiles at a time (default: the CPUs)")
    arguments = parser.parse_args()
    beside = published.read(arguments.published) if arguments.published else None
    if arguments.output:
        check_output(arguments.output)  # before anything is compiled

    reports = compile_variants(arguments.build, arguments.jobs)
    enumerators = read_enumerators(ROOT)
    rows = []
    for kind, variant, text in reports:
        found = report_rows(kind, variant, text, enumerators)
        if not any(REGISTERS[kind] in row for row in found):
            # Such as one that needs a library that the build does not have.
            print(f"{variant}: no kernel of its own in this build", file=sys.stderr)
        rows += found
    kind = reports[0][0]
    if not any(REGISTERS[kind] in row for row in rows):
        raise ToolError("the compiler reported no kernel that is understood here")
    rows.sort(key=sort_key)
    table = io.StringIO()
    write_table(kind, rows, table)
    if arguments.output:
        write_whole(arguments.output, table.getvalue())
    else:
        print(table.getvalue(), end="")
    if beside:
        print_published(rows, beside)
    return summarise(kind, rows)


if __name__ == "__main__":
    errors.run(main, status=2)
