# SPDX-License-Identifier: Apache-2.0
"""tools/ladder.py, plot_nw.py and plot_roofline.py on made-up and stored result files; make_model.py
makes the model that ships."""

import struct

from common import ROOT, call, check, check_error, equal, made, preload, run_tests, write

import plot_roofline
from tessera_tools import published, results

preload("matplotlib.pyplot", "jsonschema")

COUNTED = ROOT / "results/nvidia-h100/counted/acoustic-gpu.json"
TABLE = ROOT / "inputs/published/sai-table4.toml"


def tool(name, *arguments):
    return call(ROOT / f"tools/{name}.py", *arguments)


def drawn(path):
    return path.exists() and path.read_bytes()[:4] == b"\x89PNG" and path.stat().st_size > 5000


def stage(name, configuration, rate, depth, **more):
    return made.row(f"jacobi/{name}:{configuration}", rate, **{
        "stencil": "jacobi/j2d5pt", "precision": "double", "ny": 50, "nz": 1, "steps": 0,
        "temporal_depth": depth, "gflop_per_s": 10 * rate if rate else None,
        "predicted": {"gcell_per_s": 300.0, "fraction_of_attainable": 1.5},  # of other roofs
        "resources": {"flops_per_cell": 10, "scratch_loads_per_cell": 3, "scratch_stores_per_cell": 1},
        **more})


def ladder(path, rows, *options):
    """The tables' lines by their stages. Scratch gives 100 x 1.25 GHz x 128 B = 16,000 GB/s: four
    accesses of 8 B allow 500 GCell/s."""
    write(path, made.content(rows, {"device_properties": {"name": "", "units": 100, "clock_ghz": 1.25}},
                             roofline={"gb_per_s": 3200.0, "peak_gflop_per_s": 6000.0},
                             date="2026-12-01T00:00:00Z"))
    done = tool("ladder", path, *options)
    check(done.returncode == 0, f"ladder: {done.stderr}")
    return done.stdout, {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.strip()}


def test_ladder(folder):
    rows = [stage("step", "default", 50.0, 1), stage("base", "1024x1,t=4", 100.0, 4),
            stage("cmq_shift", "1024x1,t=4", 200.0, 4), stage("cmq_shift", "1024x1,t=7", 250.0, 7),
            stage("cmq_compute", "1024x1,t=12", None, 12), stage("lazy", "1024x1,t=4", 400.0, 4)]
    _, lines = ladder(folder / "flat.json", rows, "--plot", folder / "ladder.png")
    equal(lines["cmq_shift"][1:4], ["1024x1,t=7", "7", "250.0"], "the fastest configuration")
    equal(lines["cmq_shift"][5:], ["2.50", "2.50", "5.00", "50"], "gains and fraction")
    equal(lines["lazy"][5:], ["1.60", "4.00", "8.00", "80"], "the stage before that is valid")
    check("cmq_compute" not in lines and drawn(folder / "ladder.png"), "no rate, no line; a picture")
    equal((lines["base"][8], lines["step"][8]), ("20", "25"), "scratch binds, and memory a step")
    # Another number of steps, or other details, make a ladder of their own.
    text, _ = ladder(folder / "more.json", [
        *rows, {**stage("ebisu", "1024x1,t=4", 999.0, 4), "steps": 7},
        {**stage("ebisu", "1024x1,t=8", 999.0, 8), "details": "init=constant"}])
    equal(len(text.strip().split("\n\n")), 3, "three problems")
    _, lines = ladder(folder / "deep.json", [
        {**row, "nz": 20} for row in (
            stage("cmq_shift", "32x32,t=4", 60.0, 4), stage("cmq_compute", "32x32,t=4", 30.0, 4),
            stage("prefetch", "32x32,t=4", 90.0, 4), stage("lazy", "32x32,t=4", 45.0, 4),
            stage("ebisu", "32x32,t=8,apart=2", 180.0, 8), stage("warps", "64x32,t=4", 270.0, 4))])
    # In three dimensions prefetching goes on from shifted addresses, the end point from prefetching.
    equal({name: lines[name][5] for name in ("prefetch", "cmq_compute", "lazy", "ebisu", "warps")},
          {"prefetch": "1.50", "cmq_compute": "0.50", "lazy": "0.50", "ebisu": "2.00", "warps": "-"}, "3D")
    check_error(tool("ladder", write(folder / "x.json", {"schema": "other"})), "not a result file", "schema")
    # Stored files: older predictions held rows against a slower cache; no share may pass the hardware.
    for stored in sorted((ROOT / "results").glob("*/jacobi-ladder-*.json")):
        shares = [line.split()[-1] for line in tool("ladder", stored).stdout.splitlines() if ",t=" in line]
        check(shares and all(share == "-" or int(share) <= 100 for share in shares), f"{stored}: {shares}")


