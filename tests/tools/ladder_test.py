# SPDX-License-Identifier: Apache-2.0
"""tools/ladder.py on small made-up result files, right and wrong."""

import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
import made_results as made  # noqa: E402
from checks import check, finish  # noqa: E402
from made_results import write  # noqa: E402
from tool_calls import call, preload  # noqa: E402

preload("matplotlib.pyplot")


def ladder(*arguments):
    return call(ROOT / "tools" / "ladder.py", *arguments)


def row(stage, configuration, rate, depth, **more):
    return made.row(f"jacobi/{stage}:{configuration}", rate, **{
        "stencil": "jacobi/j2d5pt", "precision": "double", "ny": 50, "nz": 1, "steps": 0,
        "temporal_depth": depth, "gflop_per_s": 10 * rate if rate else None,
        "predicted": {"gcell_per_s": 300.0, "fraction_of_attainable": 1.5},  # of other roofs
        "resources": {"flops_per_cell": 10, "scratch_loads_per_cell": 3, "scratch_stores_per_cell": 1},
        **more})


def content(rows):
    """Scratch gives 100 x 1.25 GHz x 128 B = 16,000 GB/s: four accesses of 8 B allow 500 GCell/s."""
    return made.content(rows, {"device_properties": {"name": "", "units": 100, "clock_ghz": 1.25}},
                        roofline={"gb_per_s": 3200.0, "peak_gflop_per_s": 6000.0},
                        date="2026-12-01T00:00:00Z")


with tempfile.TemporaryDirectory() as folder:
    result = Path(folder) / "ladder.json"
    rows = [
        row("step", "default", 50.0, 1),
        row("base", "1024x1,t=4", 100.0, 4),
        row("cmq_shift", "1024x1,t=4", 200.0, 4),
        row("cmq_shift", "1024x1,t=7", 250.0, 7),
        row("cmq_compute", "1024x1,t=12", None, 12),
        row("lazy", "1024x1,t=4", 400.0, 4),
    ]
    write(result, content(rows))
    good = ladder(result, "--plot", Path(folder) / "ladder.png")
    check(good.returncode == 0, f"exit status 0, not {good.returncode} {good.stderr}")
    lines = {line.split()[0]: line.split() for line in good.stdout.splitlines() if line.strip()}
    check(lines["cmq_shift"][1:4] == ["1024x1,t=7", "7", "250.0"], "the fastest configuration")
    check(lines["cmq_shift"][5:] == ["2.50", "2.50", "5.00", "50"], "gains and fraction")
    check(lines["lazy"][5:] == ["1.60", "4.00", "8.00", "80"], "the stage before that is valid")
    check("cmq_compute" not in lines, "no rate, no line")

    check(lines["base"][8] == "20" and lines["step"][8] == "25", "scratch binds, and memory a step")

    # Another number of steps, or other details, make a ladder of their own.
    others = [{**row("ebisu", "1024x1,t=4", 999.0, 4), "steps": 7},
              {**row("ebisu", "1024x1,t=8", 999.0, 8), "details": "init=constant"}]
    more = Path(folder) / "more.json"
    write(more, content([*rows, *others]))
    tables = ladder(more).stdout.strip().split("\n\n")
    check([table.splitlines()[0] for table in tables] ==
          [f"jacobi/j2d5pt double, 100 x 50 x 1 cells{end}" for end in
           ("", ", 7 steps", ", init=constant")], f"three problems: {tables}")
    check("ebisu" not in tables[0] and "lazy" not in tables[1], "no stage stands beside another's")

    deep = Path(folder) / "deep.json"
    of_three = [row("cmq_shift", "32x32,t=4", 60.0, 4), row("cmq_compute", "32x32,t=4", 30.0, 4),
                row("prefetch", "32x32,t=4", 90.0, 4), row("lazy", "32x32,t=4", 45.0, 4),
                row("ebisu", "32x32,t=8,apart=2", 180.0, 8), row("warps", "64x32,t=4", 270.0, 4)]
    for each in of_three:
        each["nz"] = 20
    write(deep, content(of_three))
    lines_of = {line.split()[0]: line.split() for line in ladder(deep).stdout.splitlines()
                if line.strip()}
    check(lines_of["prefetch"][5] == "1.50", "3D: prefetching goes on from shifted addresses")
    check(lines_of["cmq_compute"][5] == "0.50", "and computed ones stand against them")
    check(lines_of["lazy"][5] == "0.50" and lines_of["ebisu"][5] == "2.00",
          "3D: the end point goes on from prefetching")
    check(lines_of["warps"][5] == "-", "what is beside the ladder has no stage before")
    picture = Path(folder) / "ladder.png"
    check(picture.exists() and picture.read_bytes()[:4] == b"\x89PNG", "a picture")

    write(result, {"schema": "other", "results": []})
    wrong = ladder(result)
    check(wrong.returncode == 1 and "not a result file" in wrong.stderr, "another schema")
    missing = ladder(Path(folder) / "none.json")
    check(missing.returncode == 1 and len(missing.stderr.splitlines()) == 1, "a missing file")

# Stored files: older predictions held rows against a slower cache; no share may pass the hardware.
for stored in sorted((ROOT / "results").glob("*/jacobi-ladder-*.json")):
    shown = ladder(stored)
    shares = [line.split()[-1] for line in shown.stdout.splitlines() if ",t=" in line]
    check(shown.returncode == 0 and shares, f"{stored}: {shown.stderr}")
    check(all(share == "-" or int(share) <= 100 for share in shares), f"{stored}: {shares}")

finish()
