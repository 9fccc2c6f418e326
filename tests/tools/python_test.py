# SPDX-License-Identifier: Apache-2.0
"""tools/tessera_tools as a library: shots as datasets, charts, movies, and what docs/python.md and
docs/shot.md show."""

import io
import json
import os
import re
import struct
import subprocess
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import numpy as np
from common import ROOT, TESSERA, call, check, equal, raises, run_tests

# isort: split
import strict_segy
from built import HAVE_SEGY
from tessera_tools import charts, comparison, results, shots
from tessera_tools.errors import ToolError
from tessera_tools.snapshot_plot import draw_snapshots, write_movie

refuses = partial(raises, ToolError)


def make_shot(folder):
    done = subprocess.run(
        [TESSERA, "shot", ROOT / "inputs/shot.toml", "-o", folder, *(word for setting in (
            "case.nx=44", "case.ny=40", "case.nz=48", "case.duration_s=", "case.steps=30", "acoustic.pml_cells=4",
            "acoustic.h=10", 'model={kind="layered", tops=[0, 150], v=[1500, 2500]}',
            "source={x=180, y=160, z=60, f_peak=20}", "snapshots={every=10, stride=3}",
            "receivers={start=[40, 160, 20], end=[320, 160, 20], count=8}", *(() if HAVE_SEGY else ("output.segy=false",)))
            for word in ("--set", setting))], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"a shot: {done.stderr}")


def test_shot(folder):
    import h5py
    make_shot(folder)
    gather = shots.gather(folder)
    check(dict(gather.pressure.sizes) == {"time": 30, "receiver": 8}, f"gather: {gather.sizes}")
    check(np.allclose(gather.x, np.linspace(40, 320, 8)) and np.allclose(gather.y, 160),
          "receivers' places")
    check(gather.sources.values.tolist() == [[180, 160, 60]], "the source's place")
    x, label = shots.offsets(gather)
    check(x[0] < 0 < x[-1] and "offset" in label, f"offsets: {x}")

    whole = shots.snapshots(folder)
    check(whole.pressure.dims == ("time", "z", "y", "x") and whole.step.values.tolist() ==
          [10, 20, 30], f"snapshots: {whole.sizes}")
    check(float(whole.velocity.sel(z=50, method="nearest").max()) == 1500 and
          float(whole.velocity.sel(z=300, method="nearest").min()) == 2500, "places along z")
    plane = shots.snapshots(folder, plane="x=200", count=2)
    same = whole.sel(x=float(plane.x)).isel(time=[0, 2])
    check(plane.pressure.dims == ("time", "z", "y") and
          np.array_equal(plane.pressure.values, same.pressure.values), "a plane, two of three")
    at_source = shots.snapshots(folder, plane="source")
    check(abs(float(at_source.y) - 160) <= 15, f"the source's plane: {float(at_source.y)}")
    with h5py.File(folder / "snapshots.h5") as file:
        for name in ("velocity", "pressure/step_0000010"):
            dims = file[name].dims
            check([dim.label or list(dim.keys())[0] for dim in dims] == ["z", "y", "x"] and
                  np.allclose(dims[0][0][:], whole.z.values), f"dimension scales of {name}")
    test_files_for_others(folder, gather)
    test_numpy_and_su(folder, gather)
    refuses(lambda: shots.snapshots(folder, plane="t=1"), "--slice t=1", "no such axis")
    refuses(lambda: shots.gather(folder.parent / "none"), "no gather", "no shot")

    # One scale for all snapshots: the same amplitude has one colour, early and late.
    figure = draw_snapshots(at_source)
    labels = [axes.get_ylabel() for axes in figure.axes]
    check("pressure (Pa), all snapshots" in labels and "velocity (m/s)" in labels,
          f"colour bars: {labels}")
    check(len(figure.legends) == 1 and not any(axes.get_legend() for axes in figure.axes),
          "the legend stands outside of the panels")
    figure.canvas.draw()
    box = figure.legends[0].get_window_extent()
    check(not any(axes.get_window_extent().overlaps(box) for axes in figure.axes),
          "the legend covers nothing")
    test_movie(folder, at_source)


