# SPDX-License-Identifier: Apache-2.0
"""What every tool refuses before it does anything: an output that is an input, an ending that no
writer has, an option without effect, and nothing to work on.

Arguments: the repository's root, the tessera binary.
"""

import json
import os
import shutil
import sys
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path

ROOT, TESSERA = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, equal, raises, run_tests  # noqa: E402
from tool_calls import call, preload  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))
from tessera_tools import program  # noqa: E402
from tessera_tools.errors import ToolError  # noqa: E402

preload("matplotlib.pyplot", "numpy", "xarray", "h5py")
H100 = ROOT / "results/nvidia-h100"
TUNE = ROOT / "results/host/tune-fang-37-random-avx512.json"
PUBLISHED = ROOT / "inputs/published/sai-table4.toml"
CORPUS = ROOT / "tests/fuzz/corpus/tools"


def refuses(tool, *arguments, part):
    """One line and a status that is not 0."""
    done = call(ROOT / f"tools/{tool}.py", *arguments)
    lines = done.stderr.strip().splitlines()
    check(done.returncode in (1, 2) and len(lines) == 1 and part in lines[0] and not done.stdout,
          f"{tool} {' '.join(map(str, arguments))}: '{part}', not {done.returncode}, {lines}, "
          f"{done.stdout[:100]}")


