# SPDX-License-Identifier: Apache-2.0
"""A shot with a reader that opens its files every second, a neighbour that writes into the same
directory, and a disk that fills: what is left.

The directory is a small file system of its own where that can be mounted (as root, or in a user's
own namespace); else a limit on the size of the shot's files stands for the full disk, and the
neighbour leaves the machine's own alone. The shot ends with an error where the disk is full, on the
way; everything that it recorded is whole and listed, the neighbour's files are as he wrote them, and
after he has made room `--restart` goes on and ends with what was recorded before as its beginning.
TESSERA_ENDURANCE_S says how long (20; nightly: 600). docs/trust.md has the table of what is left; it
is compared with what was found here."""

import hashlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import h5py
from trust_common import ROOT, TESSERA, UNIFORM, shot_deck, source_at, spread, whole_snapshots

# isort: split
from checks import check, finish  # trust_common knows where

SECONDS = float(os.environ.get("TESSERA_ENDURANCE_S", "20"))
INNER = "TESSERA_ENDURANCE_INNER"
LIMIT = 8 << 20  # bytes of a file: more than the checkpoint and the snapshots take


def deck_text(steps, every, checkpoint_s, receivers):
    return shot_deck((70, 70, 70), steps, 20, model=UNIFORM, source=[source_at(150, 150, 150, 15.0)],
                     receivers=[spread((0, 150, 50), (280, 150, 50), receivers)],
                     snapshots={"every": every, "stride": 4},
                     shot={"checkpoint_every": f"{checkpoint_s:g} s"}, output={"segy": False})


def whole_lines(path):
    """Samples of a gather; a last line that is still being written is none."""
    lines = path.read_text("utf-8").split("\n")
    check(lines[-1] == "", f"{path.name} ends within a line")
    rows = [line for line in lines[:-1] if line and not line.startswith("#")][1:]
    check(len({row.count(",") for row in rows}) <= 1, f"{path.name}: lines of several lengths")
    return rows


class Reader(threading.Thread):
    """Opens every file of the shot, each second, as h5py and a spreadsheet do."""

    def __init__(self, out):
        super().__init__(daemon=True)
        self.out, self.ends, self.seen, self.most = out, threading.Event(), 0, 0

    def run(self):
        while not self.ends.wait(min(1.0, SECONDS / 20)):
            for path in sorted(self.out.glob("shot/*.part.*")):
                try:
                    if path.suffix == ".h5" and "snapshots" in path.name:
                        with h5py.File(path, "r") as file:
                            self.most = max(self.most, int(file["snapshots_written"][()]))
                            time.sleep(0.05)  # held open while the shot writes
                    else:
                        path.read_bytes()
                    self.seen += 1
                except (OSError, KeyError, RuntimeError):
                    continue  # it was being made, or has its name by now


class Neighbour(threading.Thread):
    """Writes files of his own, now and then anew, and fills the disk after so many seconds if he is
    told to: never one that others use."""

    def __init__(self, out, fills_at):
        super().__init__(daemon=True)
        self.out, self.fills_at, self.ends = out, fills_at, threading.Event()
        self.sums, self.written = {}, 0

    def put(self, name, data):
        part = self.out / f"{name}.new"
        try:
            part.write_bytes(data)
            part.replace(self.out / name)
        except OSError:
            part.unlink(missing_ok=True)
            return False
        self.sums[name] = hashlib.sha256(data).hexdigest()
        self.written += 1
        return True

    def run(self):
        begin, count = time.time(), 0
        while not self.ends.wait(0.2):
            self.put(f"neighbour-{count % 3}.dat", os.urandom(20000 + count % 7))
            count += 1
            if self.fills_at is not None and time.time() - begin > self.fills_at:
                self.fill()

    def fill(self):
        size = 1 << 20
        with open(self.out / "neighbour-ballast.dat", "ab", buffering=0) as ballast:
            while size >= 1:
                try:
                    if ballast.write(bytes(size)) < size:
                        size //= 2
                except OSError:
                    size //= 2


def start(deck, out, *more, limit=None):
    def set_limit():
        if limit:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.Popen([TESSERA, "shot", str(deck), "-o", str(out), *more],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            errors="replace", preexec_fn=set_limit,
                            env={**os.environ, "OMP_NUM_THREADS": "1"})


def steps_per_second(deck, place):
    """Of this machine, now: the shot's length follows from it."""
    deck.write_text(deck_text(1000, 500, 60, 5), "utf-8")
    begin = time.time()
    check(start(deck, place / "tuning").wait() == 0, "a short shot")
    return 1000 / (time.time() - begin)


