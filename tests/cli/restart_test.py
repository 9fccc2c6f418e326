# SPDX-License-Identifier: Apache-2.0
"""A shot that was stopped or killed, at any moment and often, goes on with --restart and leaves the
files of one that never was, byte by byte. Checkpoints of other shots are refused."""

import os
import random
import signal
import tempfile
import time
from pathlib import Path

import h5py

from killed_shots import (contents, differences, goes_on, killed_behind_checkpoint, step_of,
                          wait_for_checkpoint)
from trust_common import into, shot_deck, source_at, spread, start, tessera, wait_for

# isort: split
from built import HAVE_SEGY  # trust_common knows where
from checks import check, finish, refused
from drawn import SEED, drawn

KILLS = int(os.environ.get("TESSERA_KILLS", "8"))
DECK = shot_deck((46, 42, 44), 301, 5, model={"kind": "random", "v_min": 1500.0, "v_max": 3000.0},
                 source=[source_at(150, 140, 60, 12.0), source_at(250, 140, 160, 10.0)],
                 receivers=[spread((0, 150, 50), (350, 150, 50), 9)], snapshots={"every": 37, "stride": 2},
                 shot={"checkpoint_every": 20})
FILES = ("gather.csv", *(["gather.sgy"] if HAVE_SEGY else []), "snapshots.h5", "snapshots.xdmf")
LONG = "case.steps=40000"


def shoot(deck, out, *more):
    return tessera(*into("shot", deck, out, *more))


def files_of(folder, changes):
    """The bytes of all files that a shot leaves."""
    names = [name for name in FILES if "snapshots.every=0" not in changes or "gather" in name]
    there = contents(folder, names)
    check(list(there) == names, f"{changes}: there are {list(there)}")
    return there


def expect_same(folder, wanted, text):
    for line in differences(folder, wanted):
        check(False, f"{text}: {line}")


def kill(process):
    """Whether the kill came before the process's end."""
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL


def killed(deck, place, chance, *changes):
    """Kills a shot behind a checkpoint, and another again and again; both are then let to end."""
    text = " ".join(changes)
    begin = time.time()
    check(shoot(deck, place / "whole", *changes).returncode == 0, f"{text}: uninterrupted")
    seconds = time.time() - begin
    wanted = files_of(place / "whole", changes)
    # 1. One that certainly has a checkpoint.
    once = place / "once"
    step = killed_behind_checkpoint(once, lambda: start(*into("shot", deck, once, *changes)), kill)
    with h5py.File(once / "checkpoint.h5", "r") as file:
        check((file["u"].dtype == "u2") == ("storage" in text), f"{text}: {file['u'].dtype}")
    end = shoot(deck, once, "--restart", *changes)
    check(end.returncode == 0 and step > 0 and goes_on(end, step),
          f"{text}: killed behind step {step}: {end.stdout}{end.stderr}")
    expect_same(once, wanted, f"{text}: once")
    # 2. At any moment.
    out = place / "killed"
    for _ in range(KILLS):
        process = start(*into("shot", deck, out, "--restart", *changes))
        time.sleep(chance.uniform(0, seconds))
        kill(process)
    left = step_of(out)
    end = shoot(deck, out, "--restart", *changes)
    complete = "this shot is complete" in end.stdout  # the last one was killed behind its end
    check(end.returncode == 0 and (complete or goes_on(end, left) == (left > 0)),
          f"{text}: with a checkpoint at step {left}: {end.stdout}{end.stderr}")
    expect_same(out, wanted, text)


def stopped(deck, place, *changes):
    """SIGTERM leaves whole files and a checkpoint at the step that they end with."""
    out = place / "stopped"
    process = start(*into("shot", deck, out, *changes))
    wait_for_checkpoint(process, out)
    process.terminate()
    process.communicate()
    if process.returncode == 0:
        return  # it was faster
    check(process.returncode == 143, f"stopped: {process.returncode}")
    step = step_of(out)
    with h5py.File(out / "checkpoint.h5", "r") as file:
        check(file["samples"].shape == (step, 9) and file["u"].shape == (44, 42, 46),
              f"shapes of the checkpoint: {file['samples']} {file['u']}")
    check(len((out / "gather.csv").read_text("utf-8").splitlines()) == 7 + step, f"{step} samples")
    end = shoot(deck, out, "--restart", *changes)
    check(goes_on(end, step), end.stdout + end.stderr)
    expect_same(out, files_of(place / "whole", changes), "stopped")
    again = shoot(deck, out, "--restart", *changes)
    check(again.returncode == 0 and "this shot is complete" in again.stdout, f"again: {again.stderr}")


