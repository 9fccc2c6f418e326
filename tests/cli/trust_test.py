# SPDX-License-Identifier: Apache-2.0
"""Nothing recorded is lost or mixed, what goes out can be believed, and it stops when it is told to.

Kinds of faults that programs of this field have had, each tried on the program as it is called.
Arguments: the repository's root, the tessera binary.
"""

import csv
import fcntl
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

ROOT, TESSERA = Path(sys.argv[1]), sys.argv[2]
SHOT = """[case]
nx = 41
ny = 41
nz = 41
steps = 60
[acoustic]
h = 10.0
pml_cells = 10
[model]
kind = "uniform"
v = 2000.0
[[source]]
x = 100.0
y = 100.0
z = 100.0
f_peak = 15.0
[[receivers]]
start = [0, 100, 50]
end = [200, 100, 50]
count = 5
[snapshots]
every = 20
stride = 2
"""
RUN = """[case]
family = "acoustic"
nx = 30
ny = 28
nz = 26
steps = 2
[acoustic]
pml_cells = 3
[select]
variants = ["acoustic/naive:default"]
[measure]
warmup_s = 0.0
"""
ENDLESS = ("--set", "case.steps=60000", "--set", "snapshots.every=0")
failures = []


def check(condition, text):
    """Notes a failure and goes on, so that one run tells them all."""
    if not condition:
        failures.append(text)
        print(f"FAILED: {text}")


def tessera(*arguments, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "errors": "replace", **options}
    return subprocess.run([TESSERA, *map(str, arguments)], check=False, timeout=300, **options)


def refused(result, *parts):
    """One line that says why, and a status that is not zero."""
    lines = [line for line in result.stderr.splitlines() if "warning:" not in line]
    check(result.returncode == 1 and len(lines) == 1 and len(lines[0]) < 700 and
          all(part in lines[0] for part in parts),
          f"{' '.join(map(str, result.args[1:4]))}: wanted {parts}, status {result.returncode}: "
          f"{result.stderr[:400]}")


def wait_for(condition, text, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.02)
    check(False, f"in {seconds} s: {text}")
    return False


