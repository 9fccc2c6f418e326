# SPDX-License-Identifier: Apache-2.0
"""tools/traffic_study.py on small cubes and a made-up machine, whose caches they do not fit;
tools/plot_volumes.py of the paper's GPU and of counted runs."""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
TESSERA = sys.argv[2]
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, finish  # noqa: E402

VARIANTS = "low_order/baseline:32x4x*"  # builds with few configurations have two of them


def study(out, *arguments):
    command = [sys.executable, ROOT / "tools" / "traffic_study.py", "--tessera", TESSERA,
               "--out", out, "--sizes", "16", "24", "--kinds", "baseline", "--stencils", "7pt-1",
               "-v", VARIANTS, "--set", "measure.warmup_s=0", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check_error(result, part, text):
    check(result.returncode == 1, f"{text}: exit status 1, not {result.returncode}")
    lines = [line for line in result.stderr.splitlines() if not line.startswith("running ")]
    check(len(lines) == 1 and part in lines[0], f"{text}: one line with '{part}', not {lines}")


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def small_machine(folder):
    """The host of the published study with caches of a few KiB: every cube counts as large."""
    source = ROOT / "results" / "host" / "traffic-model" / "machine.json"
    machine = json.loads(source.read_text(encoding="utf-8"))
    for cache in machine["caches"]:
        cache["bytes"] //= 4096
    path = folder / "machine.json"
    path.write_text(json.dumps(machine), encoding="utf-8")
    return path


def test_study(folder, machine):
    out = folder / "study"
    result = study(out, "--machine", machine)
    check(result.returncode == 0, f"study: {result.stderr}")
    runs, errors = read(out / "runs.csv"), read(out / "errors.csv")
    measured = [row for size in (16, 24) for row in json.loads(
        (out / f"baseline-7pt-1-{size}.json").read_text(encoding="utf-8"))["results"]]
    # Every second one is not fitted to.
    check(len(measured) >= 4 and
          [run["judges"] for run in runs] == [str(i % 2) for i in range(len(measured))],
          f"runs.csv: {len(measured)} runs, of which every second judges")
    for size, row in zip(("16", "24", ""), errors):
        judged = [run for run in runs if run["judges"] == "1" and size in ("", run["size"])]
        expected = sum(abs(float(run["predicted_s"]) / float(run["seconds"]) - 1)
                       for run in judged) / len(judged)
        check(row["size"] == size and abs(float(row["time"]) - 100 * expected) < 0.1,
              f"errors.csv, size '{size}': {row['time']} % is the mean over runs that judge, "
              f"{100 * expected:.1f} %")
        check(row["V_GM"] == "-", "errors.csv: no counters, no error of volumes")
    for run, row in zip(runs, measured):
        times = sorted(row["samples_s"])
        check(abs(float(run["seconds"]) / times[len(times) // 2] - 1) < 1e-5,
              f"runs.csv, {run['name']}: the median of the result file's samples")
    check((out / "times-baseline-24.png").is_file(), "a plot")

    before = (out / "runs.csv").read_bytes()
    result = study(out, "--machine", machine, "--reuse")
    check(result.returncode == 0, f"--reuse: {result.stderr}")
    check((out / "runs.csv").read_bytes() == before, "--reuse: the same runs again")


def test_errors(folder, machine):
    check_error(study(folder / "none", "--machine", folder / "nothing.json"), "no such machine",
                "a machine file that is not there")
    check_error(study(folder / "none", "--machine", machine, "--tessera", folder / "nothing"),
                "cannot be run", "a program that is not there")
    check_error(study(folder / "none", "--machine", machine, "--set", "case.steps=none"),
                "case.steps", "a deck that cannot be run")


def volumes(out, *arguments):
    return subprocess.run([sys.executable, ROOT / "tools" / "plot_volumes.py", "--tessera", TESSERA,
                           "-o", out, *arguments], capture_output=True, text=True, check=False)


def test_nothing_to_reuse(folder, machine):
    """What is missing is said, and no folder is made for it."""
    out = folder / "empty"
    result = study(out, "--machine", machine, "--reuse")
    check_error(result, "empty has no result of these kinds, stencils and sizes, such as baseline-",
                "--reuse of an empty folder")
    check(not out.exists(), "no folder is left")


def test_volumes(folder):
    out = folder / "volumes"
    result = volumes(out)
    check(result.returncode == 0, f"plot_volumes.py: {result.stderr}")
    runs = ROOT / "results" / "nvidia-h100" / "traffic-model" / "runs.csv"
    result = volumes(out, "--machine", "H100", "--runs", runs, "--figures", "3", "4")
    check(result.returncode == 0, f"plot_volumes.py, with counters: {result.stderr}")
    for name in ("1-K20", "3-K20", "4-K20", "3-H100", "4-H100"):
        check((out / f"su-figure{name}.png").stat().st_size > 5000, f"figure {name}")
    check_error(volumes(out, "--runs", folder / "none.csv"), "none.csv", "runs that are not there")
    other = folder / "other.csv"
    other.write_text("kind,stencil\nbaseline,7pt-1\n", encoding="utf-8")
    check_error(volumes(out, "--runs", other), "no column", "another table")
    check_error(volumes(out, "--machine", "K21"), "K21", "a machine that is not there")
    # What is drawn, stored and drawn again without the program.
    stored, again = folder / "volumes.csv", folder / "again.csv"
    result = volumes(out, "--machine", "H100", "--runs", runs, "--save", stored)
    check(result.returncode == 0, f"plot_volumes.py --save: {result.stderr}")
    result = volumes(folder / "stored", "--stored", stored, "--save", again, "--tessera",
                     folder / "none")
    check(result.returncode == 0, f"plot_volumes.py --stored: {result.stderr}")
    check(stored.read_bytes() == again.read_bytes(), "a stored table is read as it was written")
    check((folder / "stored" / "su-figure4-H100.png").stat().st_size > 5000, "drawn from it")
    check_error(volumes(out, "--stored", other), "volumes.py --save", "no stored volumes")


with tempfile.TemporaryDirectory() as temporary:
    here = Path(temporary)
    made_up = small_machine(here)
    test_study(here, made_up)
    test_errors(here, made_up)
    test_nothing_to_reuse(here, made_up)
    test_volumes(here)
finish()
