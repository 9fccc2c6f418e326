# SPDX-License-Identifier: Apache-2.0
"""The reference results of docs/procurement.md are what the program computes."""

import json
import re
import subprocess

from common import ROOT, TESSERA, check, equal, run_tests

PAGE = (ROOT / "docs" / "procurement.md").read_text(encoding="utf-8")


def reference(name):
    value, tolerance = re.search(rf"^\| `?{name}.*? \| (\S+) \| (\S+) \|", PAGE, re.M).groups()
    return float(value), float(tolerance)


def ranges(folder):
    """At the smallest size that the page admits, with two variants."""
    size = [word for axis in "xyz" for word in ("--set", f"case.n{axis}=150")]
    done = subprocess.run(
        [TESSERA, "run", "inputs/procurement.toml", *size, "--set", "measure.warmup_s=0", "--set",
         "measure.repetitions=5", "--set", "acoustic.decomposition=single", "-v", "acoustic/naive_simd", "-v",
         "acoustic/st_reg_fixed:256x16", "--json"], cwd=folder, capture_output=True, text=True)
    rows = [row for row in json.loads(done.stdout)["results"] if row["status"] == "valid"]
    equal(len(rows), 2, f"two rows: {done.stderr[-300:]}")
    for row in rows:
        for key in ("u_min", "u_max"):
            value, tolerance = reference(key)
            check(abs(row[key] / value - 1) < tolerance, f"{row['variant']}: {key} {row[key]}, not {value}")


def gather(folder):
    done = subprocess.run([TESSERA, "shot", "inputs/shot.toml", "--set", "snapshots.every=0", "--set",
                           "output.segy=false", "-o", "shot"],
                          cwd=folder, capture_output=True, text=True)
    check(done.stdout.endswith("PASS\n"), f"the shot passes: {done.stderr}")
    command = re.search(r"^awk .*$", PAGE, re.M)[0].replace("out/shot", "shot")
    found = float(subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True).stdout)
    value, tolerance = reference("sum of squares")
    check(abs(found / value - 1) < tolerance, f"the gather's sum is {found}, not {value}")


run_tests(ranges, gather)