def start(*arguments, **options):
    return subprocess.Popen([TESSERA, *map(str, arguments)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, errors="replace", **options)


def samples(path):
    """The lines of a gather that hold samples."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")][1:]


def test_reader(place):
    """A reader that holds the growing file, as h5py does, does not stop the shot."""
    shot = start("shot", place / "shot.toml", "-o", place / "out", "--set", "case.steps=3000",
                 "--set", "snapshots.every=25")
    part = place / "out" / "snapshots.part.h5"
    if wait_for(part.exists, "snapshots grow"):
        seen = 0
        while shot.poll() is None and part.exists():
            try:
                with h5py.File(part, "r") as file:
                    seen += int(file["snapshots_written"][()])
            except (OSError, RuntimeError, KeyError):
                continue  # it was being written, or has its name by now
        check(seen > 0, "what grows can be read")
    status = shot.wait()
    check(status == 0, f"read while it runs: {status} {shot.stderr.read()}")
    check(sorted(path.name for path in (place / "out").iterdir()) ==
          ["gather.csv", "gather.sgy", "shot.json", "snapshots.h5", "snapshots.xdmf"], "its files")


def test_two_writers(place):
    """One directory belongs to one shot, a result file to one run."""
    out = place / "out"
    first = start("shot", place / "shot.toml", "-o", out, *ENDLESS)
    wait_for((out / "gather.part.csv").exists, "the gather grows")
    refused(tessera("shot", place / "shot.toml", "-o", out), "is being written by process")
    first.send_signal(signal.SIGKILL)
    first.wait()
    # The lock died with its process.
    check(tessera("shot", place / "shot.toml", "-o", out).returncode == 0, "after a kill")
    with open(place / ".r.json.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused(tessera("run", place / "run.toml", "-o", place / "r.json"), "is being written")
        refused(tessera("machine", "--quick", "-o", place / "r.json"), "is being written")
        refused(tessera("tune", place / "run.toml", "-o", place / "r.json", "-w",
                        place / "w.json"), "is being written")


def test_kills(place):
    """Killed at any moment, what was recorded is whole, and the next shot leaves it alone."""
    out = place / "kills"
    grows, old = out / "snapshots.part.h5", None
    for i in range(int(os.environ.get("TESSERA_KILLS", "8"))):
        shot = start("shot", place / "shot.toml", "-o", out, "--set", "case.steps=60000", "--set",
                     "snapshots.every=10")
        wait_for(lambda old=old: grows.exists() and grows.stat().st_ino != old, "they grow")
        time.sleep(0.05 + 0.037 * (i % 12))
        shot.kill()
        shot.wait()
        width = 6
        lines = samples(out / "gather.part.csv")
        check(all(line.count(",") + 1 == width for line in lines[:-1]), f"kill {i}: the gather")
        try:
            with h5py.File(out / "snapshots.part.h5", "r") as file:
                written = int(file["snapshots_written"][()])
                fields = [file["pressure"][name][...]
                          for name in sorted(file["pressure"])[:written]]
            check(all(np.isfinite(field).all() for field in fields), f"kill {i}: finite fields")
            old = grows.stat().st_ino
        except OSError as error:
            check(False, f"kill {i}: snapshots: {error}")
    kept = len(list(out.glob("gather.part-*.csv")))
    check(kept >= 1, f"{kept} gathers of killed shots are kept")


def test_descriptors(place):
    """Closed and full standard streams."""
    out = place / "streams"
    for closed in ((1,), (2,), (0, 1, 2)):
        def close(closed=closed):
            for descriptor in closed:
                os.close(descriptor)
        kept = {n: subprocess.DEVNULL for n in (1, 2) if n not in closed}
        done = subprocess.run([TESSERA, "shot", str(place / "shot.toml"), "-o", str(out)],
                              check=False, preexec_fn=close, stdout=kept.get(1),
                              stderr=kept.get(2))
        check(done.returncode == (0 if closed == (2,) else 1), f"closed {closed}: {done.returncode}")
        lines = samples(out / "gather.csv")
        check(len(lines) == 60 and all(line.count(",") == 5 for line in lines),
              f"closed {closed}: only samples in the gather")
    commands = [("list",), ("describe", "acoustic/gmem"), ("--version",), ("--help",),
                ("predict", ROOT / "inputs/su-k20.toml", "--machine", "K20"),
                ("plan", "j2d5pt", "--machine", "A100"), ("verify", "acoustic/naive:default"),
                ("shot", place / "shot.toml", "--dry-run"),
                ("run", place / "run.toml", "-o", place / "full.json")]
    for command in commands:
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = tessera(*command, stdout=full)
        refused(result, "cannot write standard output", "No space left")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = tessera(*command[:1], "no-such-thing", stderr=full)
        told = command[0].startswith("--")  # asks nothing that could be wrong
        check(result.returncode == (0 if told else 1), f"{command[0]}, stderr full")
    check(json.loads((place / "full.json").read_text("utf-8"))["results"][0]["status"] == "valid",
          "a run whose table nobody took has its file")
    pipe = subprocess.Popen([TESSERA, "run", place / "run.toml", "-o", place / "pipe.json"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    pipe.stdout.close()
    check(pipe.wait() == 1 and (place / "pipe.json").exists(), "a pipe without a reader")


def test_bytes(place):
    """Text that is no UTF-8 ends no finished run; messages show what they were given."""
    name = os.fsencode(place) + b"/Pr\xe4zision"
    done = subprocess.run([TESSERA, b"shot", os.fsencode(place / "shot.toml"), b"-o", name],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(done.returncode == 0 and os.path.exists(name + b"/shot.json"), "a path in Latin-1")
    done = subprocess.run([TESSERA, b"run", b"n\xe4\n\x1b[31m.toml"], check=False,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    check(b"n\\xe4\\n\\x1b[31m.toml" in done.stderr and done.stderr.count(b"\n") == 1,
          f"what was typed: {done.stderr}")
    refused(tessera("run", place / "run.toml", "--set", "case.nx='" + 70000 * "x" + "'"), "case.nx")


def test_signals(place):
    """130 and 143 soon after the signal; what is told to be ignored is."""
    def end(arguments, number, ready, status, **options):
        process = start(*arguments, **options)
        wait_for(lambda: process.poll() is not None or ready(), f"{arguments[0]} is under way")
        began = time.time()
        process.send_signal(number)
        found = process.wait()
        check(found == status and time.time() - began < 5, f"{arguments[0]} {number}: {found} after "
              f"{time.time() - began:.1f} s: {process.stderr.read()[-200:]}")

    def later(seconds):
        begin = time.time()
        return lambda: time.time() - begin > seconds

    # With all of its roofs: they take ten seconds, in whatever time the other tests have theirs.
    slow = {key: value for key, value in os.environ.items() if key != "TESSERA_QUICK_ROOFS"}
    end(("machine",), signal.SIGINT, later(1), 130, env=slow)
    endless = ("run", place / "run.toml", "-o", place / "sig.json", "--set",
               "measure.repetitions=1000000")
    end(endless, signal.SIGTERM, later(1), 143)
    out = place / "signals"
    shot = ("shot", place / "shot.toml", "-o", out, *ENDLESS)
    end(shot, signal.SIGTERM, (out / "gather.part.csv").exists, 143)
    check((out / "gather.csv").exists(), "what there was has its name")
    ignoring = start("shot", place / "shot.toml", "-o", out, "--set", "case.steps=3000",
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    wait_for((out / "gather.part.csv").exists, "the gather grows")
    ignoring.send_signal(signal.SIGINT)
    check(ignoring.wait() == 0 and len(samples(out / "gather.csv")) == 3000, "an ignored signal")


def test_threads():
    for threads, setting in ((768, "OMP_NUM_THREADS"), (0, "KOKKOS_NUM_THREADS"),
                             ("abc", "KOKKOS_NUM_THREADS")):
        result = tessera("list", env={**os.environ, setting: str(threads)})
        if result.returncode != 0 or threads != 768:  # not on a build without threads
            refused(result, "OMP_NUM_THREADS=512" if threads == 768 else "whole number")


def set_all(*assignments):
    return [word for assignment in assignments for word in ("--set", assignment)]


def test_segy(place):
    """Where SEG-Y cannot hold the truth it is refused before the first step, in the dry run too."""
    if os.environ.get("TESSERA_HAVE_SEGY", "1") != "1":
        return
    cases = ((("case.steps=1000000",), ("32767", "output.segy = false")),
             (("acoustic.h=0.0001", "source[0].x=0.001", "source[0].y=0.001", "source[0].z=0.001",
               "source[0].f_peak=1e6", "receivers={start=[0, 0.001, 0.0005]}"),
              ("microsecond", "output.segy = false")))
    for assignments, parts in cases:
        for dry in ((), ("--dry-run",)):
            refused(tessera("shot", place / "shot.toml", "-o", place / "segy", *dry,
                            *set_all(*assignments)), *parts)
    check(not (place / "segy" / "gather.part.csv").exists(), "before the first step")
    fine = tessera("shot", place / "shot.toml", "-o", place / "segy",
                   *set_all(*cases[1][0], "output.segy=false"))
    check(fine.returncode == 0, f"without SEG-Y: {fine.stderr}")
    # Places on cells of 1 cm: to a millimetre.
    small = set_all("acoustic.h=0.01", "source={x=0.1, y=0.1, z=0.1, f_peak=15000}",
                    "receivers={start=[0.03, 0.1, 0.05]}")
    check(tessera("shot", place / "shot.toml", "-o", place / "segy", *small).returncode == 0,
          "cells of 1 cm")
    data = (place / "segy" / "gather.sgy").read_bytes()
    scalar, x = struct.unpack(">h", data[3670:3672])[0], struct.unpack(">i", data[3680:3684])[0]
    check(scalar < -100 and abs(x / -scalar - 0.03) < 1e-6, f"places: {x} / {scalar}")
    two = 'source=[{x=50, y=50, z=50, f_peak=15}, {x=150, y=50, z=50, f_peak=15}]'
    tessera("shot", place / "shot.toml", "-o", place / "segy", *set_all(two))
    text = (place / "segy" / "gather.sgy").read_bytes()[:3200].decode("cp037")  # EBCDIC
    check("2 SOURCES" in text and "SOURCE 2: 150 50 50" in text, f"sources are told: {text}")


def test_numbers(place):
    for assignment in ("receivers[0].start=[nan, 100, 50]", "source[0].x=inf", "acoustic.h=nan",
                       "source[0].amplitude=-inf", "receivers[0].start=[1e400, 1, 1]"):
        refused(tessera("shot", place / "shot.toml", "--dry-run", *set_all(assignment)), "--set")
    for assignment, part in (("model.v=2.5", "km/s?"), ("source[0].t0=0.0", "cut at its start")):
        result = tessera("shot", place / "shot.toml", "--dry-run",
                         *set_all(assignment, "output.segy=false"))
        check(part in result.stderr and result.returncode == 0, f"{assignment}: {result.stderr}")
    switched = tessera("shot", ROOT / "inputs/shot-thrust.toml", "--dry-run",
                       *set_all("model.kind=uniform", "model.v=2000"))
    check(switched.returncode == 0 and "2000 to 2000" in switched.stdout,
          f"another kind of model: {switched.stderr}")


def test_models(place):
    """Foreign files are untrusted, and count in the memory line."""
    large = place / "large.h5"
    with h5py.File(large, "w") as file:
        file.create_dataset("m", shape=(600, 600, 600), dtype="f4", chunks=(50, 50, 50),
                            fillvalue=2000)
        file.create_dataset("wraps", shape=(2**31, 2**31, 4), dtype="f4", chunks=(1, 1, 1))
        file.create_dataset("long", shape=(2**33, 2), dtype="f4", chunks=(1, 1))
        file.create_dataset("vast", shape=(30000, 30000, 1000), dtype="f4", chunks=(1, 1, 1))
    model = f'model={{kind="hdf5", file="{large}"}}'
    dry = tessera("shot", place / "shot.toml", "--dry-run", *set_all(model))
    line = next((line for line in dry.stdout.splitlines() if line.startswith("memory:")), "")
    check("0.8" in line.split("GiB")[0], f"the file counts: {line}")
    check("of the file only a part is used" in dry.stdout, "which part is used")

    def little():
        resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))
    if "ASAN_OPTIONS" not in os.environ:  # the sanitizer's shadow takes more than any limit
        refused(tessera("shot", place / "shot.toml", "--dry-run", *set_all(model),
                        preexec_fn=little), "large.h5", "0.80 GiB")
    for dataset, part in (("wraps", "no model"), ("long", "no model"), ("vast", "GiB")):
        refused(tessera("shot", place / "shot.toml", "--dry-run",
                        *set_all(model[:-1] + f', dataset="{dataset}"}}')), part)
    np.full(41**3, np.inf, dtype="<f4").tofile(place / "inf.raw")
    for quantity in ("velocity_m_s", "squared_slowness_s2_km2"):
        raw = f'model={{kind="raw", file="{place}/inf.raw", nx=41, ny=41, nz=41, ' \
              f'quantity="{quantity}"}}'
        refused(tessera("shot", place / "shot.toml", "--dry-run", *set_all(raw)), "inf.raw", "inf")


def test_names(place):
    """One name for two things, and names that cannot be written, before anything is measured."""
    run, out = place / "run.toml", place / "names"
    out.mkdir()
    for arguments, part in (
            (("run", run, "-o", out / "x.csv"), "two outputs"),
            (("run", run, "-o", run), "is read and would be"),
            (("tune", run, "-w", out / "w.json", "-o", out / "w.json"), "is read and would be"),
            (("run", run, "-o", out / (245 * "x" + ".json")), "too long"),
            (("machine", "-o", out), "is a directory")):
        refused(tessera(*arguments), part)
    check(not list(out.iterdir()) and run.read_text("utf-8") == RUN, "nothing was written")
    (out / "old.json").write_text("old", "utf-8")
    (out / "old.json").chmod(0o640)
    (out / "link.json").symlink_to("old.json")
    check(tessera("predict", ROOT / "inputs/su-k20.toml", "--machine", "K20", "-o",
                  out / "link.json").returncode == 0, "a link is followed")
    check((out / "link.json").is_symlink() and
          (out / "old.json").stat().st_mode & 0o777 == 0o640, "and modes are kept")
    before = set(Path("/dev").iterdir())
    check(tessera("run", run, "-o", "/dev/null").returncode == 0, "-o /dev/null")
    new = {path for path in set(Path("/dev").iterdir()) - before if "null" in path.name}
    check(not new, f"nothing beside /dev/null: {new}")


def test_foreign_files(place):
    """JSON nested without end, and decks that never end."""
    deep = place / "deep.json"
    deep.write_text('{"schema": ' + 65000 * "[" + 65000 * "]" + "}", "utf-8")
    low = ROOT / "inputs/su-k20.toml"
    for arguments in (("predict", low, "--machine", deep), ("plan", "j2d5pt", "--machine", deep),
                      ("compare", deep), ("compare", "--difference", deep, deep),
                      ("run", place / "run.toml", "--dry-run", "--tuned", deep),
                      ("run", place / "run.toml", "--dry-run", "--counters", deep)):
        refused(tessera(*arguments), "deep.json", "nests deeper")
    refused(tessera("run", "/dev/zero", "--dry-run"), "/dev/zero")
    fifo = place / "fifo"
    os.mkfifo(fifo)
    waiting = start("run", fifo, "--dry-run")
    time.sleep(0.5)
    waiting.terminate()
    check(waiting.wait(timeout=20) == -signal.SIGTERM, "a pipe that nobody writes into")


def p3_rules(rows):
    """What P3's metrics ask of a table (p3analysis.metrics: application_efficiency, pp): numbers,
    a best figure above 0 for each problem and platform, one efficiency in [0, 1] for each
    application and platform of a problem."""
    best = {}
    for row in rows:
        key = row["problem"], row["platform"]
        best[key] = max(best.get(key, 0.0), float(row["fom"]))
    seen = {}
    for row in rows:
        efficiency = float(row["fom"]) / best[row["problem"], row["platform"]]
        check(0 <= efficiency <= 1, f"an efficiency of {efficiency}")
        seen.setdefault((row["problem"], row["platform"], row["application"]), set()).add(efficiency)
    check(all(len(values) == 1 for values in seen.values()), "one figure an application")


def test_csv(place):
    """Rows without a figure break nobody's analysis; equal problems are equal texts."""
    out = place / "p3.json"
    result = tessera("run", place / "run.toml", "-o", out, *set_all(
        'select.variants=["acoustic/naive:default", "acoustic/gmem", "acoustic/smem_u"]',
        "case.nx=64", 'acoustic.decomposition=["single", "seven"]'))
    check(result.returncode == 0, f"a study: {result.stderr}")
    with open(out.with_suffix(".csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    check({row["status"] for row in rows} <= {"valid", "unsupported"} and rows, "rows")
    p3_rules(rows)
    check(all("pml_cells=3" in row["problem"] for row in rows), "the width of the PML is told")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "shot.toml").write_text(SHOT, "utf-8")
        (place / "run.toml").write_text(RUN, "utf-8")
        for test in (test_reader, test_two_writers, test_kills, test_descriptors, test_bytes,
                     test_signals, test_segy, test_numbers, test_models, test_names,
                     test_foreign_files, test_csv):
            begin = time.time()
            test(place)
            if "-v" in sys.argv:
                print(f"{test.__name__}: {time.time() - begin:.1f} s")
        test_threads()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
