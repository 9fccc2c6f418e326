# SPDX-License-Identifier: Apache-2.0
"""tools/continuous_benchmark.py: entries as github-action-benchmark takes them."""

import json

from common import check_error, equal, made, run_tests, tool_named

tool = tool_named("continuous_benchmark")


def entries(folder):
    rows = [made.row("acoustic/a:8x8,v=4", 4.0, decomposition="seven", details="seed=2 h=1"),
            made.row("acoustic/b:default", None, decomposition="seven")]
    one = made.write(folder / "one.json", made.content(rows, {"name": "one"}))
    other = made.write(folder / "other.json", made.content(rows, {"name": "other"}))
    done = tool(one, "-o", folder / "made" / "benchmark.json")
    equal(done.returncode, 0, done.stderr)
    equal(done.stderr.startswith("dropped: 1 rows"), True, done.stderr)
    (entry,) = json.loads((folder / "made" / "benchmark.json").read_text())
    equal({key: type(value) for key, value in entry.items()},
          {"name": str, "unit": str, "value": float, "range": str, "extra": str}, "what the action reads")
    equal((entry["name"], entry["value"], entry["unit"]),
          ("acoustic/a/8x8,v=4/iso25/seven/float/seed=2_h=1", 4.0, "GCell/s"), "the row")
    (slow,) = json.loads(tool(one, "--seconds").stdout)
    equal((slow["unit"], slow["value"] > 0), ("s/step", True), "smaller is better")
    both = [entry["name"].split("/")[0] for entry in json.loads(tool(one, other).stdout)]
    equal(both, ["one", "other"], "platforms")
    again = made.write(folder / "again.json", made.content(rows, {"name": "one"}))
    check_error(tool(one, again), "more than once", "one name twice")
    none = made.write(folder / "none.json", made.content(rows[1:], {"name": "one"}))
    check_error(tool(none), "no valid row", "nothing to tell")


run_tests(entries)
