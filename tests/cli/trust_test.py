# SPDX-License-Identifier: Apache-2.0
"""Nothing recorded is lost or mixed, and it stops on request.

Kinds of faults that programs of this field have had, each tried on the program as it is called."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import h5py

from trust_common import (ENDLESS, ROOT, TESSERA, run_tests, samples, set_all, start, tessera,
                          wait_for, whole_snapshots)

# isort: split
from built import HAVE_SEGY, SANITIZED  # trust_common knows where
from checks import check, refused

# From a signal to the end. Instrumented passes over the streams' arrays take several times as long.
MOST_SECONDS = 60 if SANITIZED else 5


def test_reader(place):
    """A reader that holds the growing file, as h5py does, does not stop the shot."""
    shot = start("shot", place / "shot.toml", "-o", place / "out", "--set", "case.steps=1500",
                 "--set", "snapshots.every=25")
    part = place / "out" / "snapshots.part.h5"
    if wait_for(part.exists, "snapshots grow"):
        seen = 0
        while shot.poll() is None and part.exists():
            time.sleep(0.01)
            try:
                with h5py.File(part, "r") as file:
                    seen += int(file["snapshots_written"][()])
            except (OSError, RuntimeError, KeyError):
                continue  # it was being written, or has its name by now
        check(seen > 0, "what grows can be read")
    status = shot.wait()
    check(status == 0, f"read while it runs: {status} {shot.stderr.read()}")
    check(sorted(path.name for path in (place / "out").iterdir()) ==
          [".lock", "gather.csv", *(["gather.sgy"] if HAVE_SEGY else []), "run.json", "shot.json",
           "snapshots.h5", "snapshots.xdmf"], "its files")


def test_two_writers(place):
    """One folder belongs to one run at a time, and the lock dies with its process."""
    out = place / "two"
    shot = ("shot", place / "shot.toml", "-o", out, *ENDLESS)
    first = start(*shot)
    wait_for((out / "gather.part.csv").exists, "the gather grows")
    refused(tessera(*shot), str(out), "--restart", "-o")
    refused(tessera(*shot, "--restart"), "another process")
    first.send_signal(signal.SIGKILL)
    first.wait()
    refused(tessera(*shot), str(out), "--restart", "-o")
    done = tessera("shot", place / "shot.toml", "-o", out, "--restart", *set_all("snapshots.every=0"))
    check(done.returncode == 0, f"after a kill: {done.stderr}")


def test_kills(place):
    """Killed at any moment, what was recorded is whole."""
    for i in range(int(os.environ.get("TESSERA_KILLS", "8"))):
        out = place / f"kill-{i}"
        shot = start("shot", place / "shot.toml", "-o", out, "--set", "case.steps=60000", "--set",
                     "snapshots.every=10")
        wait_for((out / "snapshots.part.h5").exists, "they grow")
        time.sleep(0.05 + 0.037 * (i % 12))
        shot.kill()
        shot.wait()
        lines = samples(out / "gather.part.csv")
        check(all(line.count(",") == 5 for line in lines[:-1]), f"kill {i}: the gather")
        try:
            whole_snapshots(out / "snapshots.part.h5")
        except (OSError, AssertionError) as error:
            check(False, f"kill {i}: snapshots: {error}")
        check(json.loads((out / "run.json").read_text("utf-8"))["state"] == "running", "its state")


def test_descriptors(place):
    """Closed and full standard streams."""
    for number, closed in enumerate(((1,), (2,), (0, 1, 2))):
        out = place / f"streams-{number}"
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
    for command in (("list",), ("--version",), ("predict", ROOT / "inputs/su-k20.toml", "-m", "K20"),
                    ("shot", place / "shot.toml", "--dry-run"),
                    ("run", place / "run.toml", "-o", place / "full")):
        with open("/dev/full", "w", encoding="utf-8") as full:
            refused(tessera(*command, stdout=full), "standard output", "No space left")
    with open("/dev/full", "w", encoding="utf-8") as full:
        check(tessera("list", "no-such-thing", stderr=full).returncode == 1, "stderr full")
    check(json.loads((place / "full/result.json").read_text("utf-8"))["results"][0]["status"] == "valid",
          "a run whose table nobody took has its file")
    pipe = subprocess.Popen([TESSERA, "run", place / "run.toml", "-o", place / "pipe"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pipe.stdout.close()
    said = pipe.stderr.read()
    check(pipe.wait() == 0 and not said and (place / "pipe/result.json").exists(),
          f"a pipe whose reader has seen enough: {said}")


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


def catches(process, number):
    """Whether a process handles a signal, or has ended."""
    status = Path(f"/proc/{process.pid}/status").read_text("ascii")
    mask = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return process.poll() is not None or int(mask.split()[1], 16) >> number - 1 & 1


def test_signals(place):
    """130 and 143 soon after the signal; what is told to be ignored is."""
    def end(arguments, number, ready, status, **options):
        process = start(*arguments, **options)
        wait_for(lambda: process.poll() is not None or (ready() and catches(process, number)),
                 f"{arguments[0]} is under way")
        began = time.time()
        process.send_signal(number)
        found = process.wait()
        check(found == status and time.time() - began < MOST_SECONDS, f"{arguments[0]} {number}: {found} after "
              f"{time.time() - began:.1f} s: {process.stderr.read()[-200:]}")

    def later(seconds):
        begin = time.time()
        return lambda: time.time() - begin > seconds

    # Below a job in the background the signal is ignored, and what is started inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # With all of its roofs: they take ten seconds, in whatever time the other tests have theirs.
    slow = {key: value for key, value in os.environ.items() if key != "TESSERA_QUICK_ROOFS"}
    # Of a virtual machine whose cores each report an L3 that no processor has, where there is hwloc.
    slow["HWLOC_SYNTHETIC"] = "package:1 l3:2(size=4294967296) core:1 l2:1(size=1048576) pu:1"
    end(("machine",), signal.SIGINT, later(1), 130, env=slow)
    endless = ("run", place / "run.toml", "-o", place / "sig", "--set",
               "measure.repetitions=1000000")
    end(endless, signal.SIGTERM, later(1), 143)
    out = place / "signals"
    shot = ("shot", place / "shot.toml", "-o", out, *ENDLESS)
    end(shot, signal.SIGTERM, (out / "gather.part.csv").exists, 143)
    check((out / "gather.csv").exists(), "what there was has its name")
    other = place / "hangup"
    end(("shot", place / "shot.toml", "-o", other, *ENDLESS), signal.SIGHUP,
        (other / "gather.part.csv").exists, 128 + signal.SIGHUP)
    check((other / "gather.csv").exists(), "what there was at a SIGHUP")
    out = place / "ignoring"
    ignoring = start("shot", place / "shot.toml", "-o", out, "--set", "case.steps=1500",
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    wait_for((out / "gather.part.csv").exists, "the gather grows")
    ignoring.send_signal(signal.SIGINT)
    check(ignoring.wait() == 0 and len(samples(out / "gather.csv")) == 1500, "an ignored signal")


def test_dry_runs(place):
    """A dry run that is told to stop says so: here while nobody takes what it prints."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    try:
        while True:
            os.write(writes, 4096 * b" ")
    except BlockingIOError:
        os.set_blocking(writes, True)
    process = subprocess.Popen([TESSERA, "run", str(place / "run.toml"), "--dry-run"], stdout=writes,
                               stderr=subprocess.DEVNULL)
    wait_for(lambda: catches(process, signal.SIGTERM), "it catches SIGTERM")
    process.terminate()
    check(process.wait(timeout=60) == 143, f"run --dry-run: {process.returncode}")
    os.close(writes)
    os.close(reads)


def test_foreign_files(place):
    """JSON nested without end, and decks that never end."""
    deep = place / "deep.json"
    deep.write_text('{"schema": ' + 65000 * "[" + 65000 * "]" + "}", "utf-8")
    low = ROOT / "inputs/su-k20.toml"
    for arguments in (("predict", low, "--machine", deep),
                      ("run", place / "run.toml", "--dry-run", "--tuned", deep)):
        refused(tessera(*arguments), "deep.json", "nests deeper")
    refused(tessera("run", "/dev/zero", "--dry-run"), "/dev/zero")
    fifo = place / "fifo"
    os.mkfifo(fifo)
    waiting = start("run", fifo, "--dry-run")
    time.sleep(0.5)
    waiting.terminate()
    check(waiting.wait(timeout=20) == -signal.SIGTERM, "a pipe that nobody writes into")


if __name__ == "__main__":
    run_tests(test_reader, test_two_writers, test_kills, test_descriptors, test_bytes,
              test_signals, test_dry_runs, test_foreign_files)
