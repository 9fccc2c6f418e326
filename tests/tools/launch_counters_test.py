# SPDX-License-Identifier: Apache-2.0
"""tools/launch_counters.py: a line a launch out of ncu's file and the profiled run's own rows. The
counters are made up so that factors can be seen."""

import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
TESSERA = sys.argv[2]
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, equal, finish  # noqa: E402

TOOL = [sys.executable, str(ROOT / "tools" / "launch_counters.py")]
VARIANTS = ["low_order/baseline:fullx8xfull", "low_order/naive:default"]


def tool(*arguments):
    return subprocess.run([*TOOL, *map(str, arguments)], capture_output=True, text=True,
                          check=False)


BEGIN, END = ("void launch<ParallelFor<tessera::ProfileBegin, RangePolicy<Cuda>>>(T1)",
              "void launch<ParallelFor<tessera::ProfileEnd, RangePolicy<Cuda>>>(T1)")
ONE = "void launch<ParallelFor<tessera::<unnamed>::BaselineKernel<double>, TeamPolicy<Cuda>>>(T1)"
TWO = "void native::kernel<256, 2, <unnamed>::NaiveKernel<double>>(T3, int)"  # as newer ones say
BARRIER = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"
COLUMNS = ["gpu__time_duration.sum", "dram__bytes_read.sum", BARRIER, "launch__grid_size",
           "dram__throughput.avg.pct_of_peak_sustained_elapsed"]
UNITS = ["ns", "byte", "inst", "", "%"]
LAUNCHES = [(BEGIN, [1, 1, 0, 1, 1]), (ONE, [1_500_000, 2_000_000_000, 0.25, 132, 50]),
            (ONE, [500, 7, 0.5, 1, 0.1]), (END, [1, 1, 0, 1, 1]), (TWO, [9, 9, 9, 9, 9]),
            (BEGIN, [1, 1, 0, 1, 1]), (TWO, [2000, 0, "n/a", 64, 100]), (END, [1, 1, 0, 1, 1])]


def ncu(launches, units=None):
    """--page raw after a line of the program's own."""
    rows = [["ID", "Kernel Name", *COLUMNS], ["", "", *(units or UNITS)]]
    rows += [[str(i), name, *(f"{v:,}" if isinstance(v, int) else str(v) for v in values)]
             for i, (name, values) in enumerate(launches)]
    return "streams: none\n" + "\n".join(",".join(f'"{c}"' for c in row) for row in rows) + "\n"


with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch)
    raw, profile = folder / "raw.csv", folder / "raw.json"
    ran = subprocess.run(
        [TESSERA, "run", str(ROOT / "inputs" / "low-order.toml"), "--profile", "-o", str(folder / "run"),
         *(word for name in VARIANTS for word in ("-v", name)),
         *(word for axis in ("nx", "ny", "nz") for word in ("--set", f"case.{axis}=16")),
         "--set", "case.steps=1"], capture_output=True, text=True, check=False)
    equal(ran.returncode, 0, ran.stderr)
    (folder / "run" / "result.json").rename(profile)
    raw.write_text(ncu(LAUNCHES), encoding="utf-8")

    # 1. Each launch between marks has a line; what is outside of them has none.
    done = tool(raw, "--note", "a trial")
    equal(done.returncode, 0, done.stderr)
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    equal([line["variant"] for line in lines], [VARIANTS[0], VARIANTS[0], VARIANTS[1]], "variants")
    equal([line["kernel"] for line in lines], ["BaselineKernel", "BaselineKernel", "NaiveKernel"],
          "functors")
    equal([line["launch"] for line in lines], ["1", "2", "1"], "launches of a row")
    first = lines[0]
    equal([first[key] for key in ("time_us", "dram_read_gb", "wait_team", "teams", "dram_busy")],
          ["1500", "2", "0.25", "132", "0.5"], "units")
    equal([first[key] for key in ("cells", "steps", "note")], ["16x16x16", "1", "a trial"], "case")
    equal(lines[2]["wait_team"], "", "what was not counted")
    check("l2_gb" not in first, "a column that nothing fills")

    # 2. Into a file, several at once.
    (folder / "more.csv").write_text(raw.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "more.json").write_text(profile.read_text(encoding="utf-8"), encoding="utf-8")
    done = tool(raw, folder / "more.csv", "-o", folder / "out.csv")
    equal(done.returncode, 0, done.stderr)
    equal(len((folder / "out.csv").read_text(encoding="utf-8").splitlines()), 7, "lines of two")
    check("gpu__time_duration.sum," in tool("--metrics").stdout, "--metrics")

    # 3. Bad input: one line.
    for text, content in {"--print-units base": ncu(LAUNCHES, ["us", *UNITS[1:]]),
                          "table of kernels": "==ERROR== no permission\n",
                          "1 pairs of marks for 2": ncu(LAUNCHES[:4]),
                          "not a number": ncu([(ONE, ["many", 1, 1, 1, 1])])}.items():
        raw.write_text(content, encoding="utf-8")
        done = tool(raw)
        equal(done.returncode, 1, f"status where {text}")
        check(text in done.stderr and done.stderr.count("\n") == 1, f"{text}: {done.stderr}")

finish()
