# SPDX-License-Identifier: Apache-2.0
"""Writes that fail at the n-th call, for every n: what was recorded is whole.

A shot with a gather in CSV and SEG-Y and snapshots, a run and a suite of winners, each with the
n-th write failing, once and from then on. Afterwards files are whole or not there, and growing files
hold whole lines and whole snapshots. Arguments: the
repository's root, the tessera binary. TESSERA_FAULTS=all tries every call, else a sample.
"""

import csv
import json
import shutil
import tempfile
from pathlib import Path

import h5py
import numpy as np

from faults_common import ALL, SEED, calls_of, run, sample, usable_library
from trust_common import ROOT, TESSERA

# isort: split
from checks import check, finish  # trust_common knows where

SHOT = """[case]
nx = 30
ny = 28
nz = 26
steps = 240
[acoustic]
h = 10.0
pml_cells = 5
[model]
kind = "uniform"
v = 2000.0
[[source]]
x = 100
y = 80
z = 40
f_peak = 15.0
[[receivers]]
start = [0, 80, 20]
end = [190, 80, 20]
count = 6
[snapshots]
every = 40
stride = 3
"""
NAMES = ("gather.csv", "gather.sgy", "snapshots.h5", "snapshots.xdmf", "shot.json")


def tries(library, command, place):
    """(n, whether all calls after it fail too) to be tried: every one or a sample of them."""
    calls, done = calls_of(library, command, place)
    check(done.returncode == 0, f"without faults: {done.stderr}")
    check(calls.get("all", 0) > 3, f"{command[1]}: {calls} calls")
    return [(number, on) for number in sample(range(1, calls["all"] + 1), 10, command[1])
            for on in (False, True)]


def told(result, text):
    """A fault that mattered is told in one line with a status that is not zero."""
    if result.returncode == 0:
        return
    lines = [line for line in result.stderr.splitlines() if "warning:" not in line]
    check(result.returncode == 1 and len(lines) == 1 and lines[0].startswith("tessera: error: "),
          f"{text}: {result.returncode} {result.stderr[-300:]}")


def whole_gather(path, text, steps=None):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines()
             if not line.startswith("#")][1:]
    check(all(line.count(",") == 6 for line in lines), f"{text}: lines of {path.name}")
    check(steps is None or len(lines) == steps, f"{text}: {len(lines)} samples")


def whole_snapshots(path, text, count=None):
    try:
        with h5py.File(path, "r") as file:
            written = int(file["snapshots_written"][()])
            fields = [file["pressure"][name][...]
                      for name in sorted(file["pressure"])[:written]]
            check(all(np.isfinite(field).all() for field in fields), f"{text}: {path.name}")
            check(count is None or len(fields) == count, f"{text}: {len(fields)} snapshots")
    except (OSError, KeyError, RuntimeError) as error:
        check(False, f"{text}: {path.name}: {error}")


def test_shot(library, place):
    deck, out = place / "shot.toml", place / "out"
    deck.write_text(SHOT, encoding="utf-8")
    command = (TESSERA, "shot", deck, "-o", out)
    for number, on in tries(library, command, place):
        shutil.rmtree(out, ignore_errors=True)
        result = run(library, command, number, on)
        text = f"shot, call {number}{' and all after it' if on else ''}"
        told(result, text)
        left = [path.name for path in out.glob("*.tmp")]
        check(not left, f"{text}: {left} is left")
        if result.returncode == 0:
            check(all((out / name).exists() for name in NAMES), f"{text}: {list(out.iterdir())}")
        if (out / "gather.csv").exists():
            whole_gather(out / "gather.csv", text, 240)
        if (out / "snapshots.h5").exists():
            whole_snapshots(out / "snapshots.h5", text, 6)
        if (out / "gather.part.csv").exists():
            whole_gather(out / "gather.part.csv", text)
        if (out / "snapshots.part.h5").exists():
            whole_snapshots(out / "snapshots.part.h5", text)


def test_run(library, place):
    deck, out = place / "run.toml", place / "r.json"
    deck.write_text('[case]\nfamily = "acoustic"\nnx = 24\nny = 22\nnz = 20\nsteps = 1\n'
                    '[acoustic]\npml_cells = 3\n[select]\nvariants = ["acoustic/naive:default"]\n'
                    '[measure]\nwarmup_s = 0.0\n', encoding="utf-8")
    command = (TESSERA, "predict", ROOT / "inputs/su-k20.toml", "--machine", "K20", "-o", out)
    for number, on in tries(library, command, place):
        out.write_text('{"old": 1}', encoding="utf-8")
        told(run(library, command, number, on), f"predict, call {number}")
        content = json.loads(out.read_text(encoding="utf-8"))
        check("old" in content or "cases" in content, f"predict, call {number}: whole")
        check(not list(place.glob(".r.json*")), f"predict, call {number}: nothing is left beside")
    out = place / "r"
    command = (TESSERA, "run", deck, "-o", out)
    some = tries(library, command, place)
    for number, on in some if ALL else some[:2]:
        shutil.rmtree(out, ignore_errors=True)
        told(run(library, command, number, on), f"run, call {number}")
        if (out / "result.json").exists():
            content = json.loads((out / "result.json").read_text(encoding="utf-8"))
            check(content["results"][0]["status"] == "valid", f"run {number}")
        if (out / "result.csv").exists():
            rows = list(csv.reader((out / "result.csv").read_text("utf-8").splitlines()))
            check(len(rows) == 2, f"run, call {number}: the table is whole")


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    found = usable_library(folder)
    if found is not None:
        print(f"faults: TESSERA_TEST_SEED={SEED} repeats them")
        test_shot(found, folder)
        test_run(found, folder)
finish()
