# SPDX-License-Identifier: Apache-2.0
"""One name for two things, and foreign files.

Kinds of faults that programs of this field have had, each tried on the program as it is called.
Arguments: the repository's root, the tessera binary.
"""

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

from trust_common import ROOT, RUN, TESSERA, run_tests, set_all, start, tessera, wait_for

# isort: split
from checks import check, refused  # trust_common knows where


def test_names(place):
    """One name for two things, and names that cannot be written, before anything is measured."""
    run, out = place / "run.toml", place / "names"
    out.mkdir()
    for arguments, part in (
            (("run", run, "-o", out / "x.csv"), "two outputs"),
            (("run", run, "-o", run), "is read and would be"),
            (("tune", run, "-w", out / "w.json", "-o", out / "w.json"), "is read and would be"),
            (("run", run, "-o", out / (245 * "x" + ".json")), "too long"),
            (("machine", "-o", out), "is a directory")):
        refused(tessera(*arguments), part)
    check(not list(out.iterdir()) and run.read_text("utf-8") == RUN, "nothing was written")
    (out / "old.json").write_text("old", "utf-8")
    (out / "old.json").chmod(0o640)
    (out / "link.json").symlink_to("old.json")
    check(tessera("predict", ROOT / "inputs/su-k20.toml", "--machine", "K20", "-o",
                  out / "link.json").returncode == 0, "a link is followed")
    check((out / "link.json").is_symlink() and
          (out / "old.json").stat().st_mode & 0o777 == 0o640, "and modes are kept")
    before = set(Path("/dev").iterdir())
    check(tessera("run", run, "-o", "/dev/null").returncode == 0, "-o /dev/null")
    new = {path for path in set(Path("/dev").iterdir()) - before if "null" in path.name}
    check(not new, f"nothing beside /dev/null: {new}")


def test_inputs(place):
    """No input, whoever names it, is written over by an output, whoever names that."""
    run, out = place / "run.toml", place / "inputs"
    out.mkdir()
    tables = {"w.json": '{"schema": "tessera-tuned-1", "winners": []}',
              "r.csv": "variant,tile,precision,stencil,update,registers\n"
                       "acoustic/naive,,,,inner,32\n",
              "gather.csv": "x,y,z\n100,100,50\n"}
    for name, text in tables.items():
        (out / name).write_text(text, "utf-8")
    published = next((ROOT / "inputs/published").glob("sai-*.toml")).read_text("utf-8")
    (out / "pub.toml").write_text(published, "utf-8")
    # One of the other kind than this machine is refused for that.
    on_host = "is of a gpu" in tessera("run", run, "-m", "K20", "--dry-run").stderr
    machine = (ROOT / f"inputs/machines/{'Zen4-AVX2' if on_host else 'K20'}.json").read_text("utf-8")
    (out / "m.json").write_text(machine, "utf-8")
    network = (ROOT / "inputs/networks/dgx-h100.json").read_text("utf-8")
    (out / "net.json").write_text(network, "utf-8")
    np.full(41**3, 2000.0, dtype="<f4").tofile(out / "snapshots.h5")
    raw = f'model={{kind="raw", file="{out}/snapshots.h5", nx=41, ny=41, nz=41}}'
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    for arguments in (
            ("run", run, "--tuned", out / "w.json", "-o", out / "w.json"),
            ("run", run, "-m", out / "m.json", "-o", out / "m.json"),
            ("run", run, "-o", out / "pub.toml",
             *set_all(f'output.published="{out}/pub.toml"')),
            ("run", run, "-o", out / "r.csv", *set_all(f'measure.registers="{out}/r.csv"')),
            ("run", run, "-o", out / "r.json", *set_all(f'measure.registers="{out}/r.csv"')),
            ("predict", ROOT / "inputs/su-k20.toml", "--machine", "K20", "--registers",
             out / "r.csv", "-o", out / "r.csv"),
            ("predict", ROOT / "inputs/su-k20.toml", "--machine", "H100", "--ranks", "1x1x2",
             "--network", out / "net.json", "-o", out / "net.json"),
            ("tune", run, "--machine", out / "m.json", "--prune", "1.2", "-w", out / "new.json",
             "-o", out / "m.json"),
            ("machine", "--input", out / "m.json", "--calibrate", out / "w.json", "-o",
             out / "w.json"),
            ("machine", "--input", out / "m.json", "--calibrate", out / "none.json", "--registers",
             out / "r.csv", "-o", out / "r.csv"),
            ("shot", place / "shot.toml", "-o", out,
             *set_all(f'receivers=[{{table="{out}/gather.csv"}}]')),
            ("shot", place / "shot.toml", "-o", out, "--dry-run", *set_all(raw)),
            ("shot", place / "shot.toml", "-o", out, *set_all(raw))):
        refused(tessera(*arguments), "is read and would be")
    after = {path.name: path.read_bytes() for path in out.iterdir()}
    check(after == before, f"inputs are as they were: {sorted(after)}")


