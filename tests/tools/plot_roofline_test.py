# SPDX-License-Identifier: Apache-2.0
"""tools/plot_roofline.py on a stored result file with counters and on Sai's Table IV."""

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, check_error, finish  # noqa: E402
from tool_calls import call, preload  # noqa: E402

preload("matplotlib.pyplot")
sys.path.insert(0, str(ROOT / "tools"))
import plot_roofline  # noqa: E402
from tessera_tools import published, results  # noqa: E402

RESULT = ROOT / "results" / "nvidia-h100" / "counted" / "acoustic-gpu.json"
TABLE = ROOT / "inputs" / "published" / "sai-table4.toml"


def run(*arguments):
    return call(ROOT / "tools" / "plot_roofline.py", *arguments)


# The paper's points and roofs: 25 rows; in GB/s 2566 / 0.78 and 1498 / 1.92 times 2^30 / 10^9.
points, roofs = plot_roofline.published_points(published.read(TABLE))
check([len(points[level]) for level in ("l2", "dram")] == [25, 25], "Table IV's rows")
best = next(p for p in points["dram"] if p[:2] == ("acoustic/gmem", "8x8x8"))
check(abs(best[2] - 1.92) < 1e-12 and abs(best[3] - 770 * 1.073741824) < 1e-9, f"a point: {best}")
check(abs(roofs["dram"] / 838 - 1) < 0.01 and abs(roofs["l2"] / 3532 - 1) < 0.03, f"roofs: {roofs}")

measured = plot_roofline.measured_points(results.read(RESULT), "seven")
for level, found in measured.items():
    check(len(found) > 25, f"counted rows, {level}: {len(found)}")
check(plot_roofline.family_of("acoustic/smem_eta_1") == "smem", "the paper's groups")

with tempfile.TemporaryDirectory() as temporary:
    here = Path(temporary)
    for text, arguments in {"measured": [RESULT], "both": [RESULT, "--published", TABLE],
                            "the paper's": ["--published", TABLE]}.items():
        picture = here / f"{text}.png"
        done = run(*arguments, "-o", picture)
        check(done.returncode == 0 and picture.stat().st_size > 20000, f"{text}: {done.stderr}")
    content = json.loads(RESULT.read_text(encoding="utf-8"))
    for row in content["results"]:
        row["counters"] = {}
    bare = here / "bare.json"
    bare.write_text(json.dumps(content), encoding="utf-8")
    check_error(run(bare), "has counters", "no counters")
    check_error(run(RESULT, "--decomposition", "eight"), "eight", "no such rows")
    check_error(run(), "is required", "nothing to draw")
    other = ROOT / "inputs" / "published" / "sai-table2.toml"
    check_error(run("--published", other), "no rates", "a table without intensities")
finish()
