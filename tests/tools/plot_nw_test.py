# SPDX-License-Identifier: Apache-2.0
"""tools/plot_nw.py on made-up result files."""

import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
import made_results as made  # noqa: E402
from checks import check, check_error, finish  # noqa: E402
from tool_calls import call  # noqa: E402


def run(tool, *arguments):
    return call(ROOT / "tools" / tool, *arguments)


def row(stencil, name, gb_per_s, **more):
    """A valid row of one cube of 512^3 floats, its samples within 1 %."""
    seconds = 8 * 512**3 / (1e9 * gb_per_s)
    return made.row(name, gb_per_s / 8, **{
        "stencil": f"directional/{stencil}", "decomposition": "aligned", "nx": 512, "ny": 512,
        "nz": 512, "effective_gb_per_s": gb_per_s,
        "samples_s": [0.99 * seconds, seconds, 1.01 * seconds], **more})


def write(path, rows):
    return made.write(path, made.content(rows))


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
    test_plot(Path(name))
finish()