def works(tool, *arguments):
    done = call(ROOT / f"tools/{tool}.py", *arguments)
    equal(done.returncode, 0, f"{tool} {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def test_no_input_is_written_over(folder):
    """What is there is replaced where it ends as its kind of file does, also through a link, which
    stays."""
    result = folder / "r.json"
    shutil.copyfile(H100 / "ete-37-random-gpu.json", result)
    before = result.read_bytes()
    for tool, *arguments, part in (
            ("report", result, "-o", result, "no .html file"),
            ("compare", result, "--csv", result, "no .csv file"),
            ("compare", result, "--long-csv", result, "no .csv file"),
            ("convert_model", result, "-o", result, "is the input"),
            ("plot_tune", result, "-o", result, "a picture ends in")):
        refuses(tool, *arguments, part=part)
    check(result.read_bytes() == before, "the input is as it was")
    (folder / "old.png").write_text("old", encoding="utf-8")
    (folder / "link.png").symlink_to("old.png")
    works("plot_tune", TUNE, "-o", folder / "link.png")
    check((folder / "link.png").is_symlink() and (folder / "old.png").stat().st_size > 1000,
          "a picture through a link")


def test_completed_files_are_written(folder):
    """A tool that is there to complete a file does."""
    for name in ("profile.json", "counters.csv"):
        shutil.copyfile(CORPUS / "counters" / name, folder / name)
    shutil.copyfile(folder / "profile.json", folder / "result.json")
    before = (folder / "result.json").read_bytes()
    works("counters", "--import", folder / "counters.csv", "--profile", folder / "profile.json",
          "--result", folder / "result.json")
    check((folder / "result.json").read_bytes() != before, "counters went into the result file")


def test_neighbours(folder):
    """A user's files of any name beside an output stay, and nothing of ours does; a replaced file
    passes its permissions on, a new one has those of any new file."""
    mine = {}
    for name in ("t.png.part", "t.part.png", "model.f32.part", "m.part.gif", "result.json.part"):
        (folder / name).write_text("keep", encoding="utf-8")
        mine[name] = b"keep"
    for name in ("profile.json", "counters.csv"):
        shutil.copyfile(CORPUS / "counters" / name, folder / name)
    shutil.copyfile(folder / "profile.json", folder / "result.json")
    (folder / "result.json").chmod(0o640)
    mask = os.umask(0o027)
    try:
        works("plot_tune", TUNE, "-o", folder / "t.png")
        works("make_model", folder / "model.f32")
        works("counters", "--import", folder / "counters.csv", "--profile", folder / "profile.json",
              "--result", folder / "result.json")
        (folder / "model.f32").chmod(0o400)
        works("make_model", folder / "model.f32")
    finally:
        os.umask(mask)
    outputs = {"t.png": 0o640, "model.f32": 0o400, "result.json": 0o640}
    equal({name: (folder / name).stat().st_mode & 0o7777 for name in outputs}, outputs, "modes")
    equal({name: (folder / name).read_bytes() for name in mine}, mine, "a user's files")
    equal(sorted(path.name for path in folder.iterdir()),
          sorted([*mine, *outputs, "profile.json", "counters.csv"]), "what is left")
    refuses("make_model", folder / "none" / "model.f32", part="model.f32: No such file")


def test_no_plain_file(folder):
    """A folder is none; a device takes a table and no picture."""
    refuses("plot_tune", TUNE, "-o", folder, part="is a folder")
    refuses("plot_tune", TUNE, "-o", "/dev/null", part="is no plain file")
    works("make_model", "/dev/null")
    check(Path("/dev/null").is_char_device(), "/dev/null is what it was")


def test_endings(folder):
    """Before anything is read or drawn."""
    none = folder / "none.json"
    for tool, *arguments in (("plot_tune", none, "-o"), ("plot_nw", none, "-o"),
                             ("plot_roofline", none, "-o"), ("ladder", none, "--plot"),
                             ("scaling", none, "--plot")):
        refuses(tool, *arguments, folder / "x.bogus", part="a picture ends in")
    shot = folder / "shot"
    shot.mkdir()
    shutil.copyfile(CORPUS / "plot_shot/gather.csv", shot / "gather.csv")
    refuses("plot_shot", shot, "--movie", folder / "m.bogus", part="ends in .gif or .mp4")
    equal(sorted(path.name for path in shot.iterdir()), ["gather.csv"], "nothing was drawn")


def test_options_without_effect(folder):
    file = H100 / "ete-37-random-gpu.json"
    for tool, *arguments, part in (
            ("scaling", file, file, "--pairs", "--plot", folder / "x.png", "--plot has no effect"),
            ("plot_shot", folder, "--only", "gather", "--movie", folder / "m.gif",
             "--movie has no effect beside --only"),
            ("plot_shot", folder, "--only", "snapshots", "--clip", 96, "--clip has no effect"),
            ("plot_shot", folder, "--gain", 2, "--gain has no effect"),
            ("plot_roofline", "--published", PUBLISHED, "--decomposition", "seven",
             "--decomposition has no effect"),
            ("counters", ROOT / "inputs/quick.toml", "--minus", "x.csv", "--minus has no effect"),
            ("counters", "--import", "x.csv", "--keep", folder, "--keep has no effect"),
            ("check_performance", file, "--result", file, "--tries", 2, "--tries has no effect")):
        refuses(tool, *arguments, part=part)


def test_names_of_pictures(folder):
    """Two inputs have two pictures, also where they differ in their endings alone."""
    windows, counted = H100 / "directional-windows-gpu.json", H100 / "counted/acoustic-gpu.json"
    for tool, source in (("plot_tune", TUNE), ("plot_nw", windows), ("plot_roofline", counted)):
        for name, picture in (("t.1", "t.1.png"), ("t.2", "t.2.png"), ("t.json", "t.png")):
            shutil.copyfile(source, folder / name)
            check(works(tool, folder / name).strip().endswith(f"/{picture}"), f"{tool} {name}")


def test_texts_in_pictures(folder):
    """Names of any length and of control characters are drawn, short and visible."""
    content = json.loads(TUNE.read_text(encoding="utf-8"))
    for name in ("m" * 3000, "tab\there", "nul\0there", "line\nbreak", "$formula{$"):
        content["machine"]["name"] = content["machine"]["device"] = name
        (folder / "long.json").write_text(json.dumps(content), encoding="utf-8")
        done = call(ROOT / "tools/plot_tune.py", folder / "long.json")
        equal((done.returncode, done.stderr), (0, ""), f"machine {name[:20]!r}")
    windows = json.loads((H100 / "directional-windows-gpu.json").read_text(encoding="utf-8"))
    windows["machine"]["device"] = "d" * 3000
    (folder / "nw.json").write_text(json.dumps(windows), encoding="utf-8")
    works("plot_nw", folder / "nw.json")
    # What Matplotlib cannot draw is told in one line, and nothing is left.
    content["results"] = 3000 * [row for row in content["results"] if row["status"] == "valid"][:1]
    (folder / "tall.json").write_text(json.dumps(content), encoding="utf-8")
    refuses("plot_tune", folder / "tall.json", part="cannot draw ")
    check(not (folder / "tall.png").exists(), "half a picture")


def test_numbers(folder):
    """Numbers that are none, lie outside, or stand twice."""
    for tool, *arguments, part in (
            ("compiler_resources", folder, "-j", -1, "--jobs -1: must be"),
            ("model_error", "--published", "V100", "P100", "V100", "--tessera", TESSERA,
             "FOLDER: V100 is given twice")):
        refuses(tool, *arguments, part=part)


def test_nothing_to_work_on(folder):
    low_order = H100 / "acoustic-gpu.json"
    # A file is named once.
    done = call(ROOT / "tools/check_performance.py", low_order, "--result", folder / "none.json",
                "--tessera", TESSERA)
    equal((done.returncode, done.stderr.count("none.json")), (2, 1), done.stderr)


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


run_tests(test_builds, test_no_input_is_written_over, test_completed_files_are_written, test_neighbours,
          test_no_plain_file, test_endings, test_options_without_effect,
          test_names_of_pictures, test_texts_in_pictures, test_numbers, test_nothing_to_work_on)
