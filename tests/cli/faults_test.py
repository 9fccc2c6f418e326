# SPDX-License-Identifier: Apache-2.0
"""Every writer of the program and of its tools, with every kind of call failing in turn.

What lay there before is whole, or replaced by something whole; nothing temporary is left; growing
files hold whole lines and whole snapshots; and a call that failed is told in one line, with a status
that is not zero. Excepted are calls that hold no data: IGNORED. A library that is loaded before all
others makes calls fail. Arguments: the repository's root, the tessera binary, and writers to try in
place of all. TESSERA_FAULTS=all tries every call, else a sample of them, whose seed is printed and
can be given again; TESSERA_TEST_DRAWS says of how many writers."""

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from trust_common import (ROOT, TESSERA, UNIFORM, c_library, shot_deck, source_at, spread, toml,
                          whole_snapshots)

# isort: split
from checks import check, finish  # trust_common knows where
from drawn import SEED, drawn

ALL = os.environ.get("TESSERA_FAULTS") == "all"
KINDS = ("open", "mkdir", "write", "pwrite", "fwrite", "fsync", "ftruncate", "rename", "close")

TABLES = {"model": UNIFORM, "receivers": [spread((0, 70, 20), (150, 70, 20), 4)],
          "snapshots": {"every": 20, "stride": 2}}
SHOT = shot_deck((24, 24, 24), 40, 4, source=[source_at(70, 70, 40, 15.0)],
                 shot={"checkpoint_every": 10}, **TABLES)
SURVEY = shot_deck((24, 24, 24), 40, 4, source=[{"f_peak": 15.0}],
                   survey={"x": [60, 90], "y": 70, "z": 40}, **TABLES)
RUN = toml(case={"family": "jacobi", "stencil": "j2d5pt", "nx": 40, "ny": 30, "steps": 2},
           select={"variants": ["jacobi/step:default"]}, measure={"warmup_s": 0.0})
H100 = ROOT / "results/nvidia-h100"
# Calls that no output hangs on: the name of a lock's holder; probes; rows that are kept as they come
# until the file is written; what is told of a file after it was synchronised.
IGNORED = re.compile(r"(open|close) \S*\.lock$|close \S*\.part\.h5$")
# Rows are kept as they come in copies of the result file, which a run does without: what counts is
# that the last one has every row. Synchronising the folder then is for these copies alone.
KEEPS_ROWS = {"run", "study"}
COPY = re.compile(r"fsync \S*/out(/r|/s|/s/one)?$|\w+ \S*/\.?result\.json(\.\d+\.tmp)?$")
# Files of a shot, which has the same bytes each time: where they are those of a shot without a
# fault, none mattered.
EXACT = ("gather.csv", "gather.sgy", "snapshots.h5", "snapshots.xdmf")


def is_json(path):
    json.loads(path.read_text("utf-8"))


def is_table(path):
    rows = list(csv.reader(line for line in path.read_text("utf-8").splitlines()
                           if not line.startswith("#")))
    assert rows and len({len(row) for row in rows}) == 1, "lines of several lengths"


def is_picture(path):
    data = path.read_bytes()
    assert data[:4] == b"\x89PNG" and data[-8:-4] == b"IEND", "half a picture"


def is_page(path):
    assert path.read_text("utf-8").rstrip().endswith("</html>"), "half a page"


def is_text(path):
    assert path.read_text("utf-8").endswith("\n"), "half a line"


WHOLE = {".json": is_json, ".csv": is_table, ".png": is_picture, ".html": is_page,
         ".md": is_text, ".h5": whole_snapshots}
OLD = {".json": '{"schema": "tessera-tuned-2", "winners": []}', ".csv": "old\n", ".png": "old",
       ".html": "old", ".md": "old", ".h5": ""}


def usable_library(place):
    """The library that makes calls fail; None, with the reason on standard output, where it cannot be
    used."""
    library = c_library(place, "fail_writes")
    if library and "ASan runtime" in run(library, (TESSERA, "--version")).stderr:
        print("the address sanitizer must be the first library: writes that fail were not tried")
        return None
    return library


