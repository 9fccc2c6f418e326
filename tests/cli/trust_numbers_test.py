# SPDX-License-Identifier: Apache-2.0
"""What goes out can be believed: SEG-Y, numbers, models, tables, identities.

Kinds of faults that programs of this field have had, each tried on the program as it is called."""

import csv
import re
import resource
import struct

import h5py
import numpy as np

from trust_common import ROOT, run_tests, set_all, tessera

# isort: split
from built import HAVE_FITS, HAVE_SEGY, SANITIZED  # trust_common knows where
from checks import check, refused
from tool_calls import call


def dry(place, *assignments):
    return tessera("shot", place / "shot.toml", "-o", place / "none", "--dry-run",
                   *set_all("output.segy=false", *assignments))


def test_segy(place):
    """Where SEG-Y cannot hold the truth it is refused before the first step, in the dry run too."""
    if not HAVE_SEGY:
        return
    for more in ((), ("--dry-run",)):
        refused(tessera("shot", place / "shot.toml", "-o", place / "segy", *more,
                        *set_all("case.steps=1000000")), "32767", "output.segy = false")
    check(not (place / "segy").exists(), "before the first step")
    # Places on cells of 1 cm, to a millimetre, and both sources are in the text.
    small = set_all("acoustic.h=0.01", "receivers={start=[0.03, 0.1, 0.05]}",
                    "source=[{x=0.05, y=0.05, z=0.05, f_peak=15000}, "
                    "{x=0.15, y=0.05, z=0.05, f_peak=15000}]")
    check(tessera("shot", place / "shot.toml", "-o", place / "segy", *small).returncode == 0,
          "cells of 1 cm")
    data = (place / "segy" / "gather.sgy").read_bytes()
    scalar, x = struct.unpack(">h", data[3670:3672])[0], struct.unpack(">i", data[3680:3684])[0]
    check(scalar < -100 and abs(x / -scalar - 0.03) < 1e-6, f"places: {x} / {scalar}")
    check("SOURCE 2: 0.15 0.05" in data[:3200].decode("cp037"), "sources are told, in EBCDIC")


def test_numbers(place):
    for assignment in ("receivers[0].start=[nan, 100, 50]", "source[0].x=inf",
                       "receivers[0].start=[1e400, 1, 1]", 'source[0].wavelet="a\\u0000b"'):
        refused(dry(place, assignment), assignment.split("=")[0])
    # Questions about units, and about what is cut or too thin.
    for command, deck, assignment in (
            ("run", place / "run.toml", "acoustic.velocity=4.5"),
            ("fit", ROOT / "inputs/fang-37-random.toml", "ete.v_min=1.5")):
        more = ("ete.velocities=2",) if command == "fit" else ()
        result = tessera(command, deck, *(() if more else ("--dry-run",)), *set_all(assignment, *more))
        check("km/s?" in result.stderr, f"{command} {assignment}: {result.stderr}")
    for assignment, part in (("model.v=2.5", "km/s?"), ("source[0].t0=0.0", "cut at its start"),
                             ('model={kind="layered", tops=[0.0, 100.0], v=[1.5, 3000.0]}', "km/s?")):
        result = dry(place, assignment)
        check(part in result.stderr, f"{assignment}: {result.stderr}")
    for cells, steps, warned in ((14, 10001, True), (15, 10001, False), (14, 10000, False)):
        result = dry(place, *(f"case.n{axis}={41 + 2 * cells}" for axis in "xyz"),
                     f"acoustic.pml_cells={cells}", f"case.steps={steps}")
        check(("an offset of u grows" in result.stderr) == warned and result.returncode == 0,
              f"{cells} cells, {steps} steps: {result.stderr}")
    switched = tessera("shot", ROOT / "inputs/shot-thrust.toml", "--dry-run",
                       *set_all("model.kind=uniform", "model.v=2000"))
    check(switched.returncode == 0 and "2000 to 2000" in switched.stdout,
          f"another kind of model: {switched.stderr}")


def test_places(place):
    """A source on the free surface is refused, receivers there are warned of."""
    surface = "acoustic.free_surface=true"
    for z in ("0", "1e-7"):
        refused(dry(place, surface, f"source[0].z={z}"), "source[0].z", "free surface")
    check(dry(place, surface, "source[0].z=0.001").returncode == 0, "a source below the surface")
    on_it = dry(place, surface, "receivers={start=[10, 80, 1e-9], end=[90, 80, 1e-9], count=3}")
    check("3 receivers lie on the free surface" in on_it.stderr, on_it.stderr)
    if HAVE_FITS:
        refused(dry(place, "shot.operator=ete", "acoustic.h=[10, 12, 10]"), "equal spacings")
    # More snapshots than a list of them has room for, whatever the disk: before the list is made.
    refused(dry(place, "case.steps=1000000000000", "snapshots.every=1"), "snapshots.every")