def test_dry_runs(place):
    """What a run refuses to write, its dry run refuses, and neither writes nor locks anything."""
    run, out = place / "run.toml", place / "dry"
    out.mkdir()
    (out / "file").write_text("old", "utf-8")
    before = sorted(place.rglob("*"))
    for command, more in (("run", ()), ("tune", ("-w", out / "winners.json"))):
        for output, part in ((run, "is read and would be"), (out, "is a directory"),
                             (out / "x.part.json", "names with .part"),
                             (out / "file" / "x.json", "cannot create the directory"),
                             (out / (245 * "x" + ".json"), "too long")):
            for dry in ((), ("--dry-run",)):
                refused(tessera(command, run, "-o", output, *more, *dry), part)
    refused(tessera("run", run, "-o", out / "x.csv", "--dry-run"), "two outputs")
    for output in (out / "not" / "there" / "x.json", "/dev/null"):
        done = tessera("run", run, "-o", output, "--dry-run")
        check(done.returncode == 0, f"a dry run into {output}: {done.stderr}")
    check(sorted(place.rglob("*")) == before, "nothing is written or locked")


def test_links(place):
    """Every output that is a link is followed, also to another folder and to what is not there."""
    out, far = place / "links", place / "far"
    out.mkdir()
    far.mkdir()
    names = ("gather.csv", "gather.sgy", "snapshots.h5", "snapshots.xdmf", "shot.json")
    for name in names:
        (out / name).symlink_to(far / name)
    done = tessera("shot", place / "shot.toml", "-o", out)
    check(done.returncode == 0, f"a shot through links: {done.stderr}")
    written = {name for name in names if (far / name).is_file()}
    check(written >= {"gather.csv", "shot.json"} and
          all((out / name).is_symlink() for name in written), f"links stay: {written}")
    check(not list(place.rglob("*.part.*")), "nothing else is left")


def test_no_plain_files(place):
    """Pipes, folders and one file for two outputs of a shot, before its first step."""
    shot = place / "shot.toml"
    for count, (name, other) in enumerate((("shot.json", "pipe"), ("gather.csv", "pipe"),
                                           ("snapshots.xdmf", "folder"), ("shot.json", "folder"),
                                           ("gather.csv", "shot.json"),
                                           ("snapshots.h5", "gather.csv"))):
        out = place / f"odd{count}"
        out.mkdir()
        if other == "pipe":
            os.mkfifo(place / f"pipe{count}")
            (out / name).symlink_to(place / f"pipe{count}")
        elif other == "folder":
            (out / name).mkdir()
        else:
            (out / name).symlink_to(other)
        said = {"pipe": "no plain file", "folder": "is a directory"}.get(other, "are one file")
        for more in ((), ("--dry-run",)):
            refused(tessera("shot", shot, "-o", out, *more), said)
        check(other != "pipe" or (place / f"pipe{count}").is_fifo(), "the pipe is one still")
        check([path.name for path in out.iterdir() if path.name[0] != "."] == [name],
              f"{name}, {other}: {list(out.iterdir())}")


