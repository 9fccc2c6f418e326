# SPDX-License-Identifier: Apache-2.0
"""`tessera predict --study`: errors of the models on stored rows stay what docs/model.md prints.

Arguments: source folder, program. H200's file has the constants of an H100: nothing of it is fitted,
and no variant has run there for the model. A build of few tiles knows a part of the rows, whose
errors are listed here.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

SOURCE, PROGRAM = Path(sys.argv[1]), sys.argv[2]
FOLDERS = {"H100": "nvidia-h100", "H200": "nvidia-h200", "Zen4-AVX2": "amd-epyc-zen4-avx2-2t",
           "Zen4-AVX512": "amd-epyc-zen4-avx512-2t"}
ROUNDING = 0.0051  # of shares: what a figure of one decimal in percent may hide, and half a point

# Mean |error| of time of all vectorised rows that a build of few tiles has, %.
FEW = {}


def predict(*arguments):
    """The program's outcome."""
    return subprocess.run([PROGRAM, "predict", *arguments], cwd=SOURCE, capture_output=True,
                          text=True, check=False)


def report(machine):
    """The errors of a machine's stored rows."""
    done = predict("--study", f"results/{FOLDERS[machine]}", "--machine", machine, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def time_error(family):
    """Of both halves together."""
    rows = family["fitted_rows"] + family["judged_rows"]
    return (family.get("fitted", 0) * family["fitted_rows"]
            + family.get("judged", 0) * family["judged_rows"]) / rows


def check_full(machine, found):
    """Nothing is worse than the stored report."""
    stored = json.loads((SOURCE / "results/predicted/model-errors.json").read_text())["machines"]
    limits = {f["family"]: f for f in next(m for m in stored
                                           if m["machine"] == machine)["families"]}
    for family in found["families"]:
        limit = limits[family["family"]]
        for key in ("fitted", "judged", "volume"):
            if key in limit:
                assert family[key] <= limit[key] + ROUNDING, (machine, family["family"], key)


def check_few(machine, found):
    """Nor than the listed errors of a part of the rows."""
    assert found["families"], machine
    for family in found["families"]:
        error, limit = time_error(family), FEW[machine][family["family"]] / 100
        assert error <= limit + ROUNDING, (machine, family["family"], error, limit)


for name in FOLDERS:
    (check_few if os.environ.get("TESSERA_FEW_CONFIGURATIONS") else check_full)(name, report(name))

table = predict("--study", "results/nvidia-h100", "--machine", "H100", "--worst", "2")
assert "worst of low_order" in table.stdout and "the same winner in" in table.stdout, table.stderr
nothing = predict("--study", "inputs", "--machine", "H100")
assert nothing.returncode == 1 and "holds no result files" in nothing.stderr, nothing.stderr
deck = predict("inputs/quick.toml", "--study", "results/nvidia-h100")
assert deck.returncode == 1 and "takes no deck" in deck.stderr, deck.stderr
