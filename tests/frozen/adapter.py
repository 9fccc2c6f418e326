# SPDX-License-Identifier: Apache-2.0
"""How options are spelt and where outputs lie: all that `freeze` and `compare` know of the command line.

A change of either is a change of this module alone. `out` is a folder that a command of the table has
for itself; it is there and empty when its command begins. Functions NAME_args build the argument list
(without the binary), the others find an output in `out` or read text that the program prints.

A run owns its folder: `-o FOLDER`, with fixed names in it. FROZEN_FILES=1 in the environment: the program
as it was before, whose `-o` names a file.
"""

import os
import re

FILES = os.environ.get("FROZEN_FILES") == "1"
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive",
               "TESSERA_QUICK_ROOFS": "1"}


def deck_text(text):
    """A deck of ours as today's program spells its keys."""
    return text


def suite_text(text):
    return text


def _sets(values):
    return [word for value in values for word in ("--set", value)]


def _selection(entry):
    words = []
    for option, key in (("-v", "variants"), ("-x", "exclude")):
        for pattern in entry.get(key, []):
            words += [option, pattern]
    return words


def _machine(entry):
    return ["--machine", entry["machine"]] if "machine" in entry else []


# ---- run, tune -----------------------------------------------------------------------------------

def run_args(deck, out, entry, tuned=None):
    return ["run", deck, "-o", str(run_result(out) if FILES else out / "run"), *_sets(entry.get("set", [])), *_selection(entry),
            *_machine(entry), *(["--tuned", str(tuned)] if tuned else []),
            *(["--resume"] if "resume" in entry else []), *entry.get("more", [])]


def run_result(out):
    return out / "result.json" if FILES else out / "run" / "result.json"


def run_table(out):
    """The flat view of the same."""
    return run_result(out).with_suffix(".csv")


def tune_args(deck, out, entry):
    return ["tune", deck, "-o", str(tune_result(out) if FILES else out / "tune"), "-w", str(tune_winners(out)), "--steps", "2",
            *_sets(entry.get("set", [])), *_selection(entry), *_machine(entry), *entry.get("more", [])]


def tune_result(out):
    return out / "tune.json" if FILES else out / "tune" / "result.json"


def tune_winners(out):
    return out / "winners.json"


# ---- commands that print JSON ----------------------------------------------------------------------

def verify_args(entry):
    return ["verify", *entry["patterns"], "--json", "--seed", str(entry["seed"]), *entry.get("more", [])]


def predict_args(deck, entry):
    ranks = [word for grid in entry.get("ranks", []) for word in ("--ranks", grid)]
    network = ["--network", entry["network"]] if "network" in entry else []
    return ["predict", deck, "--json", *_machine(entry), *_sets(entry.get("set", [])),
            *_selection(entry), *ranks, *network, *entry.get("more", [])]


def plan_args(entry):
    return ["plan", entry["stencil"], "--json", *_machine(entry), *entry.get("more", [])]


def describe_args(entry):
    return ["describe", entry["variant"], "--json", *_machine(entry), *entry.get("more", [])]


def list_json_args(entry):
    return ["list", *entry.get("patterns", []), "--json", *_machine(entry), *entry.get("more", [])]


def list_args(entry):
    """The variants, with how many of their tiles run on a machine."""
    return ["list", *_machine(entry), *entry.get("more", [])]


def list_rows(text):
    """{variant: [tiles that run, tiles]}"""
    rows = re.findall(r"^(\w+/\w+)\s+(\d+)/(\d+)\s", text, re.M)
    return {name: [int(runs), int(all_tiles)] for name, runs, all_tiles in rows}


def markdown_args(entry):
    return ["list", *entry.get("patterns", []), "--markdown"]


def launches_args(entry):
    return ["list", "--launches"]


def markdown_rows(text):
    """{first cell: other cells} of each row of Markdown tables, headings left out."""
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and cells[0] not in ("variant", "family", "---"):
            rows[cells[0].strip("`")] = cells[1:]
    return rows


def machine_args(out, entry):
    return ["machine", "--quick", "-o", str(machine_file(out)), *entry.get("more", [])]


def machine_file(out):
    return out / "machine.json"


# ---- fit ---------------------------------------------------------------------------------------------

def fit_args(deck, out, entry):
    return ["fit", deck, "--json", "-o", str(fit_table(out)), *_sets(entry.get("set", []))]


def fit_table(out):
    return out / "table.json"


# ---- study -------------------------------------------------------------------------------------------

PLATFORM = "here"


def study_args(suite, out, entry, machine):
    """`machine`: the file that describes this machine, instead of measuring one first."""
    return ["study", suite, "-o", str(out / "study"), "--platform", PLATFORM, "--machine", str(machine),
            *_sets(entry.get("set", [])), *(["--resume"] if "resume" in entry else []),
            *entry.get("more", [])]


def _study_folder(out):
    return out / "study" / PLATFORM if FILES else out / "study"


def study_record(out):
    return _study_folder(out) / "manifest.json"


def study_result(out, name):
    """Result file of the run NAME of a study."""
    return _study_folder(out) / (f"{name}.json" if FILES else f"{name}/result.json")


def study_machine(out):
    return _study_folder(out) / "machine.json"


def study_predict_args(suite, out, entry):
    return ["study", suite, "-o", str(out / "study"), "--platform", PLATFORM,
            "--predict", entry["machine"]]


def study_prediction(out, name):
    """Cases of predictions for the run NAME of a study."""
    return _study_folder(out) / f"{name}.json"


# ---- shot, survey --------------------------------------------------------------------------------------

def shot_args(deck, out, entry, restart=False):
    return ["shot", deck, "-o", str(shot_folder(out)), *_sets(entry.get("set", [])),
            *(["--restart"] if restart else []), *entry.get("more", [])]


def shot_folder(out):
    return out / "shot"


def shot_record(folder):
    return folder / "shot.json"


def gather_csv(folder):
    return folder / "gather.csv"


def gather_segy(folder):
    return folder / "gather.sgy"


def snapshots(folder):
    return folder / "snapshots.h5"


def checkpoint(folder):
    return folder / "checkpoint.h5"


CHECKPOINT_FIELDS = ("u", "u_before", "phi", "samples")  # datasets; `step` is an attribute


def survey_args(deck, out, entry, resume=False):
    return ["survey", deck, "-o", str(survey_folder(out)), *_sets(entry.get("set", [])),
            *(["--resume"] if resume else []), *entry.get("more", [])]


def survey_folder(out):
    return out / "survey"


def survey_record(out):
    return survey_folder(out) / "survey.json"


def survey_gather(out):
    """The traces of all shots."""
    return survey_folder(out) / "survey.sgy"


def survey_shot(out, number):
    return survey_folder(out) / f"shot-{number:04}"


# ---- what files hold -----------------------------------------------------------------------------------

def result_rows(file):
    return file["results"]


def prediction_cases(file):
    return file["cases"]


def winners(file):
    return file["winners"]
