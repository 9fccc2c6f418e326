# SPDX-License-Identifier: Apache-2.0
"""Two different shots never have one fingerprint.

Every key that the schema of shots knows is either set to another value here, and the fingerprint
must become another; or it is listed as no part of what a shot computes. A new key fails until it is
in one of the two."""

import json
import shutil

import h5py
import numpy as np

from trust_common import ROOT, run_tests, set_all, tessera

# isort: split
from built import HAVE_FITS  # trust_common knows where
from checks import check

# No part of what a shot computes.
SHOT_HOW = {
    "case.family": "one", "case.stencil": "one", "case.init": "one", "case.duration_s": "steps",
    "acoustic.vp_storage": "what kernels read: the same numbers", "acoustic.decomposition": "order",
    "acoustic.f_max": "only limits: layers and wavelet are given",
    "model.check_headers": "what is refused", "model.extrude_y": "a 2D file has no other way",
    "shot.variant": "rounding", "shot.checkpoint_every": "where it may go on",
    "shot.check_every": "when it is looked for infinities", "shot.accuracy": "a shot beside it",
    "shot.ete_variant": "rounding"}
SHOT_HOW_TABLES = {"select", "measure", "output", "parallel", "survey"}
UNIFORM = {"kind": "'uniform'", "v": "2000"}
CUT = "11 model.dx=20 model.ny=44 model.dy=5"  # the same values as other rows
SMALL = " model.file='PLACE/small.f32'"
RAW = {"kind": "'raw'", "file": "'PLACE/model.f32'", "nx": "22", "ny": "22", "nz": "22"}
ETE = " shot.operator='ete' shot.velocities=5"
STRUCTURE = {
    "v_top": "1900", "v_bottom": "4100", "layers": "5", "dip_x": "0.4", "dip_y": "0.4",
    "fault_x": "0.6", "fault_slope": "0.9", "fault_throw": "60", "v_salt": "4300",
    "salt": "[0.4, 0.5, 0.5]", "salt_size": "[0.3, 0.4, 0.4]", "v_water": "1400 model.water_depth=50",
    "water_depth": "70", "seed": "2"}
R = "receivers[0]"
FLAT = f" {R}.start=[50,50] {R}.end=[90,55]"
NO_COUNT = f" {R}.count="
NO_LINE = f" {R}.start= {R}.end= {R}.count="
POINTS = f"{NO_LINE} {R}.z=40"
SAMPLED = " source[0].wavelet='file' source[0].f_peak="
# A table of a shot's deck, the kind of model that it is tried with, another value of each key.
SHOTS = (
    ("case", UNIFORM, {"nx": "31", "ny": "31", "nz": "31", "steps": "4", "precision": "'double'"}),
    ("acoustic", UNIFORM, {"h": "9", "v_max": "2500", "cfl": "0.7", "pml_cells": "5",
                           "free_surface": "true", "layers": "'convolutional'"}),
    ("acoustic", UNIFORM, {"storage": "'half'", "storage_scale": ("2.0 acoustic.storage='half'",
                                                                "1.0 acoustic.storage='half'")}),
    ("source[0]", UNIFORM, {"x": "110", "y": "90", "z": "70", "f_peak": "14", "t0": "0.09",
                            "wavelet": "'paper' source[0].f_peak=", "amplitude": "2",
                            "file": (f"'PLACE/short.csv'{SAMPLED}", f"'PLACE/long.csv'{SAMPLED}")}),
    ("receivers[0]", UNIFORM, {
        "start": "[60, 50, 40]", "end": "[90, 60, 40]", "count": "4",
        "depth": (f"60{FLAT}", f"50{FLAT}"), "step": (f"20{NO_COUNT}", f"10{NO_COUNT}"),
        "x": (f"[60,75]{POINTS} {R}.y=50", f"[60,70]{POINTS} {R}.y=50"),
        "y": (f"[60,75]{POINTS} {R}.x=50", f"[60,70]{POINTS} {R}.x=50"),
        "z": (f"45{NO_LINE} {R}.x=[50,60] {R}.y=50", f"40{NO_LINE} {R}.x=[50,60] {R}.y=50"),
        "table": (f"'PLACE/a.csv'{NO_LINE}", f"'PLACE/b.csv'{NO_LINE}")}),
    ("snapshots", UNIFORM, {"every": "2", "format": ("'half' snapshots.every=2", "'float' snapshots.every=2"), "stride": ("3 snapshots.every=2",
                                                     "2 snapshots.every=2")}),
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
    ("model", RAW, {"nx": CUT, "ny": CUT.replace("11 ", "44 ", 1).replace("ny=44", "nx=11"),
                    "nz": "44 model.dz=5 model.nx=11 model.dx=20", "dx": "11", "dy": "11",
                    "dz": "11", "x0": "3", "y0": "3", "z0": "3",
                    "interpolation": ("'nearest' model.dx=11", "'linear' model.dx=11"),
                    "file": "'PLACE/other.f32'", "order": "'yxz'",
                    "quantity": ("'velocity_km_s'" + SMALL, "'squared_slowness_s2_km2'" + SMALL)}),
    ("model", {"kind": "'hdf5'", "file": "'PLACE/model.h5'"}, {"dataset": "'other'"}),
)


