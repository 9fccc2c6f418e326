#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turn result files into what continuous benchmarking reads: a JSON list of name, unit, value, range and
extra, as github-action-benchmark takes it (tool: customBiggerIsBetter, by --seconds customSmallerIsBetter).

A valid row is an entry, named as the lines FOM of a run, with model and details where it has them, and the
platform where files are of several. What was dropped is told in one line.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from tessera_tools import command_line, errors, results
from tessera_tools.errors import ToolError
from tessera_tools.files import check_output, make_folder, write_whole

EXAMPLES = """
  continuous_benchmark.py out/quick/result.json -o out/benchmark.json
  continuous_benchmark.py results/nvidia-h100 --seconds
"""


def name_of(row) -> str:
    parts = [row.name, row.point, row.model, row.decomposition, row.precision, row.details]
    return "/".join(filter(None, parts)).replace(" ", "_").replace(":", "/")


def entry(row, name: str, seconds: bool) -> dict:
    low, high = (row.number(f"gcell_per_s.{key}") for key in ("min", "max"))
    value, unit, spread = (row.median_s, "s/step", max(row.samples) - min(row.samples)) if seconds else \
        (row.rate, "GCell/s", high - low)
    share = row.share_of_bound
    return {"name": name, "unit": unit, "value": value, "range": f"± {spread / 2:.3g}",
            "extra": f"{' x '.join(map(str, row.grid))} cells, {row.steps} steps, {len(row.samples)} samples, "
                     + (f"{100 * share:.1f} % of bound, " if share else "") + f"revision {row.file.revision}"}


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("inputs", nargs="+", metavar="FILE-or-FOLDER")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="instead of stdout")
    parser.add_argument("--seconds", action="store_true", help="seconds a step instead of GCell/s")
    arguments = parser.parse_args()
    if arguments.output:
        check_output(arguments.output, ".json")
    rows = results.rows_of(results.read_all(arguments.inputs))
    valid = [row for row in rows if row.valid and row.rate]
    if not valid:
        raise ToolError(f"{', '.join(arguments.inputs)}: no valid row")
    several = len({row.file.machine_name for row in valid}) > 1
    names = [(f"{row.file.machine_name}/" if several else "") + name_of(row) for row in valid]
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ToolError(f"{twice[0]} is there more than once: name fewer files")
    text = json.dumps([entry(row, name, arguments.seconds) for row, name in zip(valid, names)],
                      indent=1, ensure_ascii=False) + "\n"
    if arguments.output:
        make_folder(arguments.output.parent)
        write_whole(arguments.output, text)
    else:
        print(text, end="")
    print(f"dropped: {len(rows) - len(valid)} rows that are not valid; of the others samples, streams, roofline, "
          "resources, predictions, energy and the machine", file=sys.stderr)


if __name__ == "__main__":
    errors.run(main)
