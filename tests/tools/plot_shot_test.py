# SPDX-License-Identifier: Apache-2.0
"""tools/plot_shot.py on small made-up shots, whole, unfinished and broken."""

import os
from pathlib import Path

import h5py
import numpy as np
from common import ROOT, TESSERA, call, check, check_error, equal, preload, raises, run_tests

from tessera_tools import shots
from tessera_tools.errors import ToolError

preload("xarray", "matplotlib.pyplot", "matplotlib.animation")


def plot(*arguments):
    return call(ROOT / "tools" / "plot_shot.py", "--dpi", "60", *arguments)


def check_picture(result, path, text):
    check(result.returncode == 0, f"{text}: exit status 0, not {result.returncode} {result.stderr}")
    check(str(path) in result.stdout, f"{text}: names {path}")
    good = path.exists() and path.read_bytes()[:4] == b"\x89PNG" and path.stat().st_size > 5000
    check(good, f"{text}: a PNG of some size")


def write_gather(path, receivers=20, samples=100):
    positions = ["# source_x_m,100", "# source_y_m,50", "# source_z_m,10"]
    x = [str(20.0 * i) for i in range(receivers)]
    positions += [",".join(["# receiver_x_m", *x])]
    positions += [f"# receiver_{axis}_m" + ",50" * receivers for axis in "yz"]
    header = ",".join(["time_s"] + [f"receiver_{i + 1}" for i in range(receivers)])
    rows = []
    for sample in range(samples):
        values = np.sin(0.3 * sample - 0.2 * np.arange(receivers))
        rows.append(",".join([f"{0.002 * sample:.9g}", *(f"{v:.6g}" for v in values)]))
    path.write_text("\n".join(positions + [header] + rows) + "\n", encoding="utf-8")


def write_snapshots(path, steps):
    with h5py.File(path, "w") as file:
        file.attrs["origin_m"] = [-20.0, -20.0, -20.0]
        file.attrs["spacing_m"] = [20.0, 20.0, 20.0]
        file["velocity"] = np.linspace(1500, 3000, 12 * 8 * 16, dtype="f4").reshape(12, 8, 16)
        for name, places in (("source", [[100.0, 50.0, 10.0]]),
                             ("receiver", [[20.0 * i, 50.0, 20.0] for i in range(10)])):
            file[name] = np.arange(1, len(places) + 1)
            for axis, values in zip("xyz", np.transpose(places)):
                file[f"{name}_{axis}"] = values
        file.create_group("pressure")
        for step in steps:
            data = file["pressure"].create_dataset(
                f"step_{step:07}", data=np.random.default_rng(step).normal(size=(12, 8, 16))
            )
            data.attrs["time_s"] = step * 0.002
            data.attrs["step"] = step


def test_gathers(folder):
    write_gather(folder / "gather.csv")
    wiggles = folder / "w"
    check_picture(plot(folder, "--style", "wiggle", "--output", wiggles), wiggles / "gather.png", "wiggles")
    check_error(plot(folder, "--only", "snapshots"), "has no snapshots.h5", "no snapshots")
    for name, value in (("--clip", "0"), ("--wave-clip", "inf"), ("--gain", "nan"), ("--agc", "-1"),
                        ("--count", "1.5"), ("--dpi", "9")):
        check_error(plot(folder, "--style", "wiggle", name, value), f"{name} {value}: must be", name)
    # A run in progress: another name, the last line cut off.
    text = (folder / "gather.csv").read_text(encoding="utf-8")
    (folder / "gather.csv").unlink()
    (folder / "gather.part.csv").write_text(text[:-30], encoding="utf-8")
    result = plot(folder)
    check_picture(result, folder / "gather.png", "unfinished gather")
    check("gather.part.csv: unfinished" in result.stdout, f"it is told: {result.stdout}")
    (folder / "gather.part.csv").write_text("\n".join(text.splitlines()[:7]), encoding="utf-8")
    check_error(plot(folder), "holds no samples yet", "gather without samples")
    (folder / "gather.part.csv").unlink()
    lines = text.splitlines()
    (folder / "gather.csv").write_text("\n".join([*lines[:3], "# receiver_x_m,1,2,3", *lines[4:]]) + "\n",
                                       encoding="utf-8")
    check_error(plot(folder), "not equally many", "places")
    write_gather(folder / "gather.csv", receivers=1)
    check_picture(plot(folder), folder / "gather.png", "one receiver")


