#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far predictions are from what was measured: rows of stored results, and of a paper's table.

Of FOLDERs `tessera predict --study` says each row with its prediction. Printed are the means of
|predicted / measured - 1| by family, of the half of the rows that `tessera machine --calibrate` may
fit to, of the other half, and of counted memory volumes; the worst rows; and what a search that runs
only what is predicted near the best would have run and lost. With --store all folders of
results/predicted/predicted-errors.json are judged again and written there, for the tables of
docs/model.md.

With --published predictions are set beside the step times that a paper printed of its own kernels, on
the grid and the machines of its table. No device is needed. Needs pandas.
"""

import json
from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT, write_whole
from tessera_tools.program import ask_json, find_tessera

EXAMPLES = """
  model_error.py results/nvidia-h100 --machine H100
  model_error.py results/host/zen4-avx2 --machine Zen4-AVX2 --prune 1.5 --worst 3
  model_error.py --store; docs_tables.py docs/model.md
  model_error.py --published                      # Sai's Table II on a V100 and a P100"""
REPORT = ROOT / "results/predicted/predicted-errors.json"


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    command_line.add_tessera(parser)
    add = parser.add_argument
    add("names", nargs="*", metavar="FOLDER", help="result files; with --published MACHINEs: columns "
        "of the table, each of a machine file in inputs/machines (default: V100 P100)")
    add("-m", "--machine", help="machine file, or the name of one (default: the folder's machine.json)")
    command_line.add_number(parser, "--worst", int, 0, 1000, default=5, metavar="N",
                            help="rows of a family to name (5)")
    command_line.add_number(parser, "--prune", float, 1, 100, default=1.2, metavar="FACTOR",
                            help="of the pruned search (1.2)")
    add("--json", action="store_true", help="print JSON")
    add("--store", action="store_true", help="judge the stored folders again, and store that")
    add("--published", action="store_true", help="judge by a paper's table")
    add("--deck", type=Path, default=ROOT / "inputs/sai-table2.toml",
        help="--published: a deck that names the table (inputs/sai-table2.toml)")
    add("--rows", action="store_true", help="--published: print every row")
    arguments = parser.parse_args()
    for name in ("store", "published"):
        if getattr(arguments, name):
            command_line.refuse_idle(parser, arguments, ("machine", "worst", "prune", "json"),
                                     f"beside --{name}")
    if not arguments.published:
        command_line.refuse_idle(parser, arguments, ("deck", "rows"), "without --published")
    command_line.refuse_twice("FOLDER", arguments.names)
    if not (arguments.names or arguments.store or arguments.published):
        raise ToolError("a folder of result files is required, or --published, or --store")
    arguments.tessera = find_tessera(arguments.tessera)
    return arguments


def judged(arguments, folder, machine):
    from tessera_tools import model_errors
    named = ["--machine", machine] if machine else []
    asked = ask_json([arguments.tessera, "predict", "--study", str(folder), *named], str(folder))
    return model_errors.report(asked, arguments.worst, arguments.prune)


def store(arguments):
    """Of a folder with a folder `counted` volumes are by the counters there."""
    machines = []
    for stored in json.loads(REPORT.read_text(encoding="utf-8"))["machines"]:
        folder, machine = ROOT / "results" / stored["folder"], stored["machine"]
        found = judged(arguments, folder, machine)
        if (folder / "counted").is_dir():
            counted = {family["family"]: family.get("volume")
                       for family in judged(arguments, folder / "counted", machine)["families"]}
            for family in found["families"]:
                family["volume"] = counted.get(family["family"], family.get("volume"))
        machines.append({"folder": stored["folder"], **found})
    text = json.dumps({"machines": machines}, indent=1, sort_keys=True)
    write_whole(REPORT, text + "\n")
    print(f"{REPORT}: {len(machines)} machines")


def main():
    arguments = parse_arguments()
    from tessera_tools import model_errors, published_errors
    if arguments.store:
        store(arguments)
    elif arguments.published:
        print(published_errors.table(arguments.tessera, arguments.deck.resolve(),
                                     arguments.names or ["V100", "P100"], arguments.rows))
    else:
        found = [judged(arguments, folder, arguments.machine) for folder in arguments.names]
        print(json.dumps(found, indent=2) if arguments.json
              else "\n".join(map(model_errors.text, found)))


if __name__ == "__main__":
    errors.run(main)