def run(library, command, at=0, on=False, kind=None, count=None, log=None):
    environment = {**os.environ, "LD_PRELOAD": str(library), "TESSERA_FAIL_AT": str(at),
                   "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg",
                   "TESSERA_QUICK_ROOFS": "1",
                   "MPLCONFIGDIR": str(library.parent)}
    for name, value in (("ON", "1" if on else None), ("KIND", kind), ("COUNT", count),
                        ("LOG", log)):
        if value:
            environment[f"TESSERA_FAIL_{name}"] = str(value)
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors="replace", check=False, env=environment, timeout=300)


def calls_of(library, command, place):
    """How many calls a command makes that could fail, "all" and by kind, and how it ended."""
    count = place / "count"
    count.unlink(missing_ok=True)
    done = run(library, command, count=count)
    lines = count.read_text("utf-8").split("\n") if count.exists() else []
    return {name: int(number) for name, number in (line.split() for line in lines if line)}, done


def sample(numbers, most, what):
    """All of them, or as many as are tried in the tier quick."""
    if ALL or len(numbers) <= most:
        return list(numbers)
    return sorted(random.Random(f"{SEED} {what}").sample(list(numbers), most))


def tool(name, *arguments):
    return (sys.executable, ROOT / f"tools/{name}.py", *arguments)


def writers(place):
    """Of each writer: its command, the files that it writes, how many calls are tried of a kind."""
    out = place / "out"
    (place / "shot.toml").write_text(SHOT, "utf-8")
    (place / "survey.toml").write_text(SURVEY, "utf-8")
    (place / "run.toml").write_text(RUN, "utf-8")
    (place / "suite.toml").write_text('[[run]]\nname = "one"\ndeck = "run.toml"\n', "utf-8")
    ladder = H100 / "jacobi-ladder-2d-gpu.json"
    corpus = ROOT / "tests/fuzz/corpus/tools/counters"
    return {
        "run": ((TESSERA, "run", place / "run.toml", "-o", out / "r"),
                ("r/result.json", "r/result.csv"), 4),
        "tune": ((TESSERA, "tune", place / "run.toml", "--steps", "1", "-w", out / "w.json", "-o",
                  out / "t"), ("w.json", "t/result.json"), 2),
        "predict": ((TESSERA, "predict", ROOT / "inputs/su-k20.toml", "--machine", "K20", "-o",
                     out / "p.json"), ("p.json",), 4),
        "machine": ((TESSERA, "machine", "--quick", "-o", out / "m.json"), ("m.json",), 1),
        "compare": (tool("compare", ladder, "--markdown", out / "c.md", "--long-csv", out / "l.csv"),
                    ("c.md", "l.csv"), 2),
        "study": ((TESSERA, "study", place / "suite.toml", "-o", out / "s", "--platform", "here"),
                  ("s/manifest.json", "s/machine.json", "s/one/result.json", "s/one/result.csv"), 2),
        "shot": ((TESSERA, "shot", place / "shot.toml", "-o", out / "shot"),
                 ("shot/gather.csv", "shot/shot.json", "shot/snapshots.h5"), 4),
        "survey": ((TESSERA, "survey", place / "survey.toml", "-o", out / "survey"),
                   ("survey/survey.json", "survey/shot-0001/gather.csv",
                    "survey/shot-0001/shot.json"), 4),
        "ladder": (tool("ladder", ladder, "--plot", out / "a.png"), ("a.png",), 2),
        "report": (tool("report", ladder, "-o", out / "a.html"), ("a.html",), 2),
        "counters": (tool("counters", "--import", corpus / "counters.csv", "--profile",
                          corpus / "profile.json", "--result", out / "old-profile.json"),
                     ("old-profile.json",), 2),
    }


