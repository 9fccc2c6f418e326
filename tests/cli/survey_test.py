# SPDX-License-Identifier: Apache-2.0
"""A survey: its files, the headers of its SEG-Y, what fails, what is resumed."""

import json
import os
import random
import resource
import tempfile
import time
from pathlib import Path

from trust_common import into, shot_deck, spread, start, tessera

# isort: split
from built import HAVE_SEGY as SEGY  # trust_common knows where
from checks import check, finish, refused
from drawn import SEED
import strict_segy

COUNT = 8  # shots
DECK = shot_deck((50, 30, 30), 120, 6, {"f_max": 40.0, "free_surface": True},
                 model={"kind": "gradient", "v0": 1800.0, "k": 0.8},
                 survey={"start": [53.0, 101.0], "end": [333.0, 101.0], "depth": 25.0, "count": 8},
                 source=[{"f_peak": 15.0}],
                 receivers=[{**spread((0.0, 50.0), (370.0, 150.0), [5, 2]), "depth": 12.5}],
                 shot={"checkpoint_every": 40}, output={"csv": not SEGY})


def survey(deck, out, *more, **options):
    return tessera(*into("survey", deck, out, *more), **options)


def record(out):
    return json.loads((out / "survey.json").read_text(encoding="utf-8"))


def traces(path):
    """Of each trace of a SEG-Y file what the strict reader finds, with its places in m."""
    _, found = strict_segy.read(path)
    for trace in found:
        x, y, xr, yr = (trace[byte] / -trace[71] for byte in (73, 77, 81, 85))
        trace["source"] = (x, y, trace[49] / -trace[69])
        trace["receiver"] = (xr, yr, trace[41] / trace[69])
    return found


