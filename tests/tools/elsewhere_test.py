# SPDX-License-Identifier: Apache-2.0
"""tools/elsewhere.py: numpy and, where it is installed, Numba are right and beside this program's
rows; what is missing is said so, and a wrong kernel is seen."""

import json
from importlib.util import find_spec
from types import SimpleNamespace

from common import ROOT, TESSERA, call, check, check_error, run_tests

import elsewhere

TOOL = ROOT / "tools/elsewhere.py"


def test_run(folder):
    out = folder / "made.json"
    done = call(TOOL, "--cells", 40, "--steps", 2, "--tessera", TESSERA, "-o", out)
    check(done.returncode == 0, done.stderr)
    rows = {row["what"]: row for row in json.loads(out.read_text("utf-8"))["rows"]}
    check(folder.joinpath("made.tessera.json").is_file(), "this program's result lies beside")
    check(any(name.startswith("acoustic/naive_simd") for name in rows), f"ours: {list(rows)}")
    there = ["numpy, slices", *(["Numba, parallel loops", "Numba, rows by functions"] if find_spec("numba") else [])]
    for name in there:
        row = rows[name]
        check(len(row["gcell_per_s"]) == 5 and 0 < row["error"] < elsewhere.BOUND, f"{name}: {row}")
    for package in ("cupy", "jax", "numba", "torch", "triton"):
        if not find_spec(package):
            row = rows[package]
            check("not installed" in row["said"] and "gcell_per_s" not in row, package)


def test_wrong(_):
    """A coefficient that is off by a hundredth is seen."""
    def wrong(u, before, vp):
        elsewhere.contenders.slices(u, before, 1.01 * vp)
    made = elsewhere.error(elsewhere.contenders.contender(wrong))
    check(made > 100 * elsewhere.BOUND, f"{made}")


def test_chosen(_):
    chosen = SimpleNamespace(cells=16, steps=1, package=["numpy"])
    rows = list(elsewhere.measured(chosen))
    check([row["what"] for row in rows] == ["numpy, slices"], f"{rows}")


def test_bad_input(_):
    check_error(call(TOOL, "--cells", 0), "--cells 0", "no cells")
    check(call(TOOL, "--package", "cobol").returncode != 0, "no such package")


run_tests(test_run, test_wrong, test_chosen, test_bad_input)
