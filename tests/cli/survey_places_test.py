# SPDX-License-Identifier: Apache-2.0
"""Where a survey writes: its directory is its own from the first shot to the last, whatever it
shares with others is found before the first shot, and records and files of others stay.

Arguments: the repository's root, the tessera binary.
"""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

TESSERA = sys.argv[2]
ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, equal, refused, run_tests  # noqa: E402

SEGY = os.environ.get("TESSERA_HAVE_SEGY", "1") == "1"
GATHER = "gather.sgy" if SEGY else "gather.csv"
SHOT = """[case]
nx = 24
ny = 24
nz = 24
steps = 10
[acoustic]
h = 10.0
pml_cells = 4
[model]
kind = "uniform"
v = 2000.0
[[source]]
x = 40.0
y = 80.0
z = 50.0
f_peak = 15.0
[[receivers]]
start = [20.0, 80.0, 20.0]
end = [120.0, 80.0, 20.0]
count = 6
[shot]
checkpoint_every = 5
"""
SURVEY = SHOT + """[survey]
start = [40, 80, 50]
end = [100, 80, 50]
count = 3
"""
LONG = "case.steps=2000"
ENDLESS = ("case.steps=3000000", "output.segy=false")


def tessera(command, deck, *more):
    """Words with = are changes of the deck."""
    sets = [word for change in more if "=" in str(change) for word in ("--set", change)]
    words = [word for word in more if "=" not in str(word)]
    return [TESSERA, command, str(deck), *map(str, words), *sets]


def run(*words):
    return subprocess.run(tessera(*words), capture_output=True, text=True, check=False, timeout=600)


def decks(place):
    """The deck of a shot, the one of a survey, and where the survey writes."""
    for name, text in (("shot", SHOT), ("survey", SURVEY)):
        (place / f"{name}.toml").write_text(text, encoding="utf-8")
    return place / "shot.toml", place / "survey.toml", place / "out"


def shots_of(out):
    return json.loads((out / "survey.json").read_text(encoding="utf-8"))["shots"]


def stopped_after_first(deck, out, *more):
    """A survey whose process stands still once its first shot is complete."""
    process = subprocess.Popen(tessera("survey", deck, "-o", out, LONG, *more),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 300
    while process.poll() is None and time.monotonic() < until:
        if (out / "survey.json").exists() and shots_of(out)[0]["status"] == "complete":
            break
        time.sleep(0.002)
    process.send_signal(signal.SIGSTOP)
    check(shots_of(out)[-1]["status"] == "waiting", f"stopped too late: {shots_of(out)}")
    return process


def goes_on(process):
    """What the survey says at its end."""
    process.send_signal(signal.SIGCONT)
    errors = process.communicate(timeout=600)[1]
    return subprocess.CompletedProcess(process.args, process.returncode, "", errors)


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and ".lock" not in path.name}


def held(place):
    """While it runs, the folders of its complete and its waiting shots are the survey's too."""
    shot, deck, out = decks(place)
    process = stopped_after_first(deck, out)
    (out / "shot-0003").mkdir(exist_ok=True)
    (place / "link").symlink_to(out / "shot-0001")
    before = files(out / "shot-0001")
    text = f"which process {process.pid} writes with its folders"
    for dry in ((), ("--dry-run",)):
        for name in ("shot-0001", "shot-0003", "new"):
            refused(run("shot", shot, "-o", out / name, *dry), name, text)
        refused(run("shot", shot, "-o", place / "link", *dry), text)
        refused(run("survey", deck, "-o", out / "shot-0001", *dry), text)
        refused(run("survey", deck, "-o", out, "--resume", *dry), "is being written by process")
        for name in ("shot.json", "deeper/x.json"):
            refused(run("run", ROOT / "inputs/quick.toml", "-o", out / "shot-0001" / name, *dry),
                    text)
        refused(run("run", ROOT / "inputs/quick.toml", "-o", out / "x.json", *dry),
                "is being written by process")
    equal(files(out / "shot-0001"), before, "the complete shot's files")
    other = run("shot", shot, "-o", place / "other")
    check(other.returncode == 0, f"a folder beside it: {other.stderr}")
    done = goes_on(process)
    check(done.returncode == 0, f"the survey: {done.stderr}")
    check(run("shot", shot, "-o", out / "shot-0001").returncode == 0, "after the survey")


