# SPDX-License-Identifier: Apache-2.0
"""What every tool keeps to: an input is never written over, neighbours of an output stay, what cannot
be drawn or done is one line."""

import json
import os
import shutil
from contextlib import redirect_stderr
from functools import partial
from io import StringIO

from common import ROOT, TESSERA, call, check, equal, preload, raises, run_tests

from tessera_tools import plotting, program
from tessera_tools.errors import ToolError

preload("matplotlib.pyplot", "pandas", "jsonschema", "xarray", "plotly.offline")
CORPUS = ROOT / "tests/fuzz/corpus/tools"


def refuses(tool, *arguments, part):
    """One line and a status that is not 0."""
    done = call(ROOT / f"tools/{tool}.py", *arguments)
    lines = done.stderr.strip().splitlines()
    check(done.returncode in (1, 2) and len(lines) == 1 and part in lines[0] and not done.stdout,
          f"{tool} {' '.join(map(str, arguments))}: '{part}', not {done.returncode}, {lines}")


def works(tool, *arguments):
    done = call(ROOT / f"tools/{tool}.py", *arguments)
    equal((done.returncode, done.stderr), (0, ""), f"{tool} {' '.join(map(str, arguments))}")
    return done.stdout


def windows(folder, change=lambda content: None):
    """A file of two configurations that tools/plot_nw.py draws."""
    content = json.loads((ROOT / "results/nvidia-h100/directional-windows-gpu.json").read_text("utf-8"))
    content["results"] = [row for row in content["results"] if "64x4,v=1,nw=" in row["configuration"]][:2]
    change(content)
    path = folder / "nw.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_no_input_is_written_over(folder):
    result = windows(folder)
    before = result.read_bytes()
    for tool, *arguments, part in (
            ("report", result, "-o", result, "no .html file"),
            ("compare", result, "--long-csv", result, "no .csv file"),
            ("convert_model", result, "-o", result, "is the input"),
            ("plot_nw", result, "-o", result, "a picture ends in"),
            ("plot_nw", result, "-o", folder, "is a folder"),
            ("plot_nw", result, "-o", "/dev/null", "is no plain file"),
            ("make_model", folder / "none" / "model.f32", "No such file")):
        refuses(tool, *arguments, part=part)
    check(result.read_bytes() == before, "the input is as it was")


def test_neighbours(folder):
    """A user's files of any name beside an output stay, and nothing of ours does; a link is followed;
    a replaced file passes its permissions on, a new one has those of any new file."""
    mine, source = {"keep", "t.png.part", "result.json.part"}, windows(folder)
    for name in mine:
        (folder / name).write_text("keep", encoding="utf-8")
    (folder / "link.png").symlink_to("old.png")
    for name in ("profile.json", "counters.csv"):
        shutil.copyfile(CORPUS / "counters" / name, folder / name)
    shutil.copyfile(folder / "profile.json", folder / "result.json")
    (folder / "result.json").chmod(0o640)
    mask = os.umask(0o027)
    try:
        works("plot_nw", source, "-o", folder / "link.png")
        works("counters", "--import", folder / "counters.csv", "--profile", folder / "profile.json",
              "--result", folder / "result.json")
    finally:
        os.umask(mask)
    check((folder / "result.json").read_bytes() != (folder / "profile.json").read_bytes(), "counters")
    check((folder / "link.png").is_symlink() and (folder / "old.png").stat().st_size > 1000, "a link")
    equal([(folder / name).stat().st_mode & 0o7777 for name in ("old.png", "result.json")], [0o640] * 2,
          "modes")
    equal({(folder / name).read_text("utf-8") for name in mine}, {"keep"}, "a user's files")
    equal({path.name for path in folder.iterdir()}, mine | {
        "nw.json", "link.png", "old.png", "profile.json", "counters.csv", "result.json"}, "what is left")


def test_pictures(folder):
    """Names of any length and of control characters are drawn; what Matplotlib cannot draw is told in
    one line, and nothing is left. Two inputs have two pictures."""
    def long(content):
        content["machine"]["name"] = content["machine"]["device"] = 3000 * "m" + "\t\0\n$formula{$"

    works("plot_nw", windows(folder, long))
    windows(folder).rename(folder / "t.1")
    check(works("plot_nw", folder / "t.1").strip().endswith("/t.1.png"), "t.1.png")
    (folder / "nw.png").unlink()
    huge = plotting.pyplot().figure(figsize=(5000, 5000))
    raises(ToolError, partial(plotting.save, huge, folder / "nw.png"), "cannot draw ", "too large")
    check(not (folder / "nw.png").exists(), "half a picture")


def test_options(folder):
    """Without effect, no numbers, given twice."""
    for tool, *arguments, part in (
            ("plot_shot", folder, "--only", "snapshots", "--clip", 90, "--clip has no effect"),
            ("counters", ROOT / "inputs/quick.toml", "--minus", "x.csv", "--minus has no effect"),
            ("compiler_resources", folder, "-j", -1, "--jobs -1: must be"),
            ("model_error", "--published", "V100", "V100", "--tessera", TESSERA, "V100 is given twice"),
            ("check_performance", "none.json", "x.toml", "--tolerance", "nan", "--tolerance nan")):
        refuses(tool, *arguments, part=part)


def test_builds(folder):
    """The newest of several builds, by its name; none is an error."""
    path, program.ROOT = os.environ.pop("PATH"), folder  # an installed one would do
    raises(ToolError, partial(program.find_tessera, None), "--tessera", "no build")
    for age, name in enumerate(("quick", "few", "openmp")):
        build = folder / "build" / name / "tessera"
        build.parent.mkdir(parents=True)
        build.write_text("#!/bin/sh\n", "ascii")
        build.chmod(0o755)
        os.utime(build, (10**9 - age, 10**9 - age))
    with redirect_stderr(StringIO()) as said:
        found = program.find_tessera(None)
    equal(found, str(folder / "build/quick/tessera"), "the newest")
    check("build/quick/tessera" in said.getvalue(), f"which one: {said.getvalue()}")
    equal(program.find_tessera(None, "build/few/tessera"), str(folder / "build/few/tessera"), "its own")
    os.environ["PATH"], program.ROOT = path, ROOT


run_tests(test_builds, test_no_input_is_written_over, test_neighbours, test_pictures, test_options)
