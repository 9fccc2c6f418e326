# SPDX-License-Identifier: Apache-2.0
"""Two different problems never have one identity.

Every key that the schemas of decks know is either set to another value here, and what tells a
problem from others (the identity columns of rows; of shots see trust_shot_identity_test.py) must
become another; or it is listed as no part of the problem, with the reason. A new key fails until it
is in one of the two. Arguments: the repository's root, the tessera binary.
"""

import csv
import json

from identity_common import tables_of, words
from trust_common import ROOT, run_tests, set_all, tessera

# isort: split
from built import HAVE_FITS  # trust_common knows where
from tool_calls import call
from checks import check

COLUMNS = ("family", "stencil", "precision", "model", "details", "nx", "ny", "nz", "steps")
SHARED = {"nx": "28", "ny": "27", "nz": "26", "steps": "3", "seed": "2"}
# A family: its deck, the tables that are its own, and another value of each key. A second value of
# a pair is what it is to be compared with, where that is not the deck itself.
FAMILIES = {
    "acoustic": ("stencil='iso25'", {"case": {
        **SHARED, "precision": "'double'", "init": "'random'",
        "seed": ("2 case.init='random'", "1 case.init='random'")}, "acoustic": {
            "h": "[20, 20, 10]", "v_max": "5000", "f_max": "20", "cfl": "0.7", "pml_cells": "4",
            "free_surface": "true", "vp_storage": "'index'", "velocity": "2500",
            "source": "'none'", "source_at": "[12, 12, 13]", "decomposition": "['single']"}}),
    "directional": ("stencil='xyz-r4'", {"case": {
        **SHARED, "precision": "'double'", "stencil": "'xyz-r2'"}, "directional": {
            "h": "[1, 1, 2]", "rows": "['unaligned']"}}),
    "low_order": ("stencil='7pt-1'", {"case": {
        **SHARED, "precision": "'float'", "stencil": "'19pt'"}, "low_order": {
            "alpha": "0.35", "beta": "0.05"}}),
    "ete": ("stencil='37pt'", {"case": {
        **SHARED, "precision": "'double'", "stencil": "'73pt'", "init": "'zero'"}, "ete": {
            "velocities": "5", "v_min": "1600", "v_max": "4400", "alpha_max": "0.3",
            "h": "[10, 12]", "model": "'smooth'", "table": "TABLE"}, "fit": {
                "band": "0.4", "power": "1.0", "outside": "0.1", "stabilise": "false"}}),
    "jacobi": ("stencil='j3d7pt'", {"case": {
        **SHARED, "precision": "'float'", "stencil": "'j3d27pt'", "init": "'constant'"}, "jacobi": {
            key: (f"{value} case.init='constant'", f"{value - 1} case.init='constant'")
            for key, value in (("inside", 0.5), ("fixed", 1.5))}}),
}
# No part of the problem.
HOW = {"select": "what runs", "output": "where results go", "measure": "how it is measured",
       "parallel": "columns ranks and transport, which platform names"}
OF_SHOTS = {"shot", "source", "receivers", "snapshots", "survey"}  # and [model], of other schemas
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
    table = place / "table.json"
    fit = place / "fit.toml"
    fit.write_text("[case]\nfamily='ete'\nnx=24\nny=24\nnz=24\nsteps=2\nstencil='37pt'\n"
                   "[ete]\nvelocities=4\n", "utf-8")
    if HAVE_FITS:
        done = tessera("fit", fit, "-o", table)
        check(done.returncode == 0, f"a table: {done.stderr}")
    schema = tables_of("deck")
    tried = {("case", "family")}  # all of them differ below
    for family, (stencil, tables) in FAMILIES.items():
        deck = place / f"{family}.toml"
        own = {"ete": "[ete]\nvelocities=4\n", "acoustic": "[acoustic]\npml_cells=3\n"}
        deck.write_text(f"[case]\nfamily='{family}'\nnx=24\nny=24\nnz=24\nsteps=2\n{stencil}\n"
                        + own.get(family, ""), "utf-8")
        plain = identity(place, deck, ())
        for name, keys in tables.items():
            for key, value in keys.items():
                tried.add((name, key))
                if key == "table" and not HAVE_FITS:
                    continue
                there, here = value if isinstance(value, tuple) else (value, None)
                value, more = words(there.replace("TABLE", f"'{table}'"))
                changed = identity(place, deck, (f"{name}.{key}={value}", *more))
                before = plain
                if here is not None:
                    value, more = words(here)
                    before = identity(place, deck, (f"{name}.{key}={value}", *more))
                check(changed != before, f"{family}: {name}.{key} changes no identity: {changed}")
    for name, keys in schema.items():
        if name in HOW or name in OF_SHOTS or name == "model":
            continue
        missing = {key for key in keys if (name, key) not in tried}
        check(not missing, f"deck [{name}]: {missing} are neither tried nor no part of the problem")
    check(set(schema) >= set(HOW), f"tables that are no more: {set(HOW) - set(schema)}")


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