def others(deck, place):
    """A checkpoint is for its own shot alone, and is never lost."""
    out = place / "others"
    process = start(*into("shot", deck, out, LONG))
    wait_for_checkpoint(process, out)
    kill(process)
    path = out / "checkpoint.h5"
    stored = path.read_bytes()
    for changes, what in ((("case.nx=47", LONG), "grid"), (("model.seed=2", LONG), "model"),
                          (("snapshots.every=36", LONG), "snapshots"), (("case.steps=3",), "3")):
        for more in ((), ("--dry-run",)):
            refused(shoot(deck, out, "--restart", *changes, *more), str(out), what)
    check(path.read_bytes() == stored, "a refused checkpoint was changed")
    with h5py.File(path, "r") as file:
        at = file["u"].id.get_offset() + file["u"].id.get_storage_size() // 2
    damaged = bytearray(stored)
    damaged[at] ^= 4  # which HDF5 does not notice
    for data, what in ((stored[:len(stored) // 2], "cut off"), (damaged, "u")):
        path.write_bytes(data)
        for more in ((), ("--dry-run",)):
            refused(shoot(deck, out, "--restart", LONG, *more), "checkpoint", what, "remove it")
    path.write_bytes(stored)
    good = shoot(deck, out, "--restart", LONG, "--dry-run")
    check(good.returncode == 0 and path.read_bytes() == stored, f"a dry run of it: {good.stderr}")
    # Other steps and another variant do go on; the last bits may then differ.
    longer = shoot(deck, out, "--restart", "shot.variant=acoustic/naive:default")
    check(longer.returncode == 0 and "continues" in longer.stdout, longer.stdout + longer.stderr)
    refused(shoot(deck, out, "--restart", "case.steps=500"), "301", "-o")


def stopped_early(deck, place):
    """SIGTERM while the places of many snapshots are set aside: at once, and nothing stays."""
    out = place / "early"
    process = start(*into("shot", deck, out, "case.steps=300000", "snapshots.every=1",
                          "snapshots.stride=1000", "output.segy=false", "shot.checkpoint_every=0"))
    wait_for((out / "snapshots.part.h5.tmp").exists, "snapshots get their places")
    begin = time.time()
    process.terminate()
    process.communicate(timeout=120)
    check(process.returncode == 143 and time.time() - begin < 20,
          f"early: status {process.returncode} after {time.time() - begin:.1f} s")
    check(not out.exists(), "early: a folder is left")


def says_early(deck, place):
    """A shot that would record nothing is refused; one that will record zeros is warned of."""
    out = place / "early-words"
    nothing = ("output.csv=false", "output.segy=false", "snapshots.every=500")
    for more in ((), ("--dry-run",)):
        refused(shoot(deck, out, *nothing, *more), "nothing would be recorded")
    check(not out.exists(), "a refused shot leaves a folder")
    source = "source=[{{x=150, y=140, z=60, f_peak=12, {}}}]"
    for change, what in (
            (source.format("t0=50"), "after the end"), (source.format("amplitude=0"), "amplitude"),
            (source.format("amplitude=1e-36"), "digits"),
            ("receivers={start=[0, 0.15, 0.05], end=[0.35, 0.15, 0.05], count=9}", "km?"),
            ('model={kind="layered", tops=[0, 0.2], v=[1500, 2000]}', "model.tops")):
        result = shoot(deck, out, change, "--dry-run")
        check(result.returncode == 0 and result.stderr.count(what) == 1,
              f"{change}: {result.stderr}")


def main():
    print(f"TESSERA_TEST_SEED={SEED}")
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        deck = root / "shot.toml"
        deck.write_text(DECK, encoding="utf-8")
        chance = random.Random(SEED)
        cases = [(), ("shot.checkpoint_every=1", "acoustic.free_surface=true"),
                 ('shot.checkpoint_every="0.02s"', "acoustic.decomposition=seven_concurrent"),
                 ("snapshots.every=0", "case.precision=double", "shot.checkpoint_every=7"),
                 ("acoustic.storage=half_difference", "shot.variant=acoustic/naive:default"),
                 ("acoustic.storage=half", "acoustic.layers=convolutional", "shot.checkpoint_every=7")]
        # Pairs of steps, which run on devices.
        for pair in ("acoustic/two_step:56x24,copies=bulk", "acoustic/two_step:56x16,copies=threads"):
            if shoot(deck, root / "none", f"shot.variant={pair}", "--dry-run").returncode == 0:
                cases.insert(0, ("shot.checkpoint_every=7", f"shot.variant={pair}"))
        for number, changes in enumerate(drawn(cases, "kinds of shots")):
            killed(deck, root / str(number), chance, *changes)
            if number == 0:
                stopped(deck, root / "0", *changes)
        others(deck, root)
        stopped_early(deck, root)
        says_early(deck, root)
    finish()


if __name__ == "__main__":
    main()