def test_links_to_one_target(place):
    """Two shots whose links lead to the same files; an output that is wanted no longer."""
    shot, common = place / "shot.toml", place / "common"
    common.mkdir()
    folders = [place / "one", place / "two"]
    for out in folders:
        out.mkdir()
        (out / "gather.csv").symlink_to(common / "gather.csv")
    first = start("shot", shot, "-o", folders[0], *set_all("case.steps=200000", "output.segy=false"))
    check(wait_for(lambda: (common / "gather.part.csv").exists(), "the first shot grows"), "grows")
    refused(tessera("shot", shot, "-o", folders[1]), "is being written by")
    first.terminate()
    check(first.wait(timeout=60) == 143, "the first goes on until it is told to end")
    check((common / "gather.csv").exists(), "and keeps what it recorded")
    done = tessera("shot", shot, "-o", folders[1])
    check(done.returncode == 0 and (common / "gather.csv").exists(), f"then: {done.stderr}")
    done = tessera("shot", shot, "-o", folders[1], *set_all("output.csv=false"))
    check(done.returncode == 0 and not (common / "gather.csv").exists(), "what a link leads to goes")


def test_own_stream(place):
    """A result file that is where the words go: the table or the file would be lost."""
    run, out = place / "run.toml", place / "stream.out"
    for name in ("/dev/stdout", out):
        with open(out, "w", encoding="utf-8") as words:
            result = subprocess.run([TESSERA, "run", str(run), "-o", str(name)], stdout=words,
                                    stderr=subprocess.PIPE, text=True, check=False, timeout=300)
        check(result.returncode == 1 and "own words go" in result.stderr, f"{name}: {result.stderr}")
    result = tessera("run", run, "-o", "/dev/stdout")
    check(result.returncode == 0 and '"schema"' in result.stdout, f"a pipe: {result.stderr}")


def test_unwritten(place):
    """A table is shown and winners are kept where the result file cannot be written."""
    run = place / "run.toml"
    result = tessera("run", run, "-o", "/dev/full")
    check(result.returncode == 1 and "naive" in result.stdout.split("configurations:")[-1]
          and "No space left" in result.stderr, f"the table: {result.stdout} {result.stderr}")
    winners = place / "kept.json"
    result = tessera("tune", run, "-w", winners, "-o", "/dev/full", "--steps", "1")
    check(result.returncode == 1 and winners.exists() and
          "acoustic/naive" in winners.read_text("utf-8"), f"winners: {result.stderr}")
    refused(tessera("run", run, "-o", place / "r.part.json"), "names with .part")


def test_foreign_files(place):
    """JSON nested without end, and decks that never end."""
    deep = place / "deep.json"
    deep.write_text('{"schema": ' + 65000 * "[" + 65000 * "]" + "}", "utf-8")
    low = ROOT / "inputs/su-k20.toml"
    for arguments in (("predict", low, "--machine", deep), ("plan", "j2d5pt", "--machine", deep),
                      ("run", place / "run.toml", "--dry-run", "--tuned", deep),
                      ("run", place / "run.toml", "--dry-run", "--counters", deep)):
        refused(tessera(*arguments), "deep.json", "nests deeper")
    refused(tessera("run", "/dev/zero", "--dry-run"), "/dev/zero")
    fifo = place / "fifo"
    os.mkfifo(fifo)
    waiting = start("run", fifo, "--dry-run")
    time.sleep(0.5)
    waiting.terminate()
    check(waiting.wait(timeout=20) == -signal.SIGTERM, "a pipe that nobody writes into")


if __name__ == "__main__":
    run_tests(test_names, test_inputs, test_dry_runs, test_links, test_no_plain_files,
              test_links_to_one_target, test_own_stream, test_unwritten, test_foreign_files)