def prepare(out, files, corpus):
    shutil.rmtree(out, ignore_errors=True)
    for name in files:
        path = out / name
        if path.parent != out:
            continue  # a run makes its folder
        out.mkdir(exist_ok=True)
        if name.startswith("old-"):  # read, changed and written
            shutil.copyfile(corpus / name[4:], path)
        else:
            path.write_text(OLD[path.suffix], "utf-8")


def is_whole(path, text):
    try:
        if path.read_text("utf-8", errors="replace") != OLD[path.suffix]:
            WHOLE[path.suffix](path)
    except (OSError, ValueError, KeyError, AssertionError) as error:
        check(False, f"{text}: {path.name}: {error}")


def exact_files(out):
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*"))
            if path.name in EXACT}


def has_every_row(path):
    """Whether nothing of a result file was cut short."""
    rows = json.loads(path.read_text("utf-8"))["results"]
    return all(row["status"] == "unsupported" or (row["status"] == "valid" and not row["reason"])
               for row in rows)


def judge(name, result, failed, out, files, exact, text):
    lines = [line for line in result.stderr.splitlines() if "error: " in line]
    if result.returncode != 0:
        check(result.returncode in (1, 2) and len(lines) == 1 and "Traceback" not in result.stderr,
              f"{text}: status {result.returncode}: {result.stderr[-300:]}")
    mattered = [line for line in failed if not IGNORED.match(line) and
                not (name in KEEPS_ROWS and COPY.match(line))]
    if result.returncode == 0 and exact:
        check(exact_files(out) == exact, f"{text}: status 0 and other bytes")
        mattered = []
    check(result.returncode != 0 or not mattered, f"{text}: status 0, though {mattered[:2]} failed")
    for file in files:
        if (out / file).exists():
            is_whole(out / file, text)
            if result.returncode == 0 and not file.startswith("old-"):
                check((out / file).read_bytes() != OLD[Path(file).suffix].encode(),
                      f"{text}: status 0 and {file} is the old one")
                check(name not in KEEPS_ROWS or not file.endswith("result.json") or
                      has_every_row(out / file), f"{text}: status 0 and rows cut short")
        else:
            check(result.returncode != 0, f"{text}: {file} is gone")
    left = [path.name for path in out.rglob("*")
            if path.name.endswith((".tmp", ".part")) or path.name.startswith(".tessera-")]
    check(not left, f"{text}: {left} is left")
    for path in out.rglob("*.part.*"):
        if path.suffix in WHOLE:
            is_whole(path, f"{text}, growing")


def test_writer(library, place, name, writer):
    command, files, most = writer
    out = place / "out"
    corpus = ROOT / "tests/fuzz/corpus/tools/counters"
    log = place / "log"
    prepare(out, files, corpus)
    calls, done = calls_of(library, command, place)
    fine = done.returncode == 0 and calls.get("all", 0) > 2
    check(fine, f"{name}: {calls}, {done.stderr[-300:]}")
    if not fine:
        return
    exact = exact_files(out)
    plans = [(None, n, True) for n in sample(range(1, calls["all"] + 1), most, name)]
    for kind in KINDS:
        plans += [(kind, n, False)
                  for n in sample(range(1, calls[kind] + 1), most, f"{name}{kind}")]
    tried = 0
    for kind, number, on in plans:
        prepare(out, files, corpus)
        log.unlink(missing_ok=True)
        result = run(library, command, number, on, kind, log=log)
        failed = log.read_text("utf-8").splitlines() if log.exists() else []
        if not failed:
            continue  # fewer calls of this kind
        tried += 1
        judge(name, result, failed, out, files, exact,
              f"{name}, {kind or 'any'} {number}{' and on' if on else ''} ({failed[0]})")
    print(f"{name}: {tried} faults", flush=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        library = usable_library(place)
        if library is None:
            return
        print(f"faults: TESSERA_TEST_SEED={SEED} repeats them")
        for name, writer in drawn(writers(place).items(), "writers"):
            if name in (sys.argv[3:] or [name]):
                test_writer(library, place, name, writer)
    finish()


if __name__ == "__main__":
    main()
