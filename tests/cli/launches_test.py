# SPDX-License-Identifier: Apache-2.0
"""A Kokkos Tools connector sees every launch of a run, native ones too, by label and device."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from trust_common import TESSERA, c_library, check, finish

# isort: split
from built import HAVE_FITS

CASES = {
    "acoustic": ("iso25", 40, "init = \"random\"\n[acoustic]\npml_cells = 4\ndecomposition = \"seven\"\n"),
    "directional": ("xyz-r2", 40, ""),
    "low_order": ("7pt-1", 40, ""),
    "jacobi": ("j3d7pt", 48, ""),
    "ete": ("37pt", 48, ""),
}
if not HAVE_FITS:
    del CASES["ete"]
INSTANCE_BITS = 24


def launches(library, place, arguments):
    """((label, kind of device) of each launch in order, what the program said); every one must end.
    Kokkos numbers a device by its kind, and below that its instances."""
    path = place / "launches.txt"
    environment = {**os.environ, "TESSERA_LAUNCH_LIST": str(path), "OMP_NUM_THREADS": "2",
                   "KOKKOS_PROFILE_LIBRARY": str(library), "KOKKOS_TOOLS_LIBS": str(library)}
    done = subprocess.run([TESSERA, *map(str, arguments)], capture_output=True, text=True,
                          check=False, env=environment, timeout=600)
    begun, ended = {}, set()
    for line in path.read_text("utf-8").splitlines():
        words = line.split(" ", 3)
        if words[0] == "begin":
            begun[words[1]] = (words[3], int(words[2]) >> INSTANCE_BITS)
        else:
            ended.add(words[1])
    check(begun.keys() == ended, f"{arguments}: a launch that is begun ends")
    return list(begun.values()), done


def by_row(labels):
    """The launches between the marks of each row of a run for a profiler."""
    rows = []
    inside = False
    for label, device in labels:
        if label == "tessera::profile::begin":
            rows.append([])
            inside = True
        elif label == "tessera::profile::end":
            inside = False
        elif inside:
            rows[-1].append((label, device))
    return rows


def test_family(library, place, family):
    stencil, n, more = CASES[family]
    deck = place / f"{family}.toml"
    deck.write_text(f'[case]\nfamily = "{family}"\nstencil = "{stencil}"\nnx = {n}\nny = {n}\n'
                    f'nz = {n}\nsteps = 2\nprecision = "float"\n{more}'
                    f'[select]\nvariants = ["{family}/*"]\n', "utf-8")
    result = place / family
    labels, done = launches(library, place, ["run", deck, "--profile", "-o", result])
    check(done.returncode == 0, f"{family}: {done.stderr}")
    file = json.loads((result / "result.json").read_text("utf-8"))
    rows = [row for row in file["results"] if row["status"] == "unverified"]
    found = by_row(labels)
    check(len(found) == len(rows) > 0, f"{family}: {len(found)} marked rows of {len(rows)}")
    native = [row for row in rows if row["resources"]["launch"] == "native"]
    check(bool(native) == (file["machine"]["kind"] == "gpu" and family != "low_order"),
          f"{family}: {len(native)} rows are launched natively")
    kinds = {device for row in found for label, device in row if not label.startswith("Kokkos::")}
    check(len(kinds) == 1, f"{family}: native launches are of Kokkos' own device: {kinds}")
    for row, launched in zip(rows, found, strict=False):
        seen = [label for label, _ in launched]
        own = f"tessera::{row['variant'].replace('/', '::')}::"
        if row["resources"]["launch"] == "KokkosSparse":
            check(any("spmv" in label.lower() for label in seen), f"{own}: {seen}")
            continue
        check(any(label.startswith(own) for label in seen), f"{own}: {seen}")
        # Kokkos' own fills and copies aside, nothing else is launched.
        others = [label for label in seen if not label.startswith((own, "Kokkos::"))]
        check(not others, f"{own} also launches {others}")
    seen = {label for row in found for label, _ in row}
    check(all(label for label in seen), f"{family}: a launch without a label")


with tempfile.TemporaryDirectory() as folder:
    connector = c_library(Path(folder), "launch_list")
    if connector is None:
        sys.exit(0)
    for name in CASES:
        test_family(connector, Path(folder), name)
finish()
