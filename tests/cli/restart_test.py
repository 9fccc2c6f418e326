# SPDX-License-Identifier: Apache-2.0
"""A shot that was stopped or killed, at any moment and often, goes on with --restart and leaves the
files of one that never was, byte by byte. Checkpoints of other shots are refused.

Arguments: the repository's root, the tessera binary.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

from killed_shots import (contents, differences, goes_on, killed_behind_checkpoint, step_of,
                          wait_for_checkpoint)

TESSERA = sys.argv[2]
sys.path.insert(0, str(Path(sys.argv[1]) / "tests" / "fixtures"))
from checks import check, finish, refused  # noqa: E402
from drawn import SEED, drawn  # noqa: E402
KILLS = int(os.environ.get("TESSERA_KILLS", "8"))
DECK = """[case]
nx = 46
ny = 42
nz = 44
steps = 401
[acoustic]
h = 10.0
pml_cells = 5
[model]
kind = "random"
v_min = 1500.0
v_max = 3000.0
[[source]]
x = 150.0
y = 140.0
z = 60.0
f_peak = 12.0
[[source]]
x = 250.0
y = 140.0
z = 160.0
f_peak = 10.0
[[receivers]]
start = [0, 150, 50]
end = [350, 150, 50]
count = 9
[snapshots]
every = 37
stride = 2
[shot]
checkpoint_every = 20
"""
FILES = ("gather.csv", "gather.sgy", "snapshots.h5", "snapshots.xdmf")
WITHOUT_SEGY = os.environ.get("TESSERA_HAVE_SEGY", "1") != "1"


def command(deck, out, *more):
    sets = [word for change in more if "=" in change for word in ("--set", change)]
    options = [word for word in more if "=" not in word]
    return [TESSERA, "shot", str(deck), "-o", str(out), *sets, *options]


def shoot(deck, out, *more):
    return subprocess.run(command(deck, out, *more), capture_output=True, text=True, check=False,
                          timeout=300)


def start(deck, out, *more):
    return subprocess.Popen(command(deck, out, *more), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def files_of(folder):
    """The bytes of all files that a shot leaves."""
    names = [name for name in FILES if not (WITHOUT_SEGY and name.endswith(".sgy"))]
    there = contents(folder, names)
    check(list(there) == names, f"{folder.name}: {list(there)} are there, {names} are required")
    return there


def expect_same(folder, wanted, text):
    for line in differences(folder, wanted):
        check(False, f"{text}: {line}")


def kill(process):
    """Whether the kill came before the process's end."""
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL


def killed(deck, place, random_times, *changes):
    """Kills a shot behind a checkpoint, and another again and again; both are then let to end."""
    text = " ".join(changes)
    check(shoot(deck, place / "whole", *changes).returncode == 0, f"{text}: uninterrupted")
    begin = time.time()
    check(shoot(deck, place / "twice", *changes).returncode == 0, f"{text}: a second time")
    seconds = time.time() - begin
    wanted = files_of(place / "whole")
    expect_same(place / "twice", wanted, f"{text}: twice")
    # 1. One that certainly has a checkpoint.
    step = killed_behind_checkpoint(place / "once", lambda: start(deck, place / "once", *changes),
                                    kill)
    end = shoot(deck, place / "once", "--restart", *changes)
    check(end.returncode == 0 and step > 0 and goes_on(end, step),
          f"{text}: killed behind step {step}: {end.stdout}{end.stderr}")
    expect_same(place / "once", wanted, f"{text}: once")
    # 2. At any moment.
    out = place / "killed"
    for _ in range(KILLS):
        process = start(deck, out, "--restart", *changes)
        time.sleep(random_times.uniform(0, seconds))
        kill(process)
    left = step_of(out)
    end = shoot(deck, out, "--restart", *changes)
    check(end.returncode == 0, f"{text}: {end.stderr}")
    complete = "this shot is complete" in end.stdout  # the last one was killed behind its end
    check(complete or goes_on(end, left) == (left > 0),
          f"{text}: with a checkpoint at step {left}: {end.stdout}")
    expect_same(out, wanted, text)
    again = shoot(deck, out, "--restart", *changes)
    check(again.returncode == 0 and "this shot is complete" in again.stdout,
          f"{text}: {again.stdout}{again.stderr}")


