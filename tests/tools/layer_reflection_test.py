# SPDX-License-Identifier: Apache-2.0
"""tools/layer_reflection.py on layers of a few cells: what it prints and writes."""

import csv

from common import ROOT, TESSERA, call, check, preload, run_tests

preload("numpy", "xarray")


def test_convolutional_layers_send_back_a_fifth(folder):
    made = folder / "reflection.csv"
    result = call(ROOT / "tools/layer_reflection.py", "--widths", "8", "--points", "5", "--output", made,
                  "--tessera", TESSERA)
    check(result.returncode == 0, result.stderr)
    check(result.stdout.count("\n") == 4, f"a table of two rows: {result.stdout}")
    rows = {(row["layers"], int(row["angle_deg"])): float(row["reflection"])
            for row in csv.DictReader(made.open())}
    check(len(rows) == 14, f"{len(rows)} figures")
    for angle in (70, 75, 80):
        paper, other = rows["paper", angle], rows["convolutional", angle]
        check(0 < other < paper / 5, f"{angle} degrees: {other} beside {paper}")


run_tests(test_convolutional_layers_send_back_a_fifth)
