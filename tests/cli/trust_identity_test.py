# SPDX-License-Identifier: Apache-2.0
"""Two different problems never have one identity.

Every key that the schemas of decks know is either set to another value here, and what tells a
problem from others (the identity columns of rows, a shot's fingerprint) must become another; or it
is listed as no part of the problem, with the reason. A new key fails until it is in one of the
two. Arguments: the repository's root, the tessera binary.
"""

import csv
import json
import os

import numpy as np

from trust_common import ROOT, check, run_tests, set_all, tessera

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
SHOT_HOW = {
    "case.family": "one", "case.stencil": "one", "case.init": "one", "case.duration_s": "steps",
    "acoustic.vp_storage": "what kernels read: the same numbers", "acoustic.decomposition": "order",
    "acoustic.f_max": "only limits: layers and wavelet are given",
    "model.quantity": "", "model.check_headers": "", "model.file": "", "model.dataset": "",
    "shot.variant": "rounding", "shot.checkpoint_every": "where it may go on",
    "shot.check_every": "when it is looked for infinities", "shot.ete_variant": "rounding"}
SHOT_HOW_TABLES = {"select", "measure", "output", "parallel", "survey"}
UNIFORM = {"kind": "'uniform'", "v": "2000"}
RAW = {"kind": "'raw'", "file": "MODEL", "nx": "22", "ny": "22", "nz": "22"}
ETE = " shot.operator='ete' shot.velocities=5"
STRUCTURE = {
    "v_top": "1900", "v_bottom": "4100", "layers": "5", "dip_x": "0.4", "dip_y": "0.4",
    "fault_x": "0.6", "fault_slope": "0.9", "fault_throw": "60", "v_salt": "4300",
    "salt": "[0.4, 0.5, 0.5]", "salt_size": "[0.3, 0.4, 0.4]", "v_water": "1400 model.water_depth=50",
    "water_depth": "70", "seed": "2"}
# A table of a shot's deck, the kind of model that it is tried with, another value of each key.
SHOTS = (
    ("case", UNIFORM, {"nx": "31", "ny": "31", "nz": "31", "steps": "4", "precision": "'double'"}),
    ("acoustic", UNIFORM, {"h": "9", "v_max": "2500", "cfl": "0.7", "pml_cells": "5",
                           "free_surface": "true"}),
    ("source[0]", UNIFORM, {"x": "110", "y": "90", "z": "70", "wavelet": "'paper'", "f_peak": "14",
                            "t0": "0.09", "amplitude": "2"}),
    ("receivers[0]", UNIFORM, {
        "start": "[60, 50, 40]", "end": "[90, 60, 40]", "count": "4",
        "depth": "['[50, 50]', '60'] ", "step": "NOT", "x": "NOT", "y": "NOT", "z": "NOT",
        "table": "NOT"}),
    ("snapshots", UNIFORM, {"every": "2", "stride": "3"}),
    ("shot", UNIFORM, {"interpolation": "'nearest'", "operator": "'ete' shot.velocities=5",
                       "ete_stencil": ("'37pt'" + ETE, "'73pt'" + ETE),
                       "velocities": ("6 shot.operator='ete'", "5 shot.operator='ete'")}),
    ("fit", UNIFORM, {key: (value + ETE, other + ETE) for key, value, other in (
        ("band", "0.4", "0.3"), ("power", "1.0", "0.0"), ("outside", "0.1", "0.0"),
        ("stabilise", "false", "true"))}),
    ("model", UNIFORM, {"v": "2100"}),
    ("model", {"kind": "'layered'", "tops": "[0, 100]", "v": "[2000, 2500]"}, {"tops": "[0, 60]"}),
    ("model", {"kind": "'gradient'", "v0": "1800", "k": "0.5"}, {"v0": "1900", "k": "0.6"}),
    ("model", {"kind": "'random'", "v_min": "1500", "v_max": "2500"}, {
        "v_min": "1600", "v_max": "2400", "seed": "2", "kind": "'uniform' model.v=2000"}),
    ("model", {"kind": "'structure'"}, STRUCTURE),
    ("model", RAW, {"nx": ("11 model.dx=20 model.ny=44 model.dy=5", "22"), "dx": "11", "dy": "11",
                    "dz": "11", "ny": "NOT", "nz": "NOT", "x0": "3", "y0": "3", "z0": "3",
                    "interpolation": ("'nearest' model.dx=11", "'linear' model.dx=11"),
                    "extrude_y": "NOT"}),
)
NOT = "places and shapes: their numbers are in the hash that `start`, `end`, `nx` show"


def tables_of(kind):
    """The keys of each table of a schema; of lists of tables, of their elements."""
    def keys(node):
        if "properties" in node:
            return set(node["properties"])
        found = [keys(part) for part in (*node.get("anyOf", ()), node.get("items", {}))
                 if isinstance(part, dict) and part]
        return set().union(*found)
    schema = json.loads((ROOT / f"schemas/{kind}.schema.json").read_text("utf-8"))
    return {name: keys(node) for name, node in schema["properties"].items()}