def held_by_others(place):
    """A shot that runs in a folder of the survey's: found before the first shot."""
    shot, deck, out = decks(place)
    process = subprocess.Popen(tessera("shot", shot, "-o", out / "shot-0002", *ENDLESS),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    part = out / "shot-0002" / "gather.part.csv"
    until = time.monotonic() + 120
    while not part.exists() and time.monotonic() < until:
        time.sleep(0.01)
    for dry in ((), ("--dry-run",)):
        refused(run("survey", deck, "-o", out, *dry), "shot-0002 is being written by process")
    process.kill()
    process.wait()
    check(not (out / "shot-0001").exists(), "a shot ran before")


def changed_meanwhile(place):
    """A complete shot whose gather is cut while the survey runs is told, and its traces are left
    out; --resume makes it again."""
    _, deck, out = decks(place)
    process = stopped_after_first(deck, out)
    gather = out / "shot-0001" / GATHER
    whole = gather.read_bytes()
    trace = 240 + 4 * struct.unpack(">H", whole[3220:3222])[0] if SEGY else 100
    gather.write_bytes(whole[:-3 * trace])
    result = goes_on(process)
    refused(result, "1 of 3 shots failed", "--resume")
    check("warning: shot 1 failed" in result.stderr and "another program" in result.stderr,
          result.stderr)
    equal([shot["status"] for shot in shots_of(out)], ["failed", "complete", "complete"], "shots")
    again = run("survey", deck, "-o", out, "--resume", LONG)
    check(again.returncode == 0 and gather.read_bytes() == whole, f"made again: {again.stderr}")
    if SEGY:
        equal((out / "survey.sgy").stat().st_size, 3600 + 18 * trace, "bytes of all traces")


def one_place(place):
    """Links that make files or folders of two shots one, or one of a shot and the survey's."""
    _, deck, _ = decks(place)

    def linked(name, links):
        out = place / name
        for link, target in links:
            (out / link).parent.mkdir(parents=True, exist_ok=True)
            (out / link).symlink_to(target)
        (place / "all.sgy").write_text("somebody's", encoding="utf-8")
        before = sorted(place.rglob("*"))
        for dry in ((), ("--dry-run",)):
            refused(run("survey", deck, "-o", out, *dry), "are one place", links[-1][0])
        equal(sorted(place.rglob("*")), before, f"{name}: files")
        equal((place / "all.sgy").read_text("utf-8"), "somebody's", f"{name}: the target")

    linked("file", [(f"shot-000{i}/gather.sgy", "../../all.sgy") for i in (1, 2)])
    linked("names", [("shot-0001/gather.csv", "../x"), ("shot-0003/shot.json", "../x")])
    linked("own", [("shot-0002/gather.sgy", "../survey.sgy")])
    linked("itself", [("shot-0002", ".")])
    (place / "folder" / "shot-0001").mkdir(parents=True)
    linked("folder", [("shot-0002", "shot-0001")])
    far = place / "far"
    far.mkdir()
    (place / "apart").mkdir()
    (place / "apart" / "shot-0002").symlink_to(far)
    done = run("survey", deck, "-o", place / "apart")
    check(done.returncode == 0 and (far / "shot.json").is_file(),
          f"a link of its own: {done.stderr}")


def foreign_records(place):
    """What is no record of a survey is not gone on with, and what lies beside it stays."""
    _, deck, out = decks(place)
    out.mkdir()
    (place / "precious.sgy").write_text("precious", encoding="utf-8")
    (out / "survey.sgy").symlink_to(place / "precious.sgy")
    for text in ("{}", "[]", "3", "null", '"tessera-survey-1"', '{"mine": 1}',
                 '{"schema": "tessera-survey-1"}', '{"schema": 1, "identity": {}}'):
        (out / "survey.json").write_text(text, encoding="utf-8")
        for dry in ((), ("--dry-run",)):
            refused(run("survey", deck, "-o", out, "--resume", *dry),
                    "survey.json is no record", "-o")
        equal((out / "survey.json").read_text("utf-8"), text, "the record")
        equal((place / "precious.sgy").read_text("utf-8"), "precious", f"{text}: what is beside it")


def other_interval(place):
    """Another output.segy_interval_ms is another survey, and of a complete shot another gather."""
    if not SEGY:
        return
    shot, deck, out = decks(place)
    steps, wide, narrow = "case.steps=100", "output.segy_interval_ms=2", "output.segy_interval_ms=1"
    check(run("survey", deck, "-o", out, steps, narrow).returncode == 0, "the survey")
    for missing in (False, True):
        if missing:
            (out / "shot-0002" / "shot.json").unlink()
        before = files(out)
        for dry in ((), ("--dry-run",)):
            refused(run("survey", deck, "-o", out, "--resume", steps, wide, *dry),
                    "survey.json is of another survey", "segy_interval_ms is 1, here it is 2")
        equal(files(out), before, "the survey's files")
    check(run("survey", deck, "-o", out, "--resume", steps, narrow).returncode == 0, "its own")
    for interval, complete in ((narrow, False), (narrow, True), (wide, False), (wide, True)):
        done = run("shot", shot, "-o", place / "one", "--restart", steps, interval)
        check(done.returncode == 0 and ("this shot is complete" in done.stdout) == complete,
              f"{interval}: {done.stdout}{done.stderr}")
        header = (place / "one" / "gather.sgy").read_bytes()[3216:3218]
        equal(struct.unpack(">H", header)[0], 1000 * int(interval[-1]), "interval, us")


def moving_spread(place):
    """A receiver on the edge of the inner region is inside, whatever rounding says; the others are
    counted."""
    _, deck, out = decks(place)
    change = ("acoustic.h=30.48", 'survey={start=[30.48, 152.4, 152.4], spread="moving"}')
    for x, receivers in ((426.72, 2), (426.71, 2), (426.73, 1)):
        line = f"receivers={{x=[0.0, {x}], y=0.0, z=152.4}}"
        done = run("survey", deck, "-o", out, "--dry-run", *change, line)
        check(f"survey: 1 shots, each with {receivers} receivers" in done.stdout,
              f"x = {x}: {done.stdout}{done.stderr}")
        check(("left out: 1 in all, at most 1 of a shot" in done.stdout) == (receivers == 1),
              f"x = {x}: {done.stdout}")
    done = run("survey", deck, "-o", out, *change, line)
    equal([shot.get("receivers_left_out") for shot in shots_of(out)], [1], "left out")


def before_the_first_shot(place):
    """What a later shot would fail of is found at once, in a dry run too."""
    shot, deck, out = decks(place)
    (out / "shot-0002").mkdir(parents=True)
    stopped = subprocess.Popen(
        tessera("shot", shot, "-o", out / "shot-0002", *ENDLESS, "model.v=1900"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not (out / "shot-0002" / "checkpoint.h5").exists() and time.monotonic() < until:
        time.sleep(0.01)
    stopped.kill()
    stopped.wait()
    for dry in ((), ("--dry-run",)):
        refused(run("survey", deck, "-o", out, *dry), "checkpoint.h5 does not belong",
                "its model is")
    (place / "file").mkdir()
    (place / "file" / "shot-0003").write_text("in the way", encoding="utf-8")
    for dry in ((), ("--dry-run",)):
        refused(run("survey", deck, "-o", place / "file", *dry), "shot-0003 is no directory")
    check(not list(place.glob("*/shot-0001")), "a shot ran before")


run_tests(held, held_by_others, changed_meanwhile, one_place, foreign_records, other_interval,
          moving_spread, before_the_first_shot)
