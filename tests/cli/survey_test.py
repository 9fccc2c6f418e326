# SPDX-License-Identifier: Apache-2.0
"""A survey: its files, the headers of its SEG-Y, what fails, what is resumed.

Arguments: the repository's root, the tessera binary.
"""

import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESSERA = sys.argv[2]
sys.path.insert(0, str(Path(sys.argv[1]) / "tests" / "fixtures"))
from checks import check, finish, refused  # noqa: E402

SEED = int(os.environ.get("TESSERA_TEST_SEED", str(random.randrange(10**6))))
SEGY = os.environ.get("TESSERA_HAVE_SEGY", "1") == "1"
DECK = """[case]
nx = 60
ny = 34
nz = 36
steps = 150
[acoustic]
h = 10.0
f_max = 40.0
pml_cells = 6
free_surface = true
[model]
kind = "gradient"
v0 = 1800.0
k = 0.8
[survey]
start = [53.0, 101.0]
end = [410.0, 101.0]
depth = 25.0
count = 12
[[source]]
f_peak = 15.0
[[receivers]]
start = [0.0, 50.0]
end = [470.0, 150.0]
depth = 12.5
count = [5, 2]
[shot]
checkpoint_every = 40
[output]
csv = CSV
""".replace("CSV", "false" if SEGY else "true")


def command(deck, out, *more):
    sets = [word for change in more if "=" in change for word in ("--set", change)]
    return [TESSERA, "survey", str(deck), "-o", str(out), *sets,
            *(word for word in more if "=" not in word)]


def survey(deck, out, *more):
    return subprocess.run(command(deck, out, *more), capture_output=True, text=True, check=False,
                          timeout=600)


def record(out):
    return json.loads((out / "survey.json").read_text(encoding="utf-8"))


def traces(path):
    """Of each trace of a SEG-Y file the header fields of a survey, read by hand, and the samples."""
    data = path.read_bytes()
    samples, interval = struct.unpack(">H", data[3220:3222])[0], struct.unpack(">H", data[3216:3218])[0]
    length = 240 + 4 * samples
    check((len(data) - 3600) % length == 0, f"{path}: whole traces")
    found = []
    for at in range(3600, len(data), length):
        header = data[at:at + 240]
        sequence, in_file, field_record = struct.unpack(">3i", header[0:12])
        number, point = struct.unpack(">2i", header[12:20])
        elevation, = struct.unpack(">i", header[40:44])
        depth, = struct.unpack(">i", header[48:52])
        parts = -struct.unpack(">h", header[70:72])[0]
        places = [value / parts for value in struct.unpack(">4i", header[72:88])]
        found.append({"sequence": (sequence, in_file), "shot": field_record, "trace": number,
                      "point": point, "source": (places[0], places[1], depth / parts),
                      "receiver": (places[2], places[3], -elevation / parts),
                      "interval": interval, "data": header[114:118] + data[at + 240:at + length]})
    return found


