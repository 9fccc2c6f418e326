# SPDX-License-Identifier: Apache-2.0
"""Shots and surveys on several ranks: checkpoints and restarts on any number of ranks, ranks that are
killed, models that each rank reads its part of, shots that fail, shots by groups of ranks.

Arguments: the repository's root, the tessera binary, mpirun, and the flag that takes the number of
ranks.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

from ranks_test import ENVIRONMENT, ROOT, TESSERA, check_parallel, children, command, open_mpi, run

# isort: split
from built import HAVE_SEGY  # ranks_test knows where
from checks import check, failures, finish
from decks import set_all, shot_deck, source_at, spread
from drawn import drawn

sys.path.insert(0, str(ROOT / "tests" / "cli"))
from killed_shots import (contents, differences, goes_on, killed_behind_checkpoint,  # noqa: E402
                          wait_for_checkpoint)

SURVEY = shot_deck((42, 32, 34), 130, 5, {"f_max": 40.0},
                   model={"kind": "layered", "tops": [0, 120], "v": [1800, 2600]},
                   survey={"start": [50.0, 100.0], "end": [190.0, 100.0], "depth": 20.0, "count": 8},
                   source=[{"f_peak": 15.0}], receivers=[spread((0, 50, 10), (310, 50, 10), 5)],
                   output={"csv": not HAVE_SEGY})
FILES = ["gather.csv", "snapshots.h5", "snapshots.xdmf"] + (["gather.sgy"] if HAVE_SEGY else [])
RANDOM = {"kind": "random", "v_min": 1500.0, "v_max": 3000.0}


def shot_text(model=RANDOM):
    return shot_deck((46, 42, 44), 401, 5, model=model, source=[source_at(153, 147, 161, 12.0)],
                     receivers=[spread((3, 12, 21), (347, 301, 327), 8),
                                spread((0, 150, 50), (350, 150, 50), 8)],
                     snapshots={"every": 37, "stride": 2}, shot={"checkpoint_every": 20})


def start(ranks, *arguments):
    return subprocess.Popen(command(ranks, *arguments), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


def process_of_rank(job, rank):
    """The process of one rank of a job; 0 where it is gone."""
    for pid in children(job.pid):
        try:
            words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            name = Path(f"/proc/{pid}/comm").read_text("utf-8").strip()
        except OSError:
            continue
        for variable in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK"):
            if name == "tessera" and variable + b"=" + str(rank).encode() in words:
                return pid
    return 0


def kill_rank(job, rank, text):
    """SIGKILL of one rank ends the job within seconds, with one line."""
    pid = process_of_rank(job, rank)
    if pid == 0:
        job.communicate()
        return False
    os.kill(pid, signal.SIGKILL)
    begin = time.monotonic()
    _, error = job.communicate(timeout=40)
    took = time.monotonic() - begin
    if job.returncode == 0:
        return False
    check(took < 15, f"{text}: it took {took:.1f} s to end")
    lines = [line for line in error.splitlines() if line.startswith("tessera: error: ")]
    if open_mpi():  # MPICH's launcher has the word itself
        check(len(lines) == 1 and "a rank of it was lost" in lines[0], f"{text}: one line: {error}")
    return True


def same_files(out, whole, text):
    wanted = contents(whole, FILES)
    check(len(wanted) == len(FILES), f"{text}: of one rank there are {list(wanted)}")
    for line in differences(out, wanted):
        check(False, f"{text}: {line}")


def test_restart(folder):
    """Killed on some ranks, a shot goes on on others, and leaves the bytes of one that never was. Its
    receivers lie between the cells, of several ranks some. What the first rank refuses ends all at
    once, in one line."""
    deck = folder / "shot.toml"
    deck.write_text(shot_text(), "utf-8")
    result = run(0, "shot", deck, "-o", folder / "whole")
    check(result.returncode == 0, f"on one rank: {result.stderr}")
    # By time, too: the first rank's clock decides for all.
    kills = ((3, 0, (2, 0), ()), (3, 2, (3,), ("parallel.ranks=[3, 1, 1]",)),
             (2, 1, (4,), ('shot.checkpoint_every="0.05s"',)))
    for ranks, rank, then, keys in drawn(kills, "killed ranks"):
        out = folder / f"killed-{ranks}-{rank}"
        text = f"rank {rank} of {ranks} is killed"
        step = killed_behind_checkpoint(
            out, lambda: start(ranks, "shot", deck, "-o", out, *set_all(*keys)),
            lambda job: kill_rank(job, rank, text))
        for count in then:
            text = f"killed on {ranks} ranks, restarted on {count}"
            on = folder / f"on-{ranks}-{rank}-{count}"
            shutil.copytree(out, on)
            result = run(count, "shot", deck, "-o", on, "--restart")
            check(result.returncode == 0 and step > 0 and goes_on(result, step),
                  f"{text} from step {step}: {result.stdout}{result.stderr}")
            same_files(on, folder / "whole", text)
    refused(run(2, "shot", deck, "-o", out, "--restart", *set_all("model.seed=2")), "model", "another model")
    # One rank's checkpoint on several.
    out = folder / "one"
    job = subprocess.Popen([TESSERA, "shot", deck, "-o", out], stdout=subprocess.DEVNULL,
                           env=ENVIRONMENT)
    wait_for_checkpoint(job, out)
    job.kill()
    job.wait()
    result = run(2, "shot", deck, "-o", out, "--restart", *set_all("parallel.ranks=[2, 1, 1]"))
    check(result.returncode == 0, f"one rank's on two: {result.stderr}")
    same_files(out, folder / "whole", "one rank's on two")
    parallel = json.loads((out / "shot.json").read_text("utf-8"))["parallel"]
    check_parallel(parallel, 2, [2, 1, 1], "shot.json")


def refused(result, wanted, text):
    lines = [line for line in result.stderr.splitlines() if line.startswith("tessera: error: ")]
    check(result.returncode == 1 and len(lines) == 1 and wanted in lines[0],
          f"{text}: status {result.returncode}: {result.stderr}")


def test_models(folder):
    """Each rank reads what its cells are made of; a bad value is told by the rank that has it."""
    deck = folder / "model.toml"
    chance = np.random.default_rng(3)
    values = chance.uniform(1500, 3000, (18, 17, 19)).astype("<f4")
    values.tofile(folder / "v.f32")
    with h5py.File(folder / "v.h5", "w") as file:
        file["m"] = values
    deck.write_text(shot_text(model={}), "utf-8")
    spacing = ("model.dx=20.0", "model.dy=20.0", "model.dz=20.0")
    keys = {"raw": (f'model.file="{folder}/v.f32"', "model.nx=19", "model.ny=17", "model.nz=18",
                    *spacing),
            "hdf5": (f'model.file="{folder}/v.h5"', 'model.dataset="m"', *spacing)}
    short = ("case.steps=60", "shot.checkpoint_every=0", "snapshots.every=30")
    whole = folder / "model"
    for kind, ranks, grid in (("raw", 0, None), *drawn(
            (("raw", 3, "[1, 1, 3]"), ("hdf5", 4, "[2, 2, 1]")), "models")):
        out = folder / f"model-{kind}-{ranks}" if ranks else whole
        more = (f"parallel.ranks={grid}",) if ranks else ()
        result = run(ranks, "shot", deck, "-o", out,
                     *set_all(f'model.kind="{kind}"', *keys[kind], *short, *more))
        check(result.returncode == 0, f"{kind} on {ranks} ranks: {result.stderr}")
        if ranks and result.returncode == 0:
            same_files(out, whole, f"{kind} on {ranks} ranks")
    values[17, 3, 5] = -1
    values.tofile(folder / "v.f32")
    result = run(3, "shot", deck, "-o", folder / "bad",
                 *set_all('model.kind="raw"', *keys["raw"], *short, "parallel.ranks=[1, 1, 3]"))
    refused(result, "z = 17, y = 3, x = 5", "a bad value")


def test_layers(folder):
    """Convolutional layers are those of one rank to the bit, wherever ranks meet."""
    deck = folder / "layers.toml"
    deck.write_text(shot_text(), "utf-8")
    keys = ('acoustic.layers="convolutional"', "case.steps=90", "shot.checkpoint_every=0")
    whole = folder / "layers"
    for ranks, grid in ((0, None), (2, "[2, 1, 1]"), *drawn(
            ((2, "[1, 2, 1]"), (3, "[1, 1, 3]"), (4, "[2, 1, 2]")), "layers")):
        out = folder / f"layers-{grid}" if ranks else whole
        more = (f"parallel.ranks={grid}",) if ranks else ()
        result = run(ranks, "shot", deck, "-o", out, *set_all(*keys, *more))
        check(result.returncode == 0, f"convolutional layers, {ranks} ranks: {result.stderr}")
        if ranks and result.returncode == 0:
            same_files(out, whole, f"convolutional layers, {grid}")


def record(out):
    return json.loads((out / "survey.json").read_text("utf-8"))


def complete_in(out):
    """The complete shots of a survey, by their folders."""
    return [path for path in out.glob("shot-*/run.json")
            if json.loads(path.read_text("utf-8"))["state"] == "complete"]


def expect_complete(out, text):
    shots = record(out)["shots"]
    check([shot["status"] for shot in shots] == ["complete"] * 8, f"{text}: {shots}")


def expect_survey(out, whole, text):
    expect_complete(out, text)
    left = [path for path in out.rglob("*") if ".part." in path.name]
    check(not left, f"{text}: {left}")
    if HAVE_SEGY:
        check((out / "survey.sgy").read_bytes() == (whole / "survey.sgy").read_bytes(),
              f"{text}: the traces are others")


def read_by_segyio(path):
    try:
        import segyio
    except ImportError:
        check(os.environ.get("TESSERA_REQUIRE_SEGYIO") != "1", "python3-segyio is missing")
        print("no segyio for Python: traces are compared with one rank's alone")
        return
    with segyio.open(path, ignore_geometry=True) as file:
        fields = segyio.TraceField
        check(file.tracecount == 40, f"{file.tracecount} traces")
        check(list(file.attributes(fields.FieldRecord)[:]) == [1 + i // 5 for i in range(40)],
              "field records")
        check(list(file.attributes(fields.TRACE_SEQUENCE_FILE)[:]) == list(range(1, 41)), "sequence")
        check(list(file.attributes(fields.TraceNumber)[:]) == [1 + i % 5 for i in range(40)],
              "trace numbers")
        for i in (0, 7, 39):
            header = file.header[i]
            scalar = -header[fields.SourceGroupScalar]
            places = [header[key] / scalar for key in (fields.SourceX, fields.SourceY,
                                                       fields.GroupX, fields.GroupY)]
            wanted = [50 + 20 * (i // 5), 100, 77.5 * (i % 5), 50]
            check(max(abs(a - b) for a, b in zip(places, wanted)) < 0.006, f"trace {i}: {places}")
            check(float(abs(file.trace[i]).max()) > 0, f"trace {i} is empty")


def test_survey(folder):
    """Eight shots on two groups, killed and resumed, are those of one rank."""
    deck, whole = folder / "survey.toml", folder / "survey"
    deck.write_text(SURVEY, "utf-8")
    result = run(0, "survey", deck, "-o", whole)
    check(result.returncode == 0, f"on one rank: {result.stderr}")
    out = folder / "groups"
    one = set_all("survey.ranks_per_shot=1")
    job = start(2, "survey", deck, "-o", out, *one)
    while job.poll() is None and len(complete_in(out)) < 2:
        time.sleep(0.005)
    kill_rank(job, 1, "a survey's rank is killed")
    check(job.returncode != 0, "the survey was faster than the kill")
    complete = len(complete_in(out))
    check(2 <= complete < 8, f"{complete} shots were complete")
    refused(run(2, "survey", deck, "-o", out, *one), str(out), "without --resume")
    result = run(2, "survey", deck, "-o", out, "--resume", *one)
    check(result.returncode == 0, f"resumed: {result.stderr}")
    done = [line for line in result.stdout.splitlines() if ": complete, " in line]
    check(len(done) == 8 - complete and "2 groups of 1 rank" in result.stdout, f"resumed: {result.stdout}")
    expect_survey(out, whole, "two groups of one rank")
    if HAVE_SEGY:
        read_by_segyio(out / "survey.sgy")
    refused(run(2, "survey", deck, "-o", out, "--dry-run", *set_all("survey.ranks_per_shot=3")),
            "survey.ranks_per_shot", "three of two")


def test_failing_shots(folder):
    """A shot that one group cannot write, the disk being full for its leader, is told; the other
    group's are made; then all are."""
    deck, out = folder / "survey.toml", folder / "full"
    job = start(4, "survey", deck, "-o", out,
                *set_all("survey.ranks_per_shot=2", "output.csv=true", "output.segy=false"))
    while job.poll() is None and not list(out.glob("shot-*/gather.part.csv")):
        time.sleep(0.005)
    leader = process_of_rank(job, 2)
    check(leader, "the survey was faster than the test")
    if leader:  # what it writes from now on ends amid a gather
        resource.prlimit(leader, resource.RLIMIT_FSIZE, (4000, 4000))
    output, error = job.communicate(timeout=300)
    result = subprocess.CompletedProcess([], job.returncode, output, error)
    shots = record(out)["shots"]
    states = [shot["status"] for shot in shots]
    failed = [shot for shot in shots if shot["status"] == "failed"]
    check(result.returncode == 1 and failed and states.count("complete") == 8 - len(failed) > 0,
          f"full: status {result.returncode}, {states}: {result.stderr}")
    check(all("File too large" in shot["reason"] for shot in failed), f"full: {failed}")
    result = run(4, "survey", deck, "-o", out, "--resume",
                 *set_all("survey.ranks_per_shot=2", "output.csv=true", "output.segy=false"))
    check(result.returncode == 0, f"full, then resumed: {result.stderr}")
    expect_complete(out, "two groups of two ranks")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for test in (test_restart, test_models, test_layers, test_survey, test_failing_shots):
            begin = time.monotonic()
            test(folder)
            print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{len(failures)} failures" if failures else "ok")
    finish()


if __name__ == "__main__":
    main()
