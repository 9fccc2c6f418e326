# SPDX-License-Identifier: Apache-2.0
"""What goes out can be believed: SEG-Y, numbers, models, tables.

Kinds of faults that programs of this field have had, each tried on the program as it is called.
Arguments: the repository's root, the tessera binary.
"""

import csv
import re
import resource
import struct

import h5py
import numpy as np

from trust_common import ROOT, run_tests, set_all, tessera

# isort: split
from built import HAVE_SEGY, SANITIZED  # trust_common knows where
from checks import check, refused


def test_segy(place):
    """Where SEG-Y cannot hold the truth it is refused before the first step, in the dry run too."""
    if not HAVE_SEGY:
        return
    cases = ((("case.steps=1000000",), ("32767", "output.segy = false")),
             (("acoustic.h=0.0001", "source[0].x=0.001", "source[0].y=0.001", "source[0].z=0.001",
               "source[0].f_peak=1e6", "receivers={start=[0, 0.001, 0.0005]}"),
              ("microsecond", "output.segy = false")))
    for assignments, parts in cases:
        for dry in ((), ("--dry-run",)):
            refused(tessera("shot", place / "shot.toml", "-o", place / "segy", *dry,
                            *set_all(*assignments)), *parts)
    check(not (place / "segy" / "gather.part.csv").exists(), "before the first step")
    fine = tessera("shot", place / "shot.toml", "-o", place / "plain",
                   *set_all(*cases[1][0], "output.segy=false"))
    check(fine.returncode == 0, f"without SEG-Y: {fine.stderr}")
    # Places on cells of 1 cm: to a millimetre.
    small = set_all("acoustic.h=0.01", "source={x=0.1, y=0.1, z=0.1, f_peak=15000}",
                    "receivers={start=[0.03, 0.1, 0.05]}")
    check(tessera("shot", place / "shot.toml", "-o", place / "segy", *small).returncode == 0,
          "cells of 1 cm")
    data = (place / "segy" / "gather.sgy").read_bytes()
    scalar, x = struct.unpack(">h", data[3670:3672])[0], struct.unpack(">i", data[3680:3684])[0]
    check(scalar < -100 and abs(x / -scalar - 0.03) < 1e-6, f"places: {x} / {scalar}")
    two = 'source=[{x=50, y=50, z=50, f_peak=15}, {x=150, y=50, z=50, f_peak=15}]'
    tessera("shot", place / "shot.toml", "-o", place / "two", *set_all(two))
    text = (place / "two" / "gather.sgy").read_bytes()[:3200].decode("cp037")  # EBCDIC
    check("2 SOURCES" in text and "SOURCE 2: 150 50 50" in text, f"sources are told: {text}")


def test_numbers(place):
    for assignment in ("receivers[0].start=[nan, 100, 50]", "source[0].x=inf", "acoustic.h=nan",
                       "source[0].amplitude=-inf", "receivers[0].start=[1e400, 1, 1]",
                       'source[0].wavelet="a\\u0000b"'):
        refused(tessera("shot", place / "shot.toml", "--dry-run", *set_all(assignment)), "--set")
    for deck in ("shot.toml", "run.toml"):
        refused(tessera(deck[:-5], place / deck, "--dry-run", *set_all("acoustic.h=1e300")),
                "acoustic.h", "not between")
    refused(tessera("run", place / "run.toml", "--time-budget", "3000000h"), "longer than")
    # A real key may hold an integer that no double equals.
    for deck in ("shot.toml", "run.toml"):
        result = tessera(deck[:-5], place / deck, "--dry-run",
                         *set_all("acoustic.v_max=9007199254740993"))
        check(result.returncode in (0, 1), f"2^53 + 1: {result.returncode}")
    for command, deck, assignment in (
            ("run", place / "run.toml", "acoustic.velocity=4.5"),
            ("fit", ROOT / "inputs/fang-37-random.toml", "ete.v_min=1.5"),
            ("shot", place / "shot.toml",
             'model={kind="layered", tops=[0.0, 100.0], v=[1.5, 3000.0]}')):
        options = () if command == "fit" else ("--dry-run",)
        result = tessera(command, deck, *options, *set_all(assignment, *(
            ("ete.velocities=2",) if command == "fit" else ())))
        check("km/s?" in result.stderr, f"{command} {assignment}: {result.stderr}")
    for assignment, part in (("model.v=2.5", "km/s?"), ("source[0].t0=0.0", "cut at its start")):
        result = tessera("shot", place / "shot.toml", "--dry-run",
                         *set_all(assignment, "output.segy=false"))
        check(part in result.stderr and result.returncode == 0, f"{assignment}: {result.stderr}")
    for cells, steps, warned in ((14, 10001, True), (15, 10001, False), (14, 10000, False),
                                 (0, 10001, False)):
        result = tessera("shot", place / "shot.toml", "--dry-run", *set_all(
            *(f"case.n{axis}={41 + 2 * cells}" for axis in "xyz"), f"acoustic.pml_cells={cells}",
            f"case.steps={steps}", "output.segy=false"))
        check(("an offset of u grows" in result.stderr) == warned and result.returncode == 0,
              f"{cells} cells, {steps} steps: {result.stderr}")
    switched = tessera("shot", ROOT / "inputs/shot-thrust.toml", "--dry-run",
                       *set_all("model.kind=uniform", "model.v=2000"))
    check(switched.returncode == 0 and "2000 to 2000" in switched.stdout,
          f"another kind of model: {switched.stderr}")


def test_models(place):
    """Foreign files are untrusted, and count in the memory line."""
    large = place / "large.h5"
    with h5py.File(large, "w") as file:
        file.create_dataset("m", shape=(600, 600, 600), dtype="f4", chunks=(50, 50, 50),
                            fillvalue=2000)
        file.create_dataset("wraps", shape=(2**31, 2**31, 4), dtype="f4", chunks=(1, 1, 1))
        file.create_dataset("long", shape=(2**33, 2), dtype="f4", chunks=(1, 1))
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
    for dataset, part in (("wraps", "no model"), ("long", "no model"), ("vast", "is 0, not a positive")):
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


def p3_rules(rows):
    """What P3's metrics ask of a table (p3analysis.metrics: application_efficiency, pp): numbers,
    a best figure above 0 for each problem and platform, one efficiency in [0, 1] for each
    application and platform of a problem."""
    best = {}
    for row in rows:
        key = row["problem"], row["platform"]
        best[key] = max(best.get(key, 0.0), float(row["fom"]))
    seen = {}
    for row in rows:
        efficiency = float(row["fom"]) / best[row["problem"], row["platform"]]
        check(0 <= efficiency <= 1, f"an efficiency of {efficiency}")
        seen.setdefault((row["problem"], row["platform"], row["application"]), set()).add(efficiency)
    check(all(len(values) == 1 for values in seen.values()), "one figure an application")


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
    p3_rules(rows)
    check(all("pml_cells=3" in row["problem"] for row in rows), "the width of the PML is told")


if __name__ == "__main__":
    run_tests(test_segy, test_numbers, test_models, test_csv)
