# SPDX-License-Identifier: Apache-2.0
"""tools/plot_shot.py on small made-up shots, whole, unfinished and broken."""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, check_error, finish  # noqa: E402
from tool_calls import call, preload  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))

preload("h5py", "matplotlib.pyplot", "matplotlib.animation")


GAINS = ("nan", "-1", "0", "1e300")


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
    import h5py

    with h5py.File(path, "w") as file:
        file.attrs["origin_m"] = [-20.0, -20.0, -20.0]
        file.attrs["spacing_m"] = [20.0, 20.0, 20.0]
        file["velocity"] = np.linspace(1500, 3000, 12 * 8 * 16, dtype="f4").reshape(12, 8, 16)
        file["sources_m"] = [[100.0, 50.0, 10.0]]
        file["receivers_m"] = [[20.0 * i, 50.0, 20.0] for i in range(10)]
        file.create_group("pressure")
        for step in steps:
            data = file["pressure"].create_dataset(
                f"step_{step:07}", data=np.random.default_rng(step).normal(size=(12, 8, 16))
            )
            data.attrs["time_s"] = step * 0.002
            data.attrs["step"] = step


def test_gathers(folder):
    write_gather(folder / "gather.csv")
    check_picture(plot(folder), folder / "gather.png", "gather")
    wiggles = folder / "w"
    check_picture(
        plot(folder, "--style", "wiggle", "--output", wiggles), wiggles / "gather.png", "wiggles"
    )
    check_error(plot(folder, "--only", "snapshots"), "has no snapshots.h5", "no snapshots")
    check_error(plot(folder, "--clip", "0"), "--clip", "clip of 0")
    numbers = {"--clip": ("nan", "101"), "--wave-clip": ("inf", "-1"), "--gain": GAINS,
               "--time-power": ("nan", "inf", "1e5", "-1", "x"), "--count": ("0", "1.5", "nan"),
               "--dpi": ("9", "1e2", "100000")}
    for name, values in numbers.items():
        for value in values:
            check_error(plot(folder, "--style", "wiggle", name, value), f"{name} {value}: must be",
                        f"{name} {value}")
    # A run in progress: another name, the last line cut off.
    text = (folder / "gather.csv").read_text(encoding="utf-8")
    (folder / "gather.csv").unlink()
    (folder / "gather.png").unlink()
    (folder / "gather.part.csv").write_text(text[:-30], encoding="utf-8")
    check_picture(plot(folder), folder / "gather.png", "unfinished gather")
    (folder / "gather.part.csv").write_text("\n".join(text.splitlines()[:7]), encoding="utf-8")
    check_error(plot(folder), "holds no samples yet", "gather without samples")
    (folder / "gather.part.csv").unlink()
    for changed, part in (("# receiver_x_m,1,2,3", "not equally many"), ("", "not equally many")):
        write_gather(folder / "gather.csv")
        lines = (folder / "gather.csv").read_text(encoding="utf-8").splitlines()
        lines[3] = changed or "# receiver_z_m,1"
        (folder / "gather.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        check_error(plot(folder), part, f"places: {changed}")
    write_gather(folder / "gather.csv", receivers=1)
    check_picture(plot(folder), folder / "gather.png", "one receiver")


def test_unfinished(folder):
    """Growing files are drawn, and told."""
    write_gather(folder / "gather.part.csv")
    os.utime(folder / "gather.part.csv", (1000, 1000))
    result = plot(folder)
    check_picture(result, folder / "gather.png", "a run in progress")
    check("gather.part.csv: unfinished" in result.stdout, f"it is told: {result.stdout}")


def test_snapshots(folder):
    (folder / "gather.csv").unlink()
    planes = {"y": [], "z": ["--slice", "z=100"], "x": ["--slice", "x=40"]}
    for steps, plane in (([], "y"), ([10], "x"), ([10, 20, 30, 40, 50], "z")):
        write_snapshots(folder / "snapshots.h5", steps)
        result = plot(folder, *planes[plane])
        check_picture(result, folder / "snapshots.png", f"steps {steps} in plane {plane}")
    check_error(plot(folder, "--slice", "w=3"), "--slice w=3", "unknown axis")
    # From half a cell above the first sample, at -20, to half a cell below the last one.
    for place in ("y=9999", "y=131", "y=-31", "y=nan", "z=-1e9", "x=inf"):
        axis = place[0]
        check_error(plot(folder, "--slice", place), f"--slice {place}: the snapshots lie from {axis}=-30 to",
                    place)
    for place in ("y=130", "y=-30"):
        check_picture(plot(folder, "--slice", place), folder / "snapshots.png", f"the edge {place}")
    movie = folder / "movie.gif"
    result = plot(folder, "--only", "movie", "--movie", movie)
    check(result.returncode == 0 and movie.read_bytes()[:4] == b"GIF8", f"movie: {result.stderr}")
    check_error(plot(folder, "--movie", folder / "movie.avi"), ".gif or .mp4", "kind of movie")
    check_error(plot(folder, "--only", "movie"), "--movie", "a movie without a name")
    test_order_of_snapshots(folder)
    broken_snapshots(folder)
    (folder / "snapshots.h5").write_text("not HDF5", encoding="utf-8")
    check_error(plot(folder), "snapshots.h5", "broken snapshots")


def test_order_of_snapshots(folder):
    """By steps, also where these have more digits than others."""
    from tessera_tools import shots

    steps = [9999990, 9999995, 10000000, 10000005]
    write_snapshots(folder / "snapshots.h5", steps)
    check(shots.snapshots(folder).step.values.tolist() == steps, "snapshots in the order of steps")
    taken = shots.snapshots(folder, plane="source", count=2).step.values.tolist()
    check(taken == [steps[0], steps[-1]], f"the first and the last: {taken}")
    # Outside of a window of snapshots "source" is its edge.
    import h5py
    with h5py.File(folder / "snapshots.h5", "a") as file:
        file["sources_m"][0, 1] = 5000.0
    check(float(shots.snapshots(folder, plane="source").y) == 120.0, "the plane nearest to the source")


def broken_snapshots(folder):
    """Files of other layouts: one line each."""
    import h5py

    def other_rank(file):
        del file["velocity"]
        file["velocity"] = np.ones((3, 4))

    def other_shape(file):
        file["pressure"]["step_0000020"] = np.ones((2, 2, 2))

    for change, part in (
            (other_rank, "[z, y, x]"), (other_shape, "not of the velocity's shape"),
            (lambda file: file.attrs.__setitem__("origin_m", [1.0, 2.0]), "origin_m"),
            (lambda file: file.attrs.__setitem__("spacing_m", [1.0, 0.0, 1.0]), "above 0"),
            (lambda file: file.__delitem__("pressure"), "pressure"),
            (lambda file: file["pressure/step_0000010"].attrs.__delitem__("time_s"), "time_s")):
        write_snapshots(folder / "snapshots.h5", [10])
        with h5py.File(folder / "snapshots.h5", "a") as file:
            change(file)
        check_error(plot(folder), part, f"snapshots: {part}")


def main():
    check("examples:" in plot("--help").stdout, "--help has examples")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_error(plot(folder / "none"), "is not a directory", "missing directory")
        check_error(plot(folder), "has no gather.csv", "empty directory")
        test_unfinished(folder)
        test_gathers(folder)
        try:
            test_snapshots(folder)
        except ImportError as error:
            print(f"skipped: snapshots ({error})")
    finish()


if __name__ == "__main__":
    main()