def tables_of(kind):
    """The keys of each table of a schema; of lists of tables, of their elements."""
    def keys(node):
        if "$ref" in node:
            node = schema["definitions"][node["$ref"].rsplit("/", 1)[1]]
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


def fingerprint(place, deck, model, assignments, overridden):
    text = deck + "[model]\n" + "".join(
        f"{key} = {value}\n" for key, value in model.items() if f"model.{key}" not in overridden)
    path = place / "one.toml"
    path.write_text(text, "utf-8")
    shutil.rmtree(place / "one", ignore_errors=True)
    done = tessera("shot", path, "-o", place / "one", *set_all(*assignments))
    check(done.returncode == 0, f"{assignments}: {done.stderr[-300:]}")
    if done.returncode != 0:
        return None
    return json.loads((place / "one/shot.json").read_text("utf-8"))["fingerprint"]


def test_every_key_of_shots(place):
    cells = np.linspace(1800, 2600, 22**3, dtype="<f4")
    for name, values in (("model", cells), ("other", cells[::-1]), ("small", cells / 1000)):
        values.tofile(place / f"{name}.f32")
    with h5py.File(place / "model.h5", "w") as file:
        file["m"], file["other"] = cells.reshape(22, 22, 22), cells[::-1].reshape(22, 22, 22)
    for name, x in (("a", 60), ("b", 70)):
        (place / f"{name}.csv").write_text(f"x,y,z\n{x},50,40\n", "utf-8")
    for name, last in (("short", 0.01), ("long", 0.02)):
        (place / f"{name}.csv").write_text(f"time_s,value\n0,0\n{last / 2},1\n{last},0\n", "utf-8")
    deck = ("[case]\nnx = 30\nny = 30\nnz = 30\nsteps = 3\n[acoustic]\nh = 10.0\npml_cells = 4\n"
            "v_max = 4600\nf_max = 40\n[output]\nsegy = false\n"
            "[[source]]\nx = 105.0\ny = 100.0\nz = 80.0\nf_peak = 15.0\n"
            "[[receivers]]\nstart = [55, 50, 40]\nend = [90, 55, 40]\ncount = 3\n")
    tried = set(SHOT_HOW)
    known = {}
    for name, model, keys in SHOTS:
        model = {key: value.replace("PLACE", str(place)) for key, value in model.items()}
        for key, value in keys.items():
            tried.add(f"{name.split('[')[0]}.{key}")
            if "ete" in str(value) and not HAVE_FITS:
                continue
            marks = []
            for text in value if isinstance(value, tuple) else (value, None):
                assignments = []
                if text is not None:
                    text, more = words(text.replace("PLACE", str(place)))
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


if __name__ == "__main__":
    run_tests(test_every_key_of_shots)
