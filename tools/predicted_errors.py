#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sets the predictions of machines against their stored results, for the tables of docs/model.md.

Asks `tessera predict --study` for each folder of result files with its machine file and writes what it
says to results/predicted/predicted-errors.json. Any build will do: predictions do not depend on the
tiles that it has kernels of. Then `tools/docs_tables.py docs/model.md`.
"""

import json

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT, write_whole
from tessera_tools.program import ask_json, find_tessera

EXAMPLES = """
  predicted_errors.py                             # the folders and machines of the stored file
  predicted_errors.py nvidia-h100=H100 host/zen4-avx2=Zen4-AVX2"""
REPORT = ROOT / "results/predicted/predicted-errors.json"


def stored_studies():
    """FOLDER=MACHINE of the stored file."""
    machines = json.loads(REPORT.read_text(encoding="utf-8"))["machines"]
    return [f"{machine['folder']}={machine['machine']}" for machine in machines]


def judge(tessera, folder, machine):
    """What the program says of the result files of a folder."""
    command = [tessera, "predict", "--study", str(ROOT / "results" / folder), "--machine", machine,
               "--worst", "5", "--prune", "1.2", "--json"]
    return ask_json(command, f"{folder} by {machine}")


def report(tessera, study):
    """What it says of a study; where there is a folder `counted` volumes are by the counters there."""
    folder, equals, machine = study.partition("=")
    if not equals:
        raise ToolError(f"{study}: a study is FOLDER=MACHINE, a folder of results/ and its machine")
    found = judge(tessera, folder, machine)
    if (ROOT / "results" / folder / "counted").is_dir():
        counted = {family["family"]: family.get("volume")
                   for family in judge(tessera, f"{folder}/counted", machine)["families"]}
        for family in found["families"]:
            family["volume"] = counted.get(family["family"], family.get("volume"))
    return {"folder": folder, **found}


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    command_line.add_tessera(parser)
    parser.add_argument("studies", nargs="*", metavar="FOLDER=MACHINE",
                        help="a folder of results/ and its machine (default: the stored ones)")
    arguments = parser.parse_args()
    command_line.refuse_twice("FOLDER=MACHINE", arguments.studies)
    tessera = find_tessera(arguments.tessera)
    machines = [report(tessera, study) for study in arguments.studies or stored_studies()]
    text = json.dumps({"machines": machines}, indent=1, sort_keys=True)
    write_whole(REPORT, text + "\n", changed=True)
    print(f"{REPORT}: {len(machines)} machines")
    return 0


if __name__ == "__main__":
    errors.run(main)