def words(text):
    """`VALUE other.key=VALUE` as the value and what else is set."""
    parts = text.split(" ")
    cut = next((i for i, part in enumerate(parts) if "=" in part and i > 0), len(parts))
    return " ".join(parts[:cut]), parts[cut:]


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
    fits = os.environ.get("TESSERA_HAVE_KOKKOSKERNELS", "1") == "1"
    if fits:
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
                if key == "table" and not fits:
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


def fingerprint(place, deck, model, assignments, overridden):
    text = deck + "[model]\n" + "".join(
        f"{key} = {value}\n" for key, value in model.items() if f"model.{key}" not in overridden)
    path = place / "one.toml"
    path.write_text(text, "utf-8")
    done = tessera("shot", path, "-o", place / "one", *set_all(*assignments))
    check(done.returncode == 0, f"{assignments}: {done.stderr[-300:]}")
    if done.returncode != 0:
        return None
    return json.loads((place / "one/shot.json").read_text("utf-8"))["fingerprint"]


def test_every_key_of_shots(place):
    np.linspace(1800, 2600, 22**3, dtype="<f4").tofile(place / "model.f32")
    deck = ("[case]\nnx = 30\nny = 30\nnz = 30\nsteps = 3\n[acoustic]\nh = 10.0\npml_cells = 4\n"
            "v_max = 4600\nf_max = 40\n[output]\nsegy = false\ncsv = false\n"
            "[[source]]\nx = 105.0\ny = 100.0\nz = 80.0\nf_peak = 15.0\n"
            "[[receivers]]\nstart = [55, 50, 40]\nend = [90, 55, 40]\ncount = 3\n")
    fits = os.environ.get("TESSERA_HAVE_KOKKOSKERNELS", "1") == "1"
    tried = set(SHOT_HOW)
    known = {}
    for name, model, keys in SHOTS:
        model = {key: value.replace("MODEL", f"'{place}/model.f32'")
                 for key, value in model.items()}
        for key, value in keys.items():
            tried.add(f"{name.split('[')[0]}.{key}")
            if value == "NOT" or key == "depth" or ("ete" in str(value) and not fits):
                continue
            marks = []
            for text in value if isinstance(value, tuple) else (value, None):
                assignments = []
                if text is not None:
                    text, more = words(text)
                    assignments = [f"{name}.{key}={text}", *more]
                mark = str((sorted(model.items()), assignments))
                if mark not in known:
                    known[mark] = fingerprint(place, deck, model, assignments,
                                              {word.split("=")[0] for word in assignments})
                marks.append(known[mark])
            check(marks[0] != marks[1], f"shot: {name}.{key} changes no fingerprint")
    for name, keys in tables_of("shot").items():
        missing = {key for key in keys if f"{name}.{key}" not in tried}
        check(name in SHOT_HOW_TABLES or not missing,
              f"shot [{name}]: {missing} are neither tried nor no part of the problem")


def test_initial_data(place):
    """jacobi's initial data in rows, P3's table, compare and --resume."""
    deck, files = place / "j.toml", (place / "random.json", place / "constant.json")
    deck.write_text("[case]\nfamily='jacobi'\nstencil='j3d7pt'\nnx=24\nny=24\nnz=24\nsteps=2\n"
                    "[select]\nvariants=['jacobi/step:*']\n[measure]\nwarmup_s=0.0\n", "utf-8")
    for path in files:
        done = tessera("run", deck, "-o", path, *set_all(f"case.init='{path.stem}'"))
        check(done.returncode == 0, f"{path.stem}: {done.stderr}")
    problems = set()
    for path in files:
        with open(path.with_suffix(".csv"), encoding="utf-8") as table:
            problems |= {row["problem"] for row in csv.DictReader(table)}
    check(len(problems) == 2, f"P3's problems: {problems}")
    done = tessera("compare", f"a={files[0]}", f"b={files[1]}", "--long-csv", place / "both.csv")
    check(done.returncode == 0, f"compare: {done.stderr}")
    with open(place / "both.csv", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    check({row["details"] for row in rows} == {"init=random", "init=constant inside=0 fixed=1"} or
          {row["details"].replace(".0", "") for row in rows} ==
          {"init=random", "init=constant inside=0 fixed=1"}, f"compare's columns: {rows[:1]}")
    done = tessera("compare", "--difference", *files)
    check(done.returncode == 1 and "in common" in done.stderr, f"difference: {done.stderr}")
    done = tessera("run", deck, "-o", files[0], "--resume", *set_all("case.init='constant'"))
    check("its deck was another" in done.stdout + done.stderr, f"resume: {done.stdout}")


if __name__ == "__main__":
    run_tests(test_every_key_of_decks, test_every_key_of_shots, test_initial_data)