def stopped(deck, place):
    """SIGTERM leaves whole files and a checkpoint at the step that they end with."""
    out = place / "stopped"
    process = start(deck, out)
    wait_for_checkpoint(process, out)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    if process.returncode == 0:
        return  # it was faster
    check(process.returncode == 143, f"stopped: {process.returncode}")
    with h5py.File(out / "checkpoint.h5", "r") as file:
        step = int(file.attrs["step"])
        check(file["samples"].shape == (step, 9), f"samples of the checkpoint: {file['samples']}")
        check(file["u"].shape == (44, 42, 46), f"u of the checkpoint: {file['u']}")
    lines = (out / "gather.csv").read_text(encoding="utf-8").splitlines()
    check(len(lines) == 7 + step, f"{len(lines)} lines, {step} steps")
    end = shoot(deck, out, "--restart")
    check(f"continues from the checkpoint at step {step}" in end.stdout, end.stdout + end.stderr)
    expect_same(out, files_of(place / "whole"), "stopped")
    check('"restarted_at_step": ' in (out / "shot.json").read_text(encoding="utf-8"), "shot.json")


def others(deck, place):
    """A checkpoint is for its own shot alone, and is never lost."""
    out = place / "others"
    process = start(deck, out, "case.steps=40000")
    wait_for_checkpoint(process, out)
    kill(process)
    stored = (out / "checkpoint.h5").read_bytes()
    for change, what in (("case.nx=47", "its grid is"), ("acoustic.h=11", "its "),
                         ("acoustic.cfl=0.7", "its time step is"),
                         ("acoustic.pml_cells=4", "its PML is"),
                         ("case.precision=double", "its precision is"),
                         ("model.seed=2", "its model is"), ("source[1].f_peak=11", "its sources is"),
                         ("receivers.count=8", "its receivers is"),
                         ("snapshots.every=36", "its snapshots is"),
                         ("output.csv=false", "its outputs is"),
                         ("case.steps=3", "beyond the 3 of this deck")):
        changes = [change] if change.startswith("case.steps") else [change, "case.steps=40000"]
        if change.startswith("receivers"):
            changes = ["receivers={start=[0, 150, 50], end=[350, 150, 50], count=8}", *changes[1:]]
        for more in ((), ("--dry-run",)):
            refused(shoot(deck, out, "--restart", *changes, *more), str(out), what)
    check((out / "checkpoint.h5").read_bytes() == stored, "a refused checkpoint was changed")
    (out / "checkpoint.h5").write_bytes(stored[:len(stored) // 2])
    for more in ((), ("--dry-run",)):
        refused(shoot(deck, out, "--restart", "case.steps=40000", *more),
                "cannot read the checkpoint", "it is cut off", "remove it")
    with h5py.File(out / "checkpoint.h5", "w") as file:
        file["u"] = 1
    refused(shoot(deck, out, "--restart", "case.steps=40000"), "it lacks its attribute")
    # One byte of the values, which HDF5 does not notice.
    (out / "checkpoint.h5").write_bytes(stored)
    for name in ("u", "u_before", "phi", "samples"):
        with h5py.File(out / "checkpoint.h5", "r") as file:
            at = file[name].id.get_offset() + file[name].id.get_storage_size() // 2
        damaged = bytearray(stored)
        damaged[at] ^= 4
        (out / "checkpoint.h5").write_bytes(damaged)
        for more in ((), ("--dry-run",)):
            refused(shoot(deck, out, "--restart", "case.steps=40000", *more),
                    "samples are" if name == "samples" else f"its field {name} is", "damaged",
                    "remove it")
        (out / "checkpoint.h5").write_bytes(stored)
    good = shoot(deck, out, "--restart", "case.steps=40000", "--dry-run")
    check(good.returncode == 0 and (out / "checkpoint.h5").read_bytes() == stored,
          f"a dry run of what goes on: {good.stderr}")
    # Other steps and another variant do go on; the last bits may then differ.
    longer = shoot(deck, out, "--restart", "shot.variant=acoustic/naive:default")
    check(longer.returncode == 0 and "continues" in longer.stdout, longer.stdout + longer.stderr)
    refused(shoot(deck, out, "--restart", "case.steps=500"), "complete, of 401 steps", "-o")
    refused(shoot(deck, out), str(out), "--restart", "-o")


def stopped_early(deck, place):
    """SIGTERM while the places of many snapshots are set aside: at once, and nothing stays."""
    out = place / "early"
    process = start(deck, out, "case.steps=300000", "snapshots.every=1", "snapshots.stride=1000",
                    "output.segy=false", "shot.checkpoint_every=0")
    end = time.time() + 60
    while not (out / "snapshots.part.h5.tmp").exists() and time.time() < end:
        time.sleep(0.02)
    begin = time.time()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=120)
    check(process.returncode == 143 and time.time() - begin < 20,
          f"early: status {process.returncode} after {time.time() - begin:.1f} s")
    check("300000 snapshots" in said, f"early: {said}")
    check(not out.exists(), "early: a folder is left")


def says_early(deck, place):
    """A shot that would record nothing is refused; one that will record zeros is warned of."""
    out = place / "early-words"
    for changes in (("output.csv=false", "output.segy=false", "snapshots.every=0"),
                    ("output.csv=false", "output.segy=false", "snapshots.every=500"),
                    ("receivers=[]", "snapshots.every=500")):
        for more in ((), ("--dry-run",)):
            refused(shoot(deck, out, *changes, *more), "nothing would be recorded")
    check(not out.exists(), "a refused shot leaves a folder")
    source = "source=[{{x=150, y=140, z=60, f_peak=12, {}}}]"
    for change, what in (
            (source.format("t0=50"), "begins after the end of the run"),
            (source.format("amplitude=0"), "amplitude of every source is 0"),
            (source.format("amplitude=1e-36"), "has few digits or is 0"),
            ("receivers={start=[0, 0.15, 0.05], end=[0.35, 0.15, 0.05], count=9}", "km?"),
            ('model={kind="layered", tops=[0, 0.2], v=[1500, 2000]}', "model.tops")):
        result = shoot(deck, out, change, "--dry-run")
        check(result.returncode == 0 and result.stderr.count(what) == 1,
              f"{change}: {result.stderr}")


def refuses_bad_keys(deck, place):
    for value, part in (("-1", "is not between"), ('"soon"', "soon"), ("1.5", "an integer")):
        refused(shoot(deck, place / "bad", f"shot.checkpoint_every={value}"),
                "shot.checkpoint_every", part)
    check(not (place / "bad").exists(), "a refused deck leaves a folder")


print(f"TESSERA_TEST_SEED={SEED}")
with tempfile.TemporaryDirectory() as scratch:
    root = Path(scratch)
    path = root / "shot.toml"
    path.write_text(DECK, encoding="utf-8")
    chance = random.Random(SEED)
    cases = [(), ("shot.checkpoint_every=1", "acoustic.free_surface=true"),
             ('shot.checkpoint_every="0.02s"', "acoustic.decomposition=seven_concurrent"),
             ("snapshots.every=0", "case.precision=double", "shot.checkpoint_every=7")]
    # Pairs of steps, which run on devices.
    for pair in ("acoustic/two_step:56x24,copies=bulk", "acoustic/two_step:56x16,copies=threads"):
        if shoot(path, root / "none", f"shot.variant={pair}", "--dry-run").returncode == 0:
            cases.insert(2, ("shot.checkpoint_every=7", f"shot.variant={pair}"))
    # What stops and is refused below compares with the first one's files.
    for number, changes in enumerate([cases[0], *drawn(cases[1:], "kinds of shots")]):
        if "snapshots.every=0" in changes:
            FILES = FILES[:2]
        killed(path, root / str(number), chance, *changes)
    FILES = ("gather.csv", "gather.sgy", "snapshots.h5", "snapshots.xdmf")
    stopped(path, root / "0")
    others(path, root / "0")
    stopped_early(path, root)
    says_early(path, root)
    refuses_bad_keys(path, root)
finish()