def test_without_effect(place):
    """A warning each, and no more."""
    for change, key in (("shot.velocities=9", "shot.velocities"), ("fit.band=0.4", "fit"),
                        ("output.segy_interval_ms=1", "output.segy_interval_ms"),
                        ("output.csv=false", "[[receivers]]")):
        result = dry(place, change)
        check(result.returncode == 0 and result.stderr.count(f"{key} has no effect") == 1,
              f"{change}: {result.stderr}")
    check("effect" not in dry(place).stderr, "a shot without such keys")


def test_models(place):
    """Foreign files are untrusted, and count in the memory line."""
    large = place / "large.h5"
    with h5py.File(large, "w") as file:
        file.create_dataset("m", shape=(600, 600, 600), dtype="f4", chunks=(50, 50, 50),
                            fillvalue=2000)
        file.create_dataset("wraps", shape=(2**31, 2**31, 4), dtype="f4", chunks=(1, 1, 1))
        file.create_dataset("vast", shape=(30000, 30000, 1000), dtype="f4", chunks=(1, 1, 1))
    # Nothing is written: the fill value is taken for a velocity where the deck says so alone.
    model = f'model={{kind="hdf5", file="{large}", check_headers=false}}'
    # Of 0.8 GiB in the file a grid of 200 x 200 x 200 cells takes 0.03 GiB, and counts them.
    cells = [f"case.n{axis}=200" for axis in "xyz"]
    dry = tessera("shot", place / "shot.toml", "--dry-run", *set_all(model, *cells))
    line = next((line for line in dry.stdout.splitlines() if line.startswith("memory:")), "")
    counted = re.search(r"([\d.]+) model and staging", line)
    check(counted and 0.029 < float(counted[1]) < 0.2, f"the part of the file counts: {line}")
    check("only a part of the file is used" in dry.stdout, f"which part is used: {dry.stdout}")

    def little():
        resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))
    if not SANITIZED:  # the sanitizer's shadow takes more than any limit
        dry = tessera("shot", place / "shot.toml", "--dry-run", *set_all(model),
                      preexec_fn=little)
        check(dry.returncode == 0, f"no more of a file is read than is used: {dry.stderr}")
    for dataset, part in (("wraps", "2147483648"), ("vast", "is 0")):
        refused(tessera("shot", place / "shot.toml", "--dry-run",
                        *set_all(model[:-1] + f', dataset="{dataset}"}}')), part)
    checked = f'model={{kind="hdf5", file="{large}"}}'
    refused(tessera("shot", place / "shot.toml", "--dry-run", *set_all(checked)), "fill value",
            "tools/convert_model.py")
    np.full(41**3, np.inf, dtype="<f4").tofile(place / "inf.raw")
    for quantity in ("velocity_m_s", "squared_slowness_s2_km2"):
        raw = f'model={{kind="raw", file="{place}/inf.raw", nx=41, ny=41, nz=41, ' \
              f'quantity="{quantity}"}}'
        refused(tessera("shot", place / "shot.toml", "--dry-run", *set_all(raw)), "inf.raw", "inf")


def test_csv(place):
    """Rows without a figure break nobody's analysis; equal problems are equal texts."""
    out = place / "p3"
    result = tessera("run", place / "run.toml", "-o", out, *set_all(
        'select.variants=["acoustic/naive:default", "acoustic/gmem", "acoustic/smem_u"]',
        "case.nx=64", 'acoustic.decomposition=["single", "seven"]'))
    check(result.returncode == 0, f"a study: {result.stderr}")
    with open(out / "result.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    check({row["status"] for row in rows} <= {"valid", "unsupported"} and rows, "rows")
    figures = {}
    for row in rows:
        figures.setdefault((row["problem"], row["platform"], row["application"]), set()).add(
            float(row["fom"]))
    check(all(len(values) == 1 and min(values) >= 0 for values in figures.values()),
          f"P3's rule, one figure an application: {figures}")
    check(all("pml_cells=3" in row["problem"] for row in rows), "the width of the PML is told")


def test_initial_data(place):
    """Two problems never have one identity: jacobi's initial data in P3's table, compare.py, --resume (each
    key: unit/run/keys_test.cpp, trust_shot_identity_test.py)."""
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
    run_tests(test_segy, test_numbers, test_places, test_without_effect, test_models, test_csv,
              test_initial_data)
