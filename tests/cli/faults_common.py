# SPDX-License-Identifier: Apache-2.0
"""What tests of faults share: a library that makes calls fail, and how many calls a command makes.

Arguments of each: the repository's root, the tessera binary. TESSERA_FAULTS=all tries every call,
else a sample of them, whose seed is printed and can be given again.
"""

import os
import random
import shutil
import subprocess

from trust_common import ROOT, TESSERA

# isort: split
from checks import check  # trust_common knows where

ALL = os.environ.get("TESSERA_FAULTS") == "all"
KINDS = ("open", "mkdir", "write", "pwrite", "fwrite", "fsync", "ftruncate", "rename", "close")
SEED = int(os.environ.get("TESSERA_TEST_SEED") or random.randrange(1 << 30))


def build_library(place):
    """The library that makes writes fail; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    library = place / "fail_writes.so"
    done = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library,
                           ROOT / "tests/fixtures/fail_writes.c", "-ldl"], capture_output=True,
                          text=True, check=False)
    check(done.returncode == 0, f"the library: {done.stderr}")
    return library


def usable_library(place):
    """The library; None, with the reason on standard output, where it cannot be used."""
    library = build_library(place)
    if library is None:
        print("no C compiler: writes that fail were not tried")
        return None
    if "ASan runtime" in run(library, (TESSERA, "--version")).stderr:
        print("the address sanitizer must be the first library: writes that fail were not tried")
        return None
    return library


def run(library, command, at=0, on=False, kind=None, count=None, log=None):
    environment = {**os.environ, "LD_PRELOAD": str(library), "TESSERA_FAIL_AT": str(at),
                   "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg",
                   "TESSERA_QUICK_ROOFS": "1",
                   "MPLCONFIGDIR": str(library.parent)}
    for name, value in (("ON", "1" if on else None), ("KIND", kind), ("COUNT", count),
                        ("LOG", log)):
        if value:
            environment[f"TESSERA_FAIL_{name}"] = str(value)
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors="replace", check=False, env=environment, timeout=300)


def calls_of(library, command, place):
    """How many calls a command makes that could fail, "all" and by kind, and how it ended."""
    count = place / "count"
    count.unlink(missing_ok=True)
    done = run(library, command, count=count)
    lines = count.read_text("utf-8").split("\n") if count.exists() else []
    return {name: int(number) for name, number in (line.split() for line in lines if line)}, done


def sample(numbers, most, what):
    """All of them, or as many as are tried in the tier quick."""
    if ALL or len(numbers) <= most:
        return list(numbers)
    return sorted(random.Random(f"{SEED} {what}").sample(list(numbers), most))