def test_lines_and_gain(folder):
    """Of interleaved lines the longest; a gain that shows what is a hundredth of the direct wave."""
    import xarray as xr
    from tessera_tools import gather_plot, plotting
    row = np.arange(5.0)
    x = np.concatenate([10 * row, 10 * row[:4], 10 * row[:4], np.full(3, 7.0)])
    y = np.concatenate([np.zeros(5), np.full(4, 20.0), np.full(4, 40.0), np.zeros(3)])
    z = np.concatenate([np.zeros(13), [5.0, 9.0, 13.0]])
    time = 0.004 * np.arange(250)
    wave = np.exp(-((time - 0.2) / 0.01)**2) + 0.01 * np.exp(-((time - 0.8) / 0.01)**2)
    shot = xr.Dataset({"pressure": (("time", "receiver"), np.outer(wave, np.ones(16))),
                       "sources": (("source", "place"), [[0.0, 0, 0]])},
                      {"time": time, "receiver": np.arange(1, 17),
                       **{name: ("receiver", at) for name, at in zip("xyz", (x, y, z))}})
    for number, first, count in ((None, 1, 5), (1, 1, 5), (2, 6, 4), (4, 14, 3), (0, 1, 16)):
        chosen, name = shots.line(shot, number)
        equal((int(chosen.receiver[0]), chosen.sizes["receiver"]), (first, count), f"line {number}")
        check(not name or f"receivers {first} to {first + count - 1} of 16" in name, name)
    raises(ToolError, lambda: shots.line(shot, 5), "4 lines", "no such line")
    even = gather_plot.balanced(shot.pressure.values, 50)[:, 0]
    check(even[200] > 0.3 * even[50] and abs(even[120]) < 1e-3, f"gain: {even[50]}, {even[200]}, {even[120]}")
    figure = gather_plot.draw_gather(shots.line(shot)[0])
    axes = figure.axes[0]
    check(axes.get_ylim()[1] == 0 and "(s)" in axes.get_ylabel() and "(m)" in axes.get_xlabel(), "axes from 0")
    equal(plotting.folder_for(ROOT / "results" / "host"), Path(), "nothing is drawn into results/")
    equal(plotting.beside(folder / "a.json"), folder / "a.png", "beside an input")


def test_snapshots(folder):
    for steps, plane in (([], ()), ([10], ("--slice", "x=40")), ([10, 20, 30], ("--slice", "z=100"))):
        write_snapshots(folder / "snapshots.h5", steps)
        check_picture(plot(folder, *plane), folder / "snapshots.png", f"steps {steps} {plane}")
    check_error(plot(folder, "--slice", "w=3"), "--slice w=3", "unknown axis")
    movie = folder / "movie.gif"
    result = plot(folder, "--only", "movie", "--movie", movie)
    check(result.returncode == 0 and movie.read_bytes()[:4] == b"GIF8", f"movie: {result.stderr}")
    check_error(plot(folder, "--movie", folder / "movie.avi"), ".gif or .mp4", "kind of movie")
    check_error(plot(folder, "--only", "movie"), "--movie", "a movie without a name")


def test_models(folder):
    """Of a deck, before the shot, and of a shot: without waves."""
    deck = ROOT / "inputs/shot-thrust.toml"
    check_picture(plot(deck, "--model", "--output", folder, "--tessera", TESSERA), folder / "model.png", "a deck")
    write_snapshots(folder / "snapshots.h5", [10])
    os.remove(folder / "model.png")
    check_picture(plot(folder, "--model", "--slice", "z=40"), folder / "model.png", "a shot")
    check_error(plot(deck, "--model", "--count", "3"), "--count", "beside --model")


def test_planes(folder):
    """From half a cell above the first sample, at -20, to half a cell below the last one; snapshots by
    steps, also where these have more digits than others."""
    steps = [9999990, 9999995, 10000000, 10000005]
    write_snapshots(folder / "snapshots.h5", steps)
    for place in ("y=131", "y=-31", "y=nan", "x=inf"):
        raises(ToolError, lambda: shots.snapshots(folder, place),  # noqa: B023
               f"--slice {place}: the snapshots lie from {place[0]}=-30 to", place)
    for place, found in (("y=130", 120), ("y=-30", -20), ("source", 40)):
        equal(float(shots.snapshots(folder, place).y), found, place)
    equal(shots.snapshots(folder).step.values.tolist(), steps, "snapshots in the order of steps")
    equal(shots.snapshots(folder, "source", 2).step.values.tolist(), [steps[0], steps[-1]],
          "the first and the last")
    # Outside of a window of snapshots "source" is its edge.
    with h5py.File(folder / "snapshots.h5", "a") as file:
        file["source_y"][0] = 5000.0
    equal(float(shots.snapshots(folder, plane="source").y), 120.0, "the plane nearest to the source")


def test_broken(folder):
    """Files of other layouts: one line each."""
    def other_rank(file):
        del file["velocity"]
        file["velocity"] = np.ones((3, 4))

    for change, part in (
            (other_rank, "[z, y, x]"), (lambda file: file.attrs.__setitem__("origin_m", [1.0, 2.0]), "snapshots.h5"),
            (lambda file: file.__delitem__("pressure"), "pressure"),
            (lambda file: file["pressure/step_0000010"].attrs.__delitem__("time_s"), "time_s")):
        write_snapshots(folder / "snapshots.h5", [10])
        with h5py.File(folder / "snapshots.h5", "a") as file:
            change(file)
        raises(ToolError, lambda: shots.snapshots(folder), part, f"snapshots: {part}")
    (folder / "snapshots.h5").write_text("not HDF5", encoding="utf-8")
    check_error(plot(folder), "snapshots.h5", "broken snapshots")
    check_error(plot(folder / "none"), "is not a directory", "missing directory")


run_tests(test_gathers, test_lines_and_gain, test_snapshots, test_models, test_planes, test_broken)