def expect_survey(out, text):
    """All shots complete, and all traces in one file with their places."""
    shots = record(out)["shots"]
    check([shot["status"] for shot in shots] == ["complete"] * 12, f"{text}: {shots}")
    check(not list(out.rglob("*.part.*")) and not list(out.rglob("checkpoint.h5")),
          f"{text}: {list(out.rglob('*.part.*'))}")
    if not SEGY:
        return b""
    found = traces(out / "survey.sgy")
    check(len(found) == 120, f"{text}: {len(found)} traces")
    for i, trace in enumerate(found):
        shot, receiver = divmod(i, 10)
        x = 53 + shot * 357 / 11
        wanted = {"sequence": (i + 1, i + 1), "shot": shot + 1, "point": shot + 1,
                  "trace": receiver + 1,
                  "source": (x, 101, 25), "receiver": (117.5 * (receiver % 5),
                                                       50 + 100 * (receiver // 5), 12.5)}
        for key, value in wanted.items():
            near = all(abs(a - b) < 0.006 for a, b in zip(trace[key], value)) if isinstance(
                value, tuple) else trace[key] == value
            check(near, f"{text}: trace {i}: {key} {trace[key]}, wanted {value}")
    check([trace["data"] for trace in found[30:40]] ==
          [trace["data"] for trace in traces(out / "shot-0004" / "gather.sgy")], f"{text}: shot 4")
    return (out / "survey.sgy").read_bytes()


def whole(deck, place):
    result = survey(deck, place / "whole")
    check(result.returncode == 0, f"whole: {result.stderr}")
    check("shot 12 of 12" in result.stdout and "12 of 12 shots complete" in result.stdout,
          f"whole: {result.stdout}")
    refused(survey(deck, place / "whole"), "holds a survey", "--resume")
    again = survey(deck, place / "whole", "--resume")
    check(again.returncode == 0 and "12 of 12 shots are complete already" in again.stdout,
          f"again: {again.stdout}{again.stderr}")
    return expect_survey(place / "whole", "whole")


def read_by_segyio(path):
    """Headers once more, by the field's own library, where it is at hand."""
    try:
        import segyio
    except ImportError:
        check(os.environ.get("TESSERA_REQUIRE_SEGYIO") != "1", "python3-segyio is missing")
        print("no segyio for Python: headers are read by hand alone")
        return
    with segyio.open(path, ignore_geometry=True) as file:
        fields = segyio.TraceField
        check(file.tracecount == 120, f"segyio: {file.tracecount} traces")
        check(list(file.attributes(fields.FieldRecord)[:]) == [1 + i // 10 for i in range(120)],
              "segyio: field records")
        check(list(file.attributes(fields.TRACE_SEQUENCE_FILE)[:]) == list(range(1, 121)),
              "segyio: sequence")
        check(file.bin[segyio.BinField.Traces] == 10, "segyio: traces a shot")
        scalar = -file.header[119][fields.SourceGroupScalar]
        check(abs(file.header[119][fields.SourceX] / scalar - 410) < 0.006, "segyio: the last source")
        check(float(abs(file.trace[119]).max()) > 0, "segyio: samples")


def killed(deck, place, wanted):
    """Killed often, at any moment, it goes on and ends with the same traces."""
    print(f"TESSERA_TEST_SEED={SEED}")
    chance = random.Random(SEED)
    out = place / "killed"
    more = ()
    for _ in range(int(os.environ.get("TESSERA_KILLS", "6"))):
        process = subprocess.Popen(command(deck, out, *more), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.1, 1.5))
        process.kill()
        process.wait()
        more = ("--resume",)
    began = time.time()
    process = subprocess.Popen(command(deck, out, *more), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    # It takes signals for requests once a shot has begun.
    while process.poll() is None and not any(
            record.stat().st_mtime > began for record in out.glob("shot-*/run.json")):
        time.sleep(0.005)
    refused(survey(deck, out, "--resume"), "another process")
    process.send_signal(signal.SIGTERM)
    check(process.wait() in (0, 143), f"stopped: {process.returncode}")
    result = survey(deck, out, "--resume")
    check(result.returncode == 0, f"killed: {result.stderr}")
    check(expect_survey(out, "killed") == wanted, "killed: the traces are others")


def full_disk(deck, place):
    """A shot that fails while it runs: the disk takes the gathers of some shots, whose receivers
    are fewer, and not those of others."""
    changes = ('survey={start=[20, 100, 30], end=[440, 100, 30], count=4, spread="moving"}',
               "receivers={start=[-150, 0, 20], end=[150, 0, 20], step=30}", "case.steps=450",
               "output.csv=true", "output.segy=false", "shot.checkpoint_every=0")
    whole, out = place / "roomy", place / "full"
    check(survey(deck, whole, *changes).returncode == 0, "full: without a limit")
    sizes = [(whole / f"shot-{i:04}" / "gather.csv").stat().st_size for i in range(1, 5)]
    most = (min(sizes) + max(sizes)) // 2
    result = subprocess.run(
        command(deck, out, *changes), capture_output=True, text=True, check=False, timeout=600,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
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
    """Tables, the geometry of a SEG-Y file, spreads that move."""
    table = place / "shots.csv"
    table.write_text("x,y,z\n100,100,30\n200,110,40\n", encoding="utf-8")
    keys = f'survey={{table="{table}"}}'
    result = survey(deck, place / "table", keys)
    check(result.returncode == 0 and "survey: 2 shots, each with 10" in result.stdout,
          f"table: {result.stdout}{result.stderr}")
    moving = survey(deck, place / "moving", "--dry-run",
                    'survey={start=[100, 100, 30], end=[400, 100, 30], count=4, spread="moving"}',
                    "receivers={start=[-150, 0, 20], end=[150, 0, 20], step=50}")
    check("survey: 4 shots, each with 5 to 7 receivers" in moving.stdout,
          f"moving: {moving.stdout}{moving.stderr}")
    if not SEGY:
        return
    again = survey(deck, place / "segy", f'survey={{segy="{place / "whole" / "survey.sgy"}"}}',
                   "receivers=")
    check(again.returncode == 0, f"segy: {again.stderr}")
    # Places have two decimals in the headers: the traces differ by what that is worth.
    first, second = traces(place / "whole" / "survey.sgy"), traces(place / "segy" / "survey.sgy")
    check([(t["shot"], t["source"], t["receiver"]) for t in first] ==
          [(t["shot"], t["source"], t["receiver"]) for t in second], "segy: the same geometry")
    refused(survey(deck, place / "both", f'survey={{segy="{place / "whole" / "survey.sgy"}"}}'),
            "survey.segy", "[[receivers]]")


def line_to(x):
    """Shots every 30 m: a shorter line has the first of a longer one's, to the bit."""
    return f"survey={{x={list(range(53, x + 1, 30))}, y=101, z=25}}"


def errors_of(result):
    """The lines of standard error that are no warnings."""
    return [line for line in result.stderr.splitlines() if "warning:" not in line]


def other_decks(deck, place):
    """--resume goes on with its own survey alone: another deck's is refused by what differs, in a
    dry run too, by the same line."""
    out = place / "other"
    check(survey(deck, out, line_to(143)).returncode == 0, "other: the first survey")
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    receivers = "receivers={start=[0, 50, 12.5], end=[470, 50, 12.5], count=10}"
    for changes, what in (((line_to(143), "model.v0=1900"), "its model is"),
                          ((line_to(143), "case.steps=140"), "steps is 150, here it is 140"),
                          ((line_to(143), "source[0].f_peak=14"), "its wavelet is"),
                          ((line_to(143), "source[0].amplitude=2"), "its amplitude is"),
                          ((line_to(143), receivers), "receivers is"),
                          ((line_to(143), "output.segy=false", "output.csv=true"), "outputs is"),
                          ((line_to(113),), "its shot.4 is"),
                          (("survey={x=[63, 83, 113, 143], y=101, z=25}",), "its shot.1 is")):
        if "output.segy=false" in changes and not SEGY:
            continue
        real = survey(deck, out, "--resume", *changes)
        refused(real, "holds another run", what, "-o")
        dry = survey(deck, out, "--resume", "--dry-run", *changes)
        check(errors_of(dry) == errors_of(real), f"other: a dry run says {dry.stderr}")
    check(survey(deck, out, "--dry-run", line_to(143), "--resume").returncode == 0, "a dry run")
    refused(survey(deck, out, "--dry-run", line_to(143)), "holds a survey", "--resume")
    check(before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()},
          "other: a refused survey changed files")


def moving_spread(deck, place):
    """A receiver on the edge of the inner region is inside, whatever rounding says; the others are
    counted."""
    out = place / "moving-spread"
    change = ("acoustic.h=30.48", "acoustic.f_max=10", "source[0].f_peak=4", 'survey={start=[30.48, 152.4, 152.4], spread="moving"}')
    for x, receivers in ((1402.08, 2), (1402.07, 2), (1402.09, 1)):
        line = f"receivers={{x=[0.0, {x}], y=0.0, z=152.4}}"
        done = survey(deck, out, "--dry-run", *change, line)
        check(f"survey: 1 shots, each with {receivers} receivers" in done.stdout,
              f"x = {x}: {done.stdout}{done.stderr}")
        check(("left out: 1 in all, at most 1 of a shot" in done.stdout) == (receivers == 1),
              f"x = {x}: {done.stdout}")
    done = survey(deck, out, *change, line)
    check([shot.get("receivers_left_out") for shot in record(out)["shots"]] == [1], "left out")


def questions(deck, place):
    """Warnings where places are there twice or were given in km."""
    for changes, what in (
            (("survey={x=[100, 100, 200], y=100, z=30}",), "1 of 3 shots have their source where"),
            (("survey={start=[0.1, 0.1, 0.1], end=[0.4, 0.1, 0.1], count=3}",), "km?"),
            (("receivers={start=[0, 0.1, 0.1], end=[0.4, 0.1, 0.1], count=3}",), "km?")):
        result = survey(deck, place / "questions", "--dry-run", *changes)
        check(result.returncode == 0 and result.stderr.count(what) == 1,
              f"{changes}: {result.stderr}")


def bad_input(deck, place):
    out = place / "bad"
    for more in ((), ("--dry-run",)):
        refused(survey(deck, out, "output.csv=false", "output.segy=false", *more),
                "nothing would be recorded")
    for change, *parts in (("survey.end=[4100, 101]", "survey.start", "x = "),
                           ("survey.depth=0.0", "free surface"),
                           ("survey.cuont=3", "survey.cuont", "survey.count"),
                           ("survey=", "[survey]"),
                           ("source=[{f_peak=10}, {f_peak=12}]", "one [[source]]"),
                           ("output.segy_interval_ms=20", "25 Hz"),
                           ("output.segy_interval_ms=0.0015", "whole number of microseconds"),
                           ('survey={table="none.csv"}', "none.csv")):
        if "segy_interval" in change and not SEGY:
            continue
        refused(survey(deck, out, change), *parts)
    check(not out.exists(), "bad input leaves a folder")
    check(survey(deck, out, "--dry-run").returncode == 0 and not out.exists(), "a dry run writes")
    refused(survey(deck, deck / "in", "--dry-run"), "not a folder")
    shot = subprocess.run([TESSERA, "shot", str(deck), "--dry-run", "--set", "source[0].x=100", "--set",
                           "source[0].y=100", "--set", "source[0].z=30"], capture_output=True,
                          text=True, check=False)
    check(shot.returncode == 0, f"one shot of the deck: {shot.stderr}")


with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch)
    path = folder / "survey.toml"
    path.write_text(DECK, encoding="utf-8")
    content = whole(path, folder)
    if SEGY:
        read_by_segyio(folder / "whole" / "survey.sgy")
    killed(path, folder, content)
    full_disk(path, folder)
    geometries(path, folder)
    other_decks(path, folder)
    moving_spread(path, folder)
    questions(path, folder)
    bad_input(path, folder)
finish()
