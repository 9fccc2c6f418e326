# SPDX-License-Identifier: Apache-2.0
"""A shot touches no files but its own: not those that no shot left, not those of a complete shot
before it is complete itself; and it goes on from no other's.

Arguments: the repository's root, the tessera binary.
"""

import json
import shutil
import signal

import h5py
from killed_shots import killed_behind_checkpoint
from trust_common import ENDLESS, run_tests, set_all, start, tessera, wait_for

# isort: split
from checks import check, equal, refused  # trust_common knows where

PLAIN = set_all("snapshots.every=0", "output.segy=false")
FOREIGN = ("snapshots.h5", "snapshots.xdmf", "gather.sgy")
MOVED = set_all("source[0].x=60")
LONG = set_all("case.steps=4000", "shot.checkpoint_every=20")


def test_foreign_files(place):
    """What no shot left stays, behind links too, and is named."""
    deck, out = place / "shot.toml", place / "foreign"
    out.mkdir()
    for name in FOREIGN:
        (out / name).write_text("mine", "utf-8")
    (place / "precious.h5").write_text("mine", "utf-8")
    (out / "snapshots.h5").unlink()
    (out / "snapshots.h5").symlink_to("../precious.h5")
    for _ in range(2):  # shot.json does not list them either
        done = tessera("shot", deck, "-o", out, *PLAIN)
        check(done.returncode == 0, f"beside foreign files: {done.stderr}")
        for name in FOREIGN:
            equal((out / name).read_text("utf-8"), "mine", name)
            check(f"{name} is left as it is" in str(done.stderr), f"{name}: {done.stderr}")
    # A shot's own, replaced by somebody else's.
    done = tessera("shot", deck, "-o", place / "own")
    (place / "own/snapshots.h5").write_text("mine", "utf-8")
    done = tessera("shot", deck, "-o", place / "own", *PLAIN)
    check(done.returncode == 0 and (place / "own/snapshots.h5").exists() and
          not (place / "own/snapshots.xdmf").exists(), f"replaced: {done.stderr}")
    refused(tessera("shot", deck, "--set", "output.directory="'""'), "output.directory", "is empty")


def test_ended_early(place):
    """The files of a complete shot stay until another one is complete."""
    deck, out = place / "shot.toml", place / "early"
    tessera("shot", deck, "-o", out, "--set", "output.segy=false")
    kept = {name: (out / name).read_bytes() for name in ("snapshots.h5", "snapshots.xdmf")}
    process = start("shot", deck, "-o", out, "--set", "output.segy=false", *ENDLESS)
    wait_for((out / "gather.part.csv").exists, "a second shot begins")
    process.send_signal(signal.SIGINT)
    process.communicate()
    equal(process.returncode, 130, "interrupted")
    overflow = tessera("shot", deck, "-o", out, *PLAIN,
                       *set_all("source[0].amplitude=1e38", "acoustic.h=0.1", "source[0].x=1",
                                "source[0].y=1", "source[0].z=1", "source[0].f_peak=1500",
                                "receivers={start=[1, 1, 1]}"))
    check("u is not finite" in overflow.stderr and "there stays snapshots.h5" in overflow.stderr,
          f"not finite: {overflow.stderr}")
    for name, content in kept.items():
        equal((out / name).exists() and (out / name).read_bytes(), content, name)
    equal(sorted(json.loads((out / "shot.json").read_text("utf-8"))["earlier_file_bytes"]),
          sorted(kept), "earlier files")
    done = tessera("shot", deck, "-o", out, *PLAIN)
    check(done.returncode == 0 and not any((out / name).exists() for name in kept),
          f"complete: {done.stderr} {list(out.iterdir())}")


def kill(process):
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL


def test_snapshots_of_others(place):
    """A shot goes on with its own snapshots alone; a dry run says so too."""
    deck, out = place / "shot.toml", place / "others"
    tessera("shot", deck, "-o", place / "a")
    own = ("shot", deck, "-o", out, *MOVED, *LONG)
    killed_behind_checkpoint(out, lambda: start(*own), kill)
    part, growing = (out / "snapshots.part.h5").read_bytes(), out / "snapshots.part.h5"

    def refused_both(*parts):
        before = (out / "checkpoint.h5").read_bytes()
        for more in ((), ("--dry-run",)):
            refused(tessera(*own, "--restart", *more), "remove the checkpoint", *parts)
        equal((out / "checkpoint.h5").read_bytes(), before, "the checkpoint")

    # Of another shot, complete or growing; of none; of an older version.
    with h5py.File(out / "checkpoint.h5", "r") as file:
        check(20 <= file.attrs["step"] <= 60, f"step {file.attrs['step']}")
    for path in list(out.glob("*.part.*")):
        path.unlink()
    for name in ("snapshots.h5", "snapshots.xdmf", "shot.json"):
        shutil.copy(place / "a" / name, out / name)
    refused_both("snapshots.h5 has snapshots of another shot", "its sources is")
    (out / "snapshots.h5").rename(growing)
    refused_both("snapshots.part.h5 has snapshots of another shot", "its sources is")
    growing.write_text("junk", "utf-8")
    refused_both("snapshots before the checkpoint are neither in")
    growing.write_bytes(part)
    with h5py.File(growing, "r+") as file:
        del file.attrs["identity"]
    refused_both("an older version wrote it")
    # Its own finished ones, beside somebody else's that grow.
    (out / "snapshots.h5").write_bytes(part)
    growing.write_text("junk", "utf-8")
    done = tessera("shot", deck, "-o", out, *MOVED, *set_all("case.steps=80"), "--restart")
    aside = list(out.glob("snapshots.part-*.h5"))
    check(done.returncode == 0 and "goes on from" in done.stdout and len(aside) == 1 and
          aside[0].read_text("utf-8") == "junk", f"goes on: {done.stderr} {aside}")
    # A complete shot leaves another one's checkpoint alone.
    shutil.copytree(place / "a", place / "both")
    killed_behind_checkpoint(out, lambda: start(*own), kill)
    shutil.copy(out / "checkpoint.h5", place / "both")
    done = tessera("shot", deck, "-o", place / "both", "--restart")
    check("is complete" in done.stdout and (place / "both/checkpoint.h5").exists(),
          f"another's checkpoint: {done.stdout}")
    # What is no shot.json is named with the way out.
    (place / "both/shot.json").write_text("{", "utf-8")
    refused(tessera("shot", deck, "-o", place / "both", "--restart"), "shot.json", "remove it")


if __name__ == "__main__":
    run_tests(test_foreign_files, test_ended_early, test_snapshots_of_others)