def test_nw(folder):
    def row(stencil, tile, **more):
        return made.row(f"directional/fused_xyz:256x4,v=4{tile}", 100.0, **{
            "stencil": f"directional/{stencil}", "decomposition": "aligned", "nz": 512,
            "effective_gb_per_s": 800.0, **more})

    rows = [row("xyz-r4", f",nw={nw}", counters={"achieved_gb_per_s": 1000.0, "read_write_ratio": 1.2})
            for nw in (1, 10, 1000)]
    path = write(folder / "nw.json", made.content(rows))
    done = tool("plot_nw", path)
    check(str(folder / "nw.png") in done.stdout and drawn(folder / "nw.png"), f"plot: {done.stderr}")
    once = write(folder / "once.json", made.content([row("xyz-r4", ",nw=20")]))  # no counters: one panel
    tool("plot_nw", path, once, "-o", folder / "two.png")
    check(drawn(folder / "two.png"), "two files")
    for wrong, part in (([row("x-r4", "")], "nw"), ([*rows, row("xyz-r8", ",nw=1")], "several radii"),
                        ([*rows, {**rows[0], "precision": "double"}], "rows differ in precision"),
                        ([*rows, {**rows[0], "steps": 7}], "rows differ in steps")):
        check_error(tool("plot_nw", write(path, made.content(wrong))), part, part)


def test_roofline(folder):
    """The paper's points and roofs: 25 rows; in GB/s 2566 / 0.78 and 1498 / 1.92 times 2^30 / 10^9."""
    points, roofs = plot_roofline.published_points(published.read(TABLE))
    equal([len(points[level]) for level in ("l2", "dram")], [25, 25], "Table IV's rows")
    best = next(p for p in points["dram"] if p[:2] == ("acoustic/gmem", "8x8x8"))
    check(abs(best[2] - 1.92) < 1e-12 and abs(best[3] - 770 * 1.073741824) < 1e-9, f"a point: {best}")
    check(abs(roofs["dram"] / 838 - 1) < 0.01 and abs(roofs["l2"] / 3532 - 1) < 0.03, f"roofs: {roofs}")
    for level, found in plot_roofline.measured_points(results.read(COUNTED), "seven").items():
        check(len(found) > 25, f"counted rows, {level}: {len(found)}")
    done = tool("plot_roofline", COUNTED, "--published", TABLE, "-o", folder / "both.png")
    check(done.returncode == 0 and drawn(folder / "both.png"), f"both: {done.stderr}")
    check_error(tool("plot_roofline", COUNTED, "--decomposition", "eight"), "eight", "no such rows")
    check_error(tool("plot_roofline"), "is required", "nothing to draw")


def test_model(folder):
    """Of another mathematical library a sample beside an interface may fall on its other side."""
    equal(tool("make_model", folder / "made.f32").returncode, 0, "make_model")
    ours, shipped = (struct.unpack("<24321f", path.read_bytes())
                     for path in (folder / "made.f32", ROOT / "inputs/models/thrust.f32"))
    check(sum(a != b for a, b in zip(ours, shipped)) <= 24, "the model that ships")


run_tests(test_ladder, test_nw, test_roofline, test_model)