def test_files_for_others(folder, gather):
    """xarray opens them by a line each, with places, units and directions."""
    import xarray
    waves = xarray.open_dataset(folder / "snapshots.h5", engine="h5netcdf")
    check(waves.velocity.dims == ("z", "y", "x") and waves.velocity.units == "m/s" and
          waves.z.attrs["positive"] == "down" and waves.receiver_z.attrs["units"] == "m", f"{waves}")
    equal(waves.receiver_x.values.tolist(), gather.x.values.tolist(), "receivers' places")
    equal(waves.source_z.values.tolist(), [60.0], "the source's depth")
    wave = xarray.open_dataset(folder / "snapshots.h5", group="pressure", engine="h5netcdf").step_0000010
    check(wave.dims == ("z", "y", "x") and wave.units == "Pa", f"{wave}")
    # A survey of two shots, one of which has fewer receivers.
    survey = folder.parent / "survey"
    lines = (folder / "gather.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    for number, columns in ((1, 9), (2, 6)):
        (survey / f"shot-{number:04}").mkdir(parents=True)
        (survey / f"shot-{number:04}" / "gather.csv").write_text("".join(
            ",".join(line.strip().split(",")[:columns]) + "\n" for line in lines), encoding="utf-8")
    done = call(ROOT / "tools/pack_gathers.py", survey, "-o", folder.parent / "all.h5")
    check(done.returncode == 0, f"packed: {done.stderr}")
    packed = xarray.open_dataset(folder.parent / "all.h5")
    check(dict(packed.sizes) == {"shot": 2, "receiver": 8, "time": 30} and
          packed.pressure.dims == ("shot", "receiver", "time"), f"{packed}")
    check(np.array_equal(packed.pressure[0].T, gather.pressure.astype("f4")) and
          np.isnan(packed.pressure[1, 5:]).all() and not np.isnan(packed.pressure[1, :5]).any(), "pressures")
    check(packed.source_x.values.tolist() == [180, 180] and packed.receiver_z.positive == "down" and
          packed.receiver_x.values[0].tolist() == gather.x.values.tolist() and packed.pressure.units == "Pa", "places")


def test_numpy_and_su(folder, gather):
    """What docs/shot.md shows makes both files; SU's are read here field by field."""
    block, _ = re.findall(r"```python\n(.*?)```", (ROOT / "docs/shot.md").read_text(encoding="utf-8"), re.S)
    csv, su = block.split("\n\n")
    os.chdir(folder.parent)
    exec(csv.replace("out/shot", str(folder)), {})
    table = np.load("gather.npy")
    check(np.array_equal(table[:, 0], gather.time) and np.array_equal(table[:, 1:], gather.pressure), "NumPy")
    if not HAVE_SEGY:
        return
    exec(su.replace("out/shot", str(folder)), {"np": np})
    data = Path("gather.su").read_bytes()
    _, traces = strict_segy.read(folder / "gather.sgy")
    samples = len(traces[0]["data"])
    equal(len(data), len(traces) * (240 + 4 * samples), "bytes of SU")
    for number, trace in enumerate(traces):
        head = data[number * (240 + 4 * samples):][:240 + 4 * samples]
        fields = {byte: struct.unpack_from("=i" if byte in strict_segy.LONG else "=h", head, byte - 1)[0]
                  for byte in trace if byte != "data" and byte <= 180}
        equal(fields, {byte: trace[byte] for byte in fields}, f"header of trace {number + 1}")
        equal(struct.unpack_from("=h", head, 114)[0], samples, "samples")
        check(not any(head[180:240]), "SU's own fields are unset")
        equal(struct.unpack_from(f"={samples}f", head, 240), trace["data"], f"trace {number + 1}")
    check(any(any(trace["data"]) for trace in traces), "a wave")


def test_movie(folder, waves):
    from PIL import Image
    path = write_movie(waves, folder / "movie.gif", dpi=50)
    with Image.open(path) as movie:
        check(movie.n_frames == 3, f"a frame a snapshot: {movie.n_frames}")
    refuses(lambda: write_movie(waves, folder / "movie.avi"), ".gif or .mp4", "another kind")
    refuses(lambda: write_movie(waves.isel(time=slice(0, 0)), folder / "none.gif"), "no snapshots",
            "no snapshots")
    check(not (folder / "none.gif").exists(), "nothing is left where nothing is shown")


def test_charts():
    """Charts of the committed files: their numbers are the rows'."""
    found = comparison.compare([ROOT / "results/nvidia-h200/low-order-gpu.json"])
    lines = charts.rooflines(found)
    points = sum(len(series.x) for chart in lines for series in chart.series if series.points)
    check(lines and points > 5, f"{points} points in {len(lines)} rooflines")
    for chart in (*lines[:1], *charts.bars(found)[:1], *charts.heat_maps(found)[:1]):
        figure = charts.draw(chart)
        check(figure.axes[0].get_title(loc="left") == chart.name, f"drawn: {chart.name}")
    tune = results.read(ROOT / "results/host/tune-fang-37-random-avx512.json")
    maps = charts.tile_maps(tune.rows)
    best = max(row.rate for row in tune.rows if row.rate)
    check(maps and max(chart.scale for chart in maps) <= best, "maps of tiles")
    for chart in maps:
        cells = [value for line in chart.values for value in line if value is not None]
        check(max(cells) == chart.scale and len(chart.values) == len(chart.series[0].y),
              f"values of {chart.name}")


def test_docs(folder):
    """What docs/python.md shows runs."""
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    equal(len(blocks), 5, "blocks in docs/python.md")
    os.chdir(ROOT)
    for block in blocks:
        if "idxmax" not in block:  # of a family is enough
            block = re.sub(r'(results/nvidia-h\d00)"', r'\1/low-order-gpu.json"', block)
        code, said = block.replace("out/shot", str(folder)).replace("y=1200", "y=160") \
            .replace('f"{chart.name}.svg"', f'f"{folder}/chart.svg"'), io.StringIO()
        with redirect_stdout(said):
            exec(code, {})
        if "idxmax" in block:  # the best of a family and machine are those that the rows say
            check(block.count("\n") == 5, "five lines")
            rows = results.rows_of(results.read_all([ROOT / "results/nvidia-h200"]))
            lines = [line.split()[1:] for line in said.getvalue().splitlines()]
            for family in sorted({row.family for row in rows}):
                best = results.best(results.select(rows, family=family), by=lambda row: row.share_of_bound)
                check(any(words[:1] == [family] and "nvidia-h200" in words and best.variant in words
                          for words in lines), f"best of {family}: {best.name}, not {said.getvalue()}")


def test_own_model(folder):
    """The page of docs/velocity.md from a file to a gather runs."""
    block, = re.findall(r"```python\n(.*?)```", (ROOT / "docs/velocity.md").read_text(encoding="utf-8"), re.S)
    check(len(block.splitlines()) <= 12, "about ten lines")
    folder.mkdir()
    np.repeat([np.linspace(1500, 4000, 61)], 201, axis=0).astype("<f4").tofile(folder / "vp.bin")
    os.chdir(folder)
    exec(block.replace('["tessera"', f'["{TESSERA}"').replace("duration_s=1.0", "steps=20"), {})
    gather = shots.gather("out/mine")
    check(gather.sizes["receiver"] == 201 and float(abs(gather.pressure).max()) > 0, f"{gather.sizes}")
    told = json.loads(Path("out/mine/shot.json").read_text(encoding="utf-8"))
    equal([told["nx"], told["ny"], told["nz"], told["v_min_m_per_s"]], [225, 60, 85, 1500], "grid of the file")


def main(folder):
    test_charts()
    test_shot(folder / "shot")
    test_docs(folder / "shot")
    test_own_model(folder / "own")


run_tests(main)
