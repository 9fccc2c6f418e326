# SPDX-License-Identifier: Apache-2.0
"""What Python tests of commands share: decks, and the program as it is called.

Arguments of each: the repository's root, the tessera binary.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

ROOT, TESSERA = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve())
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, finish  # noqa: E402
from decks import UNIFORM, set_all, shot_deck, source_at, spread, toml  # noqa: E402

SHOT_TABLES = {"model": UNIFORM, "receivers": [spread((0, 100, 50), (200, 100, 50), 5)],
               "snapshots": {"every": 20, "stride": 2}}
SHOT = shot_deck((41, 41, 41), 60, 10, source=[source_at(100, 100, 100, 15.0)], **SHOT_TABLES)
RUN = toml(case={"family": "acoustic", "nx": 30, "ny": 28, "nz": 26, "steps": 2}, acoustic={"pml_cells": 3},
           select={"variants": ["acoustic/naive:default"]}, measure={"warmup_s": 0.0})
ENDLESS = ("--set", "case.steps=60000", "--set", "snapshots.every=0")


def tessera(*arguments, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "errors": "replace", **options}
    return subprocess.run([TESSERA, *map(str, arguments)], check=False, timeout=300, **options)


def wait_for(condition, text, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.02)
    check(False, f"in {seconds} s: {text}")
    return False


def start(*arguments, **options):
    return subprocess.Popen([TESSERA, *map(str, arguments)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, errors="replace", **options)


def samples(path):
    """The lines of a gather that hold samples."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")][1:]


def whole_snapshots(path):
    """How many snapshots there are in a file that may still grow; an AssertionError where a value is
    not finite."""
    with h5py.File(path, "r") as file:
        written = int(file["snapshots_written"][()])
        for name in sorted(file["pressure"])[:written]:
            assert np.isfinite(file["pressure"][name][...]).all(), f"{path.name}: {name} is not finite"
    return written


def c_library(place, name):
    """tests/fixtures/NAME.c as a library to be loaded; None, with a word, without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        print(f"no C compiler: without {name}.c nothing is tested")
        return None
    library = place / f"{name}.so"
    done = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library,
                           ROOT / f"tests/fixtures/{name}.c", "-ldl"], capture_output=True, text=True,
                          check=False)
    check(done.returncode == 0, f"{name}.c: {done.stderr}")
    return library


def into(command, deck, out, *more):
    """`tessera COMMAND DECK -o OUT`, where `more` are options, and changes of keys with a `=`."""
    return (command, deck, "-o", out,
            *(word for text in more for word in (set_all(text) if "=" in text else (text,))))


def run_tests(*tests):
    """Runs each test in one folder with both decks; -v tells how long each takes."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "shot.toml").write_text(SHOT, "utf-8")
        (place / "run.toml").write_text(RUN, "utf-8")
        for test in tests:
            begin = time.time()
            test(place)
            if "-v" in sys.argv:
                print(f"{test.__name__}: {time.time() - begin:.1f} s")
    finish()