def expect_survey(out, text):
    """All shots complete, and all traces in one file with their places."""
    shots = record(out)["shots"]
    check([shot["status"] for shot in shots] == ["complete"] * COUNT, f"{text}: {shots}")
    check(not list(out.rglob("*.part.*")) and not list(out.rglob("checkpoint.h5")),
          f"{text}: {list(out.rglob('*.part.*'))}")
    if not SEGY:
        return b""
    found = traces(out / "survey.sgy")
    check(len(found) == 10 * COUNT, f"{text}: {len(found)} traces")
    for i, trace in enumerate(found):
        shot, receiver = divmod(i, 10)
        exact = {1: i + 1, 9: shot + 1, 13: receiver + 1}
        near = {"source": (53 + 40 * shot, 101, 25),
                "receiver": (92.5 * (receiver % 5), 50 + 100 * (receiver // 5), 12.5)}
        for key, value in exact.items():
            check(trace[key] == value, f"{text}: trace {i}: {key} {trace[key]}")
        for key, value in near.items():
            check(all(abs(a - b) < 0.006 for a, b in zip(trace[key], value)),
                  f"{text}: trace {i}: {key} {trace[key]}")
    check([trace["data"] for trace in found[30:40]] ==
          [trace["data"] for trace in traces(out / "shot-0004" / "gather.sgy")], f"{text}: shot 4")
    return (out / "survey.sgy").read_bytes()


def expect_strict(path):
    """The text says what the headers leave open, and the reader refuses zeros."""
    text, _ = strict_segy.read(path)
    for part in ("SOURCE OF SHOT 1: 53 101 25", "RICKER, PEAK 15 HZ", "EVERY 4000 MICROSECONDS", "181, 185"):
        check(part in text, f"text header: {part}")
    good, broken = path.read_bytes(), path.with_name("broken.sgy")
    for byte in (*strict_segy.BINARY, *(3600 + byte for byte in strict_segy.ONE_OF)):
        broken.write_bytes(good[:byte - 1] + b"\x00\x00" + good[byte + 1:])
        try:
            strict_segy.read(broken)
            check(byte == 3505, f"byte {byte}: a zero is taken")
        except strict_segy.Refused:
            pass
    broken.unlink()


def whole(deck, place):
    result = survey(deck, place / "whole")
    check(result.returncode == 0, f"whole: {result.stderr}")
    refused(survey(deck, place / "whole"), str(place / "whole"), "--resume")
    began = (place / "whole/shot-0001/shot.json").stat().st_mtime
    check(survey(deck, place / "whole", "--resume").returncode == 0, "again")
    check((place / "whole/shot-0001/shot.json").stat().st_mtime == began, "again: a shot is made anew")
    if SEGY:
        expect_strict(place / "whole/shot-0001/gather.sgy")
    return expect_survey(place / "whole", "whole")


def killed(deck, place, wanted):
    """Killed often, at any moment, it goes on and ends with the same traces."""
    print(f"TESSERA_TEST_SEED={SEED}")
    chance = random.Random(SEED)
    out = place / "killed"
    more = ()
    for _ in range(int(os.environ.get("TESSERA_KILLS", "6"))):
        process = start(*into("survey", deck, out, *more))
        time.sleep(chance.uniform(0.1, 1.5))
        process.kill()
        process.wait()
        more = ("--resume",)
    began = time.time()
    process = start(*into("survey", deck, out, *more))
    while process.poll() is None and not any(
            growing.stat().st_mtime > began for growing in out.glob("shot-*/gather.part.*")):
        time.sleep(0.005)
    process.terminate()
    check(process.wait() in (0, 143), f"stopped: {process.returncode}")
    result = survey(deck, out, "--resume")
    check(result.returncode == 0, f"killed: {result.stderr}")
    check(expect_survey(out, "killed") == wanted, "killed: the traces are others")


def full_disk(deck, place):
    """A shot that fails while it runs: the disk takes the gathers of some shots, whose receivers
    are fewer, and not those of others."""
    changes = ('survey={start=[20, 100, 30], end=[340, 100, 30], count=4, spread="moving"}',
               "receivers={start=[-150, 0, 20], end=[150, 0, 20], step=30}", "case.steps=250",
               "output.csv=true", "output.segy=false", "shot.checkpoint_every=0")
    whole, out = place / "roomy", place / "full"
    check(survey(deck, whole, *changes).returncode == 0, "full: without a limit")
    sizes = [(whole / f"shot-{i:04}" / "gather.csv").stat().st_size for i in range(1, 5)]
    most = (min(sizes) + max(sizes)) // 2
    result = survey(deck, out, *changes, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (most, most)))
    shots = record(out)["shots"]
    check([shot["status"] for shot in shots] ==
          ["failed" if size > most else "complete" for size in sizes], f"full: {sizes} {shots}")
    failed = [shot for shot in shots if shot["status"] == "failed"]
    for shot in failed:
        check("File too large" in shot["reason"] and "gather.part.csv" in shot["reason"],
              f"full: {shot}")
        lines = (out / shot["directory"] / "gather.part.csv").read_text("utf-8").splitlines()
        check(len(lines) > 100, f"full: {len(lines)} lines of a shot that had begun")
    refused(result, f"{len(failed)} of 4 shots failed")
    check(result.stderr.count("warning: shot ") == len(failed), f"full: {result.stderr}")
    check(survey(deck, out, "--resume", *changes).returncode == 0, "full, then resumed")
    for i in range(1, 5):
        name = f"shot-{i:04}/gather.csv"
        check((out / name).read_bytes() == (whole / name).read_bytes(), f"full: {name} differs")


def geometries(deck, place):
    """Tables, the geometry of a SEG-Y file."""
    table = place / "shots.csv"
    table.write_text("x,y,z\n100,100,30\n200,110,40\n", encoding="utf-8")
    result = survey(deck, place / "table", f'survey={{table="{table}"}}')
    check(result.returncode == 0 and len(record(place / "table")["shots"]) == 2,
          f"table: {result.stdout}{result.stderr}")
    if not SEGY:
        return
    geometry = f'survey={{segy="{place / "whole" / "survey.sgy"}"}}'
    again = survey(deck, place / "segy", geometry, "receivers=", "case.steps=20")
    check(again.returncode == 0, f"segy: {again.stderr}")
    # Places have two decimals in the headers.
    first, second = traces(place / "whole" / "survey.sgy"), traces(place / "segy" / "survey.sgy")
    check([(t[9], t["source"], t["receiver"]) for t in first] ==
          [(t[9], t["source"], t["receiver"]) for t in second], "segy: the same geometry")
    refused(survey(deck, place / "both", geometry), "survey.segy", "[[receivers]]")


def line_to(x):
    """Shots every 30 m: a shorter line has the first of a longer one's, to the bit."""
    return f"survey={{x={list(range(53, x + 1, 30))}, y=101, z=25}}"


def other_decks(deck, place):
    """--resume goes on with its own survey alone: another deck's is refused by what differs, in a
    dry run too."""
    out = place / "other"
    check(survey(deck, out, line_to(113)).returncode == 0, "other: the first survey")
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    receivers = "receivers={start=[0, 50, 12.5], end=[370, 50, 12.5], count=10}"
    for changes, what in (((line_to(113), "model.v0=1900"), "model"),
                          ((line_to(113), "case.steps=140"), "steps is 120"),
                          ((line_to(113), receivers), "receivers is"),
                          ((line_to(83),), "shot.3 is"),
                          (("survey={x=[63, 83, 113], y=101, z=25}",), "shot.1 is")):
        for dry in ((), ("--dry-run",)):
            refused(survey(deck, out, "--resume", *dry, *changes), "holds another run", what, "-o")
    check(survey(deck, out, "--dry-run", line_to(113), "--resume").returncode == 0, "a dry run")
    check(before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()},
          "other: a refused survey changed files")


def moving_spread(deck, place):
    """A receiver on the edge of the inner region is inside, whatever rounding says; the others are
    counted."""
    out = place / "moving-spread"
    change = ("acoustic.h=30.48", "acoustic.f_max=10", "source[0].f_peak=4",
              'survey={start=[30.48, 152.4, 152.4], spread="moving"}')
    for x, left_out in ((1097.28, 0), (1097.27, 0), (1097.29, 1)):
        done = survey(deck, out / f"{x}", *change, f"receivers={{x=[0.0, {x}], y=0.0, z=152.4}}")
        shots = record(out / f"{x}")["shots"] if done.returncode == 0 else done.stderr
        check([shot.get("receivers_left_out", 0) for shot in shots] == [left_out], f"{x}: {shots}")


def questions(deck, place):
    """Warnings where places are there twice or were given in km."""
    for change, what in (
            ("survey={x=[100, 100, 200], y=100, z=30}", "1 of 3 shots"),
            ("acoustic.free_surface=true", "acoustic.layers"),  # as it is: paths that graze a layer
            ("survey={start=[0.1, 0.1, 0.1], end=[0.3, 0.1, 0.1], count=3}", "km?"),
            ("receivers={start=[0, 0.1, 0.1], end=[0.3, 0.1, 0.1], count=3}", "km?")):
        result = survey(deck, place / "questions", "--dry-run", change)
        check(result.returncode == 0 and result.stderr.count(what) == 1,
              f"{change}: {result.stderr}")


def bad_input(deck, place):
    out = place / "bad"
    nothing = ("output.csv=false", "output.segy=false")
    for changes, *parts in (((*nothing,), "nothing would be recorded"),
                            ((*nothing, "--dry-run"), "nothing would be recorded"),
                            (("survey.end=[4100, 101]",), "survey.start", "x = "),
                            (("survey.depth=0.0",), "free surface"),
                            (("survey=",), "[survey]"),
                            (("source=[{f_peak=10}, {f_peak=12}]",), "[[source]]"),
                            (('survey={table="none.csv"}',), "none.csv")):
        refused(survey(deck, out, *changes), *parts)
    check(survey(deck, out, "--dry-run").returncode == 0 and not out.exists(), "a dry run writes")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = folder / "survey.toml"
        path.write_text(DECK, encoding="utf-8")
        killed(path, folder, whole(path, folder))
        for test in (full_disk, geometries, other_decks, moving_spread, questions, bad_input):
            test(path, folder)
    finish()


if __name__ == "__main__":
    main()
