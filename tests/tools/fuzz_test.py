# SPDX-License-Identifier: Apache-2.0
"""Every tool takes changed files, or refuses them in one line: never a traceback.

Each case runs a tool as it is called, in this process, which has loaded the modules that tools want.
TESSERA_TOOL_FUZZ_CASES says how many (quick: a few a tool), TESSERA_FUZZ_SEED draws others (nightly:
at random); a case that fails is kept and named. Inputs that once failed are in
tests/fuzz/corpus/tools, a folder a tool, and run each time."""

import json
import os
import resource
import shutil
import signal
import tempfile
from pathlib import Path

from common import ROOT, call, check, finish, preload

# isort: split
from built import SANITIZED
from checks import failures
from tool_mutations import Mutator

preload("h5py", "matplotlib.pyplot", "numpy", "pandas", "xarray", "jsonschema")
CASES = int(os.environ.get("TESSERA_TOOL_FUZZ_CASES", "34"))
SEED = int(os.environ.get("TESSERA_FUZZ_SEED", "1"))
CORPUS = ROOT / "tests/fuzz/corpus/tools"
RESULTS = ROOT / "results"
H100, TWO = RESULTS / "nvidia-h100", RESULTS / "nvidia-h100-x2"
# Programs that say what is wrong on standard output, by design: lists of differences.
TELLS = {"validate", "counters", "compare"}
# A tool, its arguments (INPUT is the changed file), files to change.
TOOLS = [
    ("ladder", "INPUT", [H100 / "jacobi-ladder-2d-gpu.json", H100 / "acoustic-gpu.json"]),
    ("ladder", "INPUT --plot OUT.png", [H100 / "jacobi-ladder-2d-gpu.json"]),
    ("plot_nw", "INPUT -o OUT.png", [H100 / "directional-windows-gpu.json"]),
    ("plot_roofline", "INPUT -o OUT.png", [H100 / "counted/acoustic-gpu.json"]),
    ("report", "INPUT -o OUT.html", [H100 / "ete-73-random-gpu.json"]),
    ("compare", "INPUT --problems --p3 OUT.p3 --long-csv OUT.long.csv",
     [H100 / "ete-37-random-gpu.json", RESULTS / "predicted/v100/ete-37-random-gpu.json",
      ROOT / "inputs/published/sai-table2.toml"]),
    ("scaling", f"{TWO}/acoustic-1.json INPUT --markdown", [TWO / "acoustic-weak-2-nccl.json"]),
    ("scaling", f"{TWO}/acoustic-1.json INPUT --plot OUT.png", [TWO / "acoustic-weak-2-staged.json"]),
    ("compare", "--difference EARLIER INPUT", [H100 / "ete-37-smooth-gpu.json"]),
    ("validate", "INPUT", [H100 / "ete-37-smooth-gpu.json", H100 / "machine.json",
                           ROOT / "inputs/quick.toml", ROOT / "inputs/shot.toml"]),
    ("counters", "--import INPUT --profile PROFILE", [CORPUS / "counters/counters.csv"]),
    ("counters", "--import COUNTERS --profile INPUT", [CORPUS / "counters/profile.json"]),
    ("counters", "--import COUNTERS --profile PROFILE --result INPUT",
     [CORPUS / "counters/profile.json"]),
    ("plot_shot", "SHOT --only gather", [CORPUS / "plot_shot/gather.csv"]),
]


def run(tool, arguments):
    """A tool with a limit of time: status, standard error and output."""
    signal.alarm(60)
    done = call(ROOT / f"tools/{tool}.py", *arguments)
    signal.alarm(0)
    return done.returncode, done.stderr, done.stdout


def judge(tool, result, kept, what):
    """Whether a run ended as a tool may."""
    status, errors, told = result
    lines = [line for line in errors.splitlines() if "error: " in line or "usage:" in line]
    fine = "Traceback" not in errors and status in (0, 1, 2)
    if status != 0 and fine:
        fine = len(lines) == 1 and len(lines[0]) < 1500 or (tool in TELLS and told)
    if not fine:
        place = Path(tempfile.gettempdir()) / f"tessera_fuzz_{tool}_{os.getpid()}_{len(failures)}"
        shutil.copyfile(kept, place.with_suffix(kept.suffix))
        check(False, f"{tool}: {what}: status {status}, {' | '.join(errors.splitlines()[-2:])}; "
                     f"the input is kept as {place.with_suffix(kept.suffix)}")


def words(arguments, folder, changed):
    """The command line of one case; beside it lies what the tool wants besides."""
    for name in ("profile.json", "counters.csv"):
        shutil.copyfile(CORPUS / "counters" / name, folder / name)
    # Of another date: a run is not compared with itself.
    stored = json.loads((H100 / "ete-37-smooth-gpu.json").read_text("utf-8"))
    (folder / "earlier.json").write_text(
        json.dumps({**stored, "date": "2026-01-01T00:00:00Z"}), encoding="utf-8")
    shot = folder / "shot"
    shot.mkdir(exist_ok=True)
    for name in ("gather.csv", "shot.json"):
        (shot / name).unlink(missing_ok=True)
    shutil.copyfile(changed, shot / ("shot.json" if changed.suffix == ".json" else "gather.csv"))
    out = []
    for word in arguments.split():
        word = {"INPUT": str(changed), "PROFILE": str(folder / "profile.json"),
                "COUNTERS": str(folder / "counters.csv"), "SHOT": str(shot),
                "FOLDER": str(folder / "drawn"), "EARLIER": str(folder / "earlier.json")}.get(word, word)
        out.append(word.replace("OUT.", f"{folder}/out."))
    return out


def corpus(folder):
    """What once failed: files below a folder of the tool's name."""
    found = 0
    for tool, arguments, _ in TOOLS:
        for path in sorted((CORPUS / tool).glob("once-*")):
            changed = folder / path.name
            shutil.copyfile(path, changed)
            judge(tool, run(tool, words(arguments, folder, changed)), changed,
                  path.name)
            found += 1
    print(f"{found} inputs that once failed")


def fuzz(folder):
    print(f"fuzz: {CASES} cases, TESSERA_FUZZ_SEED={SEED}", flush=True)
    mutate = Mutator(SEED)
    texts = {}
    for i in range(CASES):
        tool, arguments, seeds = TOOLS[i % len(TOOLS)]
        seed = mutate.random.choice(seeds)
        other = mutate.random.choice([path for _, _, paths in TOOLS for path in paths
                                      if path.suffix == seed.suffix])
        for path in (seed, other):
            if path not in texts:
                texts[path] = path.read_text("utf-8")
        changed = folder / f"case@{seed.name}"
        changed.write_text(mutate(texts[seed], texts[other], seed.suffix), "utf-8",
                           errors="replace")
        judge(tool, run(tool, words(arguments, folder, changed)), changed,
              f"case {i} of {seed.name}")
        changed.unlink(missing_ok=True)


def too_long(*_):
    raise TimeoutError("60 s")


def main():
    signal.signal(signal.SIGALRM, too_long)
    if not SANITIZED:  # the sanitizer's shadow takes more than any limit
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        for tool, arguments, seeds in TOOLS:  # sound files first: a tool that refuses all is none
            for seed in seeds[:1]:
                changed = folder / f"case@{seed.name}"
                shutil.copyfile(seed, changed)
                status, errors, _ = run(tool, words(arguments, folder, changed))
                check(status in ((0, 1) if tool in TELLS else (0,)),
                      f"{tool} {arguments}: {status} {errors[-300:]}")
        corpus(folder)
        fuzz(folder)
    finish()


if __name__ == "__main__":
    main()
