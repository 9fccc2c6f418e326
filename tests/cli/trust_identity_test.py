# SPDX-License-Identifier: Apache-2.0
"""Two different problems never have one identity.

Every key of [case] and of a family's tables that `tessera schema deck` prints is set to another
value, and the identity columns of rows must become others (of shots: trust_shot_identity_test.py).
Arguments: the repository's root, the tessera binary.
"""

import csv
import json

from trust_common import ROOT, run_tests, set_all, tessera

# isort: split
from built import HAVE_FITS  # trust_common knows where
from tool_calls import call
from checks import check

COLUMNS = ("family", "stencil", "precision", "model", "details", "nx", "ny", "nz", "steps")
# What decks of a family begin with, and the tables that are its own.
FAMILIES = {
    "acoustic": ("stencil='iso25'\n[acoustic]\npml_cells=3", ("acoustic",)),
    "directional": ("stencil='xyz-r4'", ("directional",)),
    "low_order": ("stencil='7pt-1'", ("low_order",)),
    "ete": ("stencil='37pt'\n[ete]\nvelocities=4", ("ete", "fit")),
    "jacobi": ("stencil='j3d7pt'", ("jacobi",))}
# Another value, where it is no other choice or number, and what must be set beside it.
VALUES = {"stencil": {"directional": "xyz-r2", "low_order": "19pt", "ete": "73pt",
                      "jacobi": "j3d27pt", "acoustic": None},
          "init": {"acoustic": "random", "ete": "zero", "jacobi": "constant"},
          "precision": {"acoustic": "double", "directional": "double", "ete": "double",
                        "low_order": "float", "jacobi": "float"},
          "nx": 28, "ny": 27, "nz": 26, "steps": 3, "source_at": "[12, 12, 13]", "velocities": 5,
          "pml_cells": 4, "alpha": 0.35, "beta": 0.05}
BESIDE = {("acoustic", "seed"): "case.init='random'", ("jacobi", "inside"): "case.init='constant'",
          ("jacobi", "fixed"): "case.init='constant'"}


def another(family, key, rule, place):
    """A value that `rule`, a key's part of the schema, takes and that is not the default; None
    where the family has no choice."""
    if key == "table":
        return f"'{place / 'table.json'}'" if HAVE_FITS else None
    if key in VALUES:
        value = VALUES[key]
        return value.get(family) if isinstance(value, dict) else value
    usual = rule.get("default", rule.get("usual", "").split(",")[0])
    rule = rule.get("anyOf", [rule])[0]
    if rule["type"] == "string":
        return next(word for word in rule["enum"] if word not in (usual, "seed"))
    if rule["type"] == "boolean":
        return str(not usual).lower()
    return usual + 1 if rule["type"] == "integer" or usual == 0 else 0.9 * usual


def identity(place, deck, assignments):
    """Identity columns of a deck's first case, as its prediction has them."""
    out = place / "identity.json"
    done = tessera("predict", deck, "--machine", "V100", "-o", out, *set_all(*assignments))
    check(done.returncode == 0, f"{deck.name} {assignments}: {done.stderr}")
    if done.returncode != 0:
        return None
    case = json.loads(out.read_text("utf-8"))["cases"][0]
    return tuple(case.get(key, "") for key in COLUMNS) + \
        tuple(sorted({row["decomposition"] for row in case["rows"]}))


def test_every_key_of_decks(place):
    fit = place / "fit.toml"
    fit.write_text("[case]\nfamily='ete'\nnx=24\nny=24\nnz=24\nsteps=2\nstencil='37pt'\n"
                   "[ete]\nvelocities=4\n", "utf-8")
    if HAVE_FITS:
        done = tessera("fit", fit, "-o", place / "table.json")
        check(done.returncode == 0, f"a table: {done.stderr}")
    tables = json.loads(tessera("schema", "deck").stdout)["properties"]
    for family, (begin, own) in FAMILIES.items():
        deck = place / f"{family}.toml"
        deck.write_text(f"[case]\nfamily='{family}'\nnx=24\nny=24\nnz=24\nsteps=2\n{begin}\n",
                        "utf-8")
        for table in ("case", *own):
            for key, rule in tables[table]["properties"].items():
                value = another(family, key, rule, place) if key != "family" else None
                if value is None:
                    continue
                beside = [word for word in (BESIDE.get((family, key)),) if word]
                before = identity(place, deck, beside)
                changed = identity(place, deck, [f"{table}.{key}={value}", *beside])
                check(before and changed != before,
                      f"{family}: {table}.{key} = {value} changes no identity: {changed}")


def test_initial_data(place):
    """jacobi's initial data in rows, P3's table, compare.py and --resume."""
    deck, files = place / "j.toml", (place / "random", place / "constant")
    deck.write_text("[case]\nfamily='jacobi'\nstencil='j3d7pt'\nnx=24\nny=24\nnz=24\nsteps=2\n"
                    "[select]\nvariants=['jacobi/step:*']\n[measure]\nwarmup_s=0.0\n", "utf-8")
    for path in files:
        done = tessera("run", deck, "-o", path, *set_all(f"case.init='{path.name}'"))
        check(done.returncode == 0, f"{path.name}: {done.stderr}")
    problems = set()
    for path in files:
        with open(path / "result.csv", encoding="utf-8") as table:
            problems |= {row["problem"] for row in csv.DictReader(table)}
    check(len(problems) == 2, f"P3's problems: {problems}")
    compare = ROOT / "tools/compare.py"
    done = call(compare, f"a={files[0]}/result.json", f"b={files[1]}/result.json")
    check(done.returncode == 1 and "was run on two of the 2 platforms" in done.stderr,
          f"compare sets two problems side by side: {done.stdout} {done.stderr}")
    done = call(compare, "--difference", *(path / "result.json" for path in files))
    check(done.returncode == 1 and 'of another problem: it ran "init=constant' in done.stderr,
          f"difference: {done.stderr}")
    done = tessera("run", deck, "-o", files[0], "--resume", *set_all("case.init='constant'"))
    check(done.returncode == 1 and 'its deck.case.init is "random", here it is "constant"' in
          done.stderr, f"resume: {done.stdout} {done.stderr}")


if __name__ == "__main__":
    run_tests(test_every_key_of_decks, test_initial_data)