def left(out):
    """Each file of the shot that is there: its name, bytes and what it holds."""
    rows = []
    for path in sorted(out.iterdir()):
        if path.name == ".lock":
            continue
        holds = ""
        if path.name.startswith("gather"):
            holds = f"{len(whole_lines(path))} samples"
        elif path.name.startswith("snapshots") and path.suffix == ".h5":
            holds = f"{whole_snapshots(path)} snapshots"
        elif path.name == "checkpoint.h5":
            with h5py.File(path, "r") as file:
                holds = f"step {int(file.attrs['step'])}"
        elif path.suffix == ".xdmf":
            text = path.read_text("utf-8")
            holds = f"{text.count('<Time')} snapshots"
            check(text.rstrip().endswith("</Xdmf>"), "half an XDMF")
        rows.append((path.name, path.stat().st_size, holds))
    return rows


def documented():
    """The names in the table of docs/trust.md."""
    text = (ROOT / "docs/trust.md").read_text("utf-8")
    table = text.split("## When the disk is full", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `([\w.]+)` \|", table, re.M))


def endure(place, out):
    deck = place / "shot.toml"
    steps = int(1.2 * SECONDS * steps_per_second(deck, place))
    # Room for all: a line of six numbers a step, and a checkpoint twice.
    room = (16 << 20) + 160 * steps
    disk = INNER in os.environ and mounted(out, room)
    # Without a disk the gather reaches the limit after two thirds of the steps, and no other file does.
    receivers = 5 if disk else max(5, 3 * LIMIT // (2 * 14 * steps))
    # By time, since the machine may be slower than it was just now.
    deck.write_text(deck_text(steps, max(1, steps // 60), SECONDS / 20, receivers), "utf-8")
    print(f"{SECONDS:g} s, {steps} steps, on " + (
        f"a disk of {room >> 20} MiB" if disk else "files that end early: nothing can be mounted"))
    begin = time.time()
    reader, neighbour = Reader(out), Neighbour(out, 0.9 * SECONDS if disk else None)
    process = start(deck, out / "shot", limit=None if disk else LIMIT)
    for thread in (reader, neighbour):
        thread.start()
    _, said = process.communicate(timeout=10 * SECONDS + 120)
    for thread in (reader, neighbour):
        thread.ends.set()
        thread.join()
    seconds = time.time() - begin
    errors = [line for line in said.splitlines() if "error: " in line]
    print(f"{seconds:.0f} s, {reader.seen} files read while they grew, {neighbour.written} written by "
          f"the neighbour; status {process.returncode}: {' '.join(errors)}")
    check(process.returncode == 1 and len(errors) == 1, f"status {process.returncode}: {said[-500:]}")
    check(re.search("No space left|File too large|MB left", said) is not None, f"why: {said[-300:]}")
    check(reader.seen > 5 and reader.most > 0, f"the reader saw {reader.seen} files")
    for name, digest in neighbour.sums.items():
        check(hashlib.sha256((out / name).read_bytes()).hexdigest() == digest,
              f"the neighbour's {name} is another")
    rows = left(out / "shot")
    print("| file | bytes | holds |\n| --- | --- | --- |")
    for row in rows:
        print("| `{}` | {} | {} |".format(*row))
    names = {row[0] for row in rows}
    fine = names == documented() if disk else names <= documented()
    check(fine, f"left are {sorted(names)}, docs/trust.md has {sorted(documented())}")
    before = whole_lines(out / "shot" / "gather.part.csv")
    check(len(before) > 100, f"{len(before)} of {steps} samples were recorded")
    goes_on(deck, out, steps, before)
    if disk:
        subprocess.run(["umount", out], check=False)


def goes_on(deck, out, steps, before):
    """Room again: the shot goes on from its checkpoint to the end."""
    (out / "neighbour-ballast.dat").unlink(missing_ok=True)
    again = start(deck, out / "shot", "--restart")
    _, said = again.communicate(timeout=10 * SECONDS + 120)
    check(again.returncode == 0, f"--restart: {said[-300:]}")
    if again.returncode != 0:
        return
    after = whole_lines(out / "shot" / "gather.csv")
    check(len(after) == steps, f"{len(after)} of {steps} samples")
    check(after[:len(before)] == before, "what was recorded before is the beginning of all")
    print(f"with room again, --restart: {len(after)} samples, "
          f"{whole_snapshots(out / 'shot' / 'snapshots.h5')} snapshots")


def mounted(place, room):
    """Whether a file system of so many bytes lies at the place now."""
    return succeeds("mount", "-t", "tmpfs", "-o", f"size={room}", "none", place)


def succeeds(*command):
    """Whether the command is there and ends well."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def main():
    if INNER not in os.environ:
        # In namespaces of its own the mount is nobody else's, and gone at the end.
        for options in (["-m"], ["-rm"]):
            command = ["unshare", *options]
            if succeeds(*command, "true"):
                os.environ[INNER] = "1"
                os.execvp(command[0], [*command, sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        out = place / "disk"
        out.mkdir()
        endure(place, out)
    finish()


if __name__ == "__main__":
    main()
