# SPDX-License-Identifier: Apache-2.0
"""Two different problems never have one identity, in what is compared and continued (each key:
unit/run/keys_test.cpp, trust_shot_identity_test.py).

Arguments: the repository's root, the tessera binary.
"""

import csv

from trust_common import ROOT, run_tests, set_all, tessera

# isort: split
from tool_calls import call  # trust_common knows where
from checks import check, refused


def test_initial_data(place):
    """jacobi's initial data in P3's table, compare.py and --resume."""
    deck, files = place / "j.toml", (place / "random", place / "constant")
    deck.write_text("[case]\nfamily='jacobi'\nstencil='j3d7pt'\nnx=24\nny=24\nnz=24\nsteps=2\n"
                    "[select]\nvariants=['jacobi/step:default']\n[measure]\nwarmup_s=0.0\n", "utf-8")
    problems = set()
    for path in files:
        done = tessera("run", deck, "-o", path, *set_all(f"case.init='{path.name}'"))
        check(done.returncode == 0, f"{path.name}: {done.stderr}")
        with open(path / "result.csv", encoding="utf-8") as table:
            problems |= {row["problem"] for row in csv.DictReader(table)}
    check(len(problems) == 2, f"P3's problems: {problems}")
    done = call(ROOT / "tools/compare.py", "--difference", *(path / "result.json" for path in files))
    check(done.returncode == 1 and "another problem" in done.stderr,
          f"difference: {done.stdout} {done.stderr}")
    refused(tessera("run", deck, "-o", files[0], "--resume", *set_all("case.init='constant'")),
            "case.init", "random", "constant")


if __name__ == "__main__":
    run_tests(test_initial_data)
