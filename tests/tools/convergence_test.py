# SPDX-License-Identifier: Apache-2.0
"""tools/convergence.py: lines by set of platforms, divergence, and the chart of them."""

import json

from common import ROOT, check, check_error, equal, run_tests, tool_named

from tessera_tools import charts, comparison, convergence


def coverage(path, **files):
    path.write_text(json.dumps([{"file": name.replace("__", "/") + ".cpp", "id": "", "used_lines": lines,
                                 "unused_lines": [99]} for name, lines in files.items()]))
    return path
tool = tool_named("convergence")


def counted(folder):
    host = coverage(folder / "host.json", src__main=[1, 2, 3, 4], variants__jacobi__step=[1, 2])
    gpu = coverage(folder / "gpu.json", src__main=[3, 4, 5, 6], variants__jacobi__step=[1, 2, 3])
    table = convergence.count({"host": host, "gpu": gpu})
    equal([tuple(of) for of in table.values], [
        ("jacobi", "gpu", 1), ("jacobi", "gpu host", 2), ("shared", "gpu", 2), ("shared", "gpu host", 2),
        ("shared", "host", 2)], "lines by part and platforms")
    parts = convergence.by_part(table).set_index("part")
    # By hand: 2 of 6 lines of main are both's, 2 of 3 of step, 4 of 9 of all.
    equal([round(value, 12) for value in parts.divergence],
          [round(value, 12) for value in (1 / 3, 2 / 3, 5 / 9)], "divergence")
    equal(list(parts.lines), [3, 6, 9], "lines")
    done = tool(f"host={host}", f"gpu={gpu}", "-o", folder / "lines.csv")
    equal(done.returncode, 0, done.stderr)
    check(convergence.read(folder / "lines.csv").equals(table), "CSV and back")
    # Three builds, of which one shares nothing: the mean of pairs 0, 1 and 1.
    third = coverage(folder / "third.json", src__main=[7])
    three = convergence.count({"a": host, "b": host, "c": third})
    equal(round(convergence.divergence(three), 12), round(2 / 3, 12), "a mean over pairs")
    check_error(tool(f"host={host}"), "two or more", "one platform")
    check_error(tool(f"host={host}", f"gpu={folder / 'none.json'}"), "none.json", "no file")


def stored(_):
    """The stored count, and a navigation chart from stored results."""
    table = convergence.read()
    equal(sorted(max(table.platforms, key=len).split()), ["cuda", "hip", "openmp"], "three builds")
    parts = set(table.part)
    equal(parts - {"shared"}, {path.parent.name for path in ROOT.glob("variants/*/formula.hpp")}, "families")
    found = comparison.compare([str(ROOT / "results" / name) for name in ("nvidia-h100", "nvidia-h200")])
    (chart,) = charts.navigation(found, table)
    equal({series.name for series in chart.series}, parts - {"shared"}, "a point a family")
    for series in chart.series:
        check(0 < series.x[0] <= 100 and 0 < series.y[0] <= 100, f"{series.name}: {series.x} {series.y}")
    check(charts.draw(chart).axes[0].get_xlim()[1] > 100, "drawn over the whole range")


run_tests(counted, stored)
