# SPDX-License-Identifier: Apache-2.0
"""tools/fusion.py and tools/plot_nw.py on made-up result files."""

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, check_error, finish  # noqa: E402
from tool_calls import call  # noqa: E402


def run(tool, *arguments):
    return call(ROOT / "tools" / tool, *arguments)


def row(stencil, name, gb_per_s, **more):
    """A valid row of one cube of 512^3 floats, its samples within 1 %."""
    variant, configuration = name.split(":", 1)
    seconds = 8 * 512**3 / (1e9 * gb_per_s)
    return {"family": "directional", "stencil": f"directional/{stencil}", "variant": variant,
            "configuration": configuration, "decomposition": "aligned", "precision": "float",
            "nx": 512, "ny": 512, "nz": 512, "status": "valid", "effective_gb_per_s": gb_per_s,
            "samples_s": [0.99 * seconds, seconds, 1.01 * seconds], "counters": {}, **more}


def write(path, rows, schema="tessera-result-1"):
    path.write_text(json.dumps({"schema": schema, "results": rows, "machine": {"name": "made up"},
                                "streams": {"copy": 1300.0}}), encoding="utf-8")
    return path


def test_fusion(folder):
    # The paper's own bandwidths must give its own speed-ups: 2.426 (printed 2.42) and 1.63.
    printed = [row("x-r4", "directional/vec:256x4,v=4", 1240.0),
               row("x-r4", "directional/baseline:256x1", 990.0),  # slower: not the one to compare
               row("y-r4", "directional/lds:256x4,v=4", 1272.0),
               row("z-r4", "directional/window:256x4,v=4,nw=100", 1200.0),
               row("xy-r4", "directional/fused_xy:256x4,v=4", 1252.0),
               row("xyz-r4", "directional/fused_xyz:256x4,v=4,nw=100", 1000.0),
               row("xyz-r8", "directional/fused_xyz:256x4,v=4,nw=100", 900.0),
               row("z-r8", "directional/window:256x4,v=4,nw=100", 5000.0, status="invalid")]
    path = write(folder / "printed.json", printed)
    result = run("fusion.py", path)
    check(result.returncode == 0, f"fusion: {result.stderr}")
    lines = result.stdout.splitlines()
    three = next((line.split() for line in lines if "(T_x + T_y + T_z) / T_xyz" in line), [])
    two = next((line.split() for line in lines if "(T_xy + T_z) / T_xyz" in line), [])
    check(three[7:9] == ["2.43", "2.43"] and three[-1] == "2.43", f"three passes: {three}")
    check(two[5:7] == ["1.63", "1.63"] and two[-1] == "1.63", f"two passes: {two}")
    check("[2.38, 2.47]" in result.stdout, f"range of the samples: {result.stdout}")
    check("directional/baseline" not in result.stdout, "the fastest of a direction is compared")
    check("R = 8" not in result.stdout, "nothing to compare with is not shown")
    # A row of another problem, however fast, stands for no direction of this one.
    for field, value in (("steps", 7), ("details", "h=2")):
        wrong = write(folder / "wrong.json", [*printed, {**printed[2], field: value,
                                                         "effective_gb_per_s": 9000.0}])
        check(run("fusion.py", wrong).stdout == result.stdout, f"a row of other {field}")
    slower = run("fusion.py", path, "-v", "directional/[!v]*")
    check("directional/baseline:256x1" in slower.stdout, f"selection: {slower.stdout}")
    check_error(run("fusion.py", path, "-v", "directional/vec"), "holds no xyz", "only x")
    check_error(run("fusion.py", folder / "none.json"), "none.json", "no such file")
    other = write(folder / "old.json", printed, "other")
    check_error(run("fusion.py", other), "result file", "schema")


def test_plot(folder):
    rows = [row("xyz-r4", f"directional/fused_xyz:256x4,v=4,nw={nw}", 900.0 + nw) for nw in
            (1, 10, 100, 1000)]
    path = write(folder / "nw.json", rows)
    picture = folder / "nw.png"
    result = run("plot_nw.py", path)
    check(result.returncode == 0 and str(picture) in result.stdout, f"plot: {result.stderr}")
    good = picture.exists() and picture.read_bytes()[:4] == b"\x89PNG"
    check(good and picture.stat().st_size > 5000, "a PNG of some size")
    for entry in rows:
        entry["counters"] = {"achieved_gb_per_s": 1000.0, "read_write_ratio": 1.2}
    counted = run("plot_nw.py", write(path, rows), "-o", folder / "counted.png")
    check(counted.returncode == 0 and (folder / "counted.png").exists(), counted.stderr)
    check_error(run("plot_nw.py", write(path, [row("x-r4", "directional/vec:256x4,v=4", 1.0)])),
                "nw", "nothing with an nw")
    both = [*rows, row("xyz-r8", "directional/fused_xyz:256x4,v=4,nw=1", 1.0)]
    check_error(run("plot_nw.py", write(path, both)), "several radii", "two radii")
    for field, value in (("precision", "double"), ("steps", 7), ("decomposition", "unaligned")):
        check_error(run("plot_nw.py", write(path, [*rows, {**rows[0], field: value}])),
                    f"nw.json: rows differ in {field}", f"two of {field}")


with tempfile.TemporaryDirectory() as name:
    test_fusion(Path(name))
    test_plot(Path(name))
finish()
