# SPDX-License-Identifier: Apache-2.0
"""tools/check_performance.py on made-up result files, with a stand-in for tessera and with it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
TESSERA = sys.argv[2]
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
import made_results as made  # noqa: E402
from checks import check, run_tests  # noqa: E402


def tool(*arguments):
    command = [sys.executable, ROOT / "tools" / "check_performance.py", *arguments]
    if "--tessera" not in arguments:
        command += ["--tessera", TESSERA]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check_error(result, part, text):
    check(result.returncode == 2, f"{text}: exit status 2, not {result.returncode}")
    lines = [line for line in result.stderr.splitlines() if not line.startswith("running ")]
    check(len(lines) == 1 and part in lines[0] and lines[0].startswith("check_performance.py: "),
          f"{text}: one line with '{part}', not {lines}")


def row(name, rate, spread=0.01, status="valid", **more):
    """A row of five samples whose quartiles lie `spread` apart."""
    seconds = 5e-6 / rate
    samples = [seconds * (1 + step * spread) for step in (-1, -0.5, 0, 0.5, 1)]
    if status != "valid":
        return made.row(name, status=status, stencil="jacobi/j2d5pt", ny=50, nz=1, steps=8, **more)
    return made.row(name, rate, **{"stencil": "jacobi/j2d5pt", "ny": 50, "nz": 1, "steps": 8,
                                   "samples_s": samples, "iqr_s": spread * seconds, **more})


def write(path, rows, device="Made Up 1", date="2026-11-24T00:00:00Z", copy=100.0, **more):
    return made.write(path, made.content(rows, {"device": device}, copy=copy, date=date, **more))


def verdicts(result):
    """{variant:configuration: verdict} of the lines."""
    words = [line.split() for line in result.stdout.splitlines() if not line.startswith("note: ")]
    return {line[1]: line[0] for line in words if len(line) > 1 and ":" in line[1]}


def test_verdicts(folder):
    stored = folder / "stored"
    stored.mkdir()
    write(stored / "old.json", [row("jacobi/step:a", 99.0), row("jacobi/ebisu:t=4", 40.0)],
          date="2026-11-20T00:00:00Z")
    write(stored / "new.json", [row(f"jacobi/step:{c}", 10.0) for c in "abcd"], date="2026-11-23T00:00:00Z")
    (stored / "machine.json").write_text('{"schema": "tessera-machine-1"}', encoding="utf-8")
    run = write(folder / "run.json", [
        row("jacobi/step:a", 9.0), row("jacobi/step:b", 9.7), row("jacobi/step:c", 12.0),
        row("jacobi/step:d", 9.0, spread=0.3), row("jacobi/warps:t=4", 30.0),
        row("jacobi/step:e", 1.0), row("jacobi/step:a", 1.0, precision="double")],
        date="2026-12-24T00:00:00Z")
    result = tool(stored, "--result", run)
    check(result.returncode == 1, f"something slower: {result.returncode} {result.stderr}")
    # The newest of a stands, d is too noisy to tell, and warps was called ebisu.
    check(verdicts(result) == {"jacobi/step:a": "slower", "jacobi/step:b": "same",
                               "jacobi/step:c": "faster", "jacobi/step:d": "same",
                               "jacobi/warps:t=4": "slower"}, f"verdicts: {result.stdout}")
    lines = result.stdout.splitlines()
    check("10 -> 9 GCell/s, share of copy -10.0 % (allowed 5.0) [new.json 2026-11-23]" in lines[0],
          lines[0])
    check(lines[-1] == "2 slower, 0 lost, 1 faster, 0 gained, 2 same; 2 rows are not stored", lines[-1])
    quiet = tool(stored, "--result", run, "--quiet")
    check(set(verdicts(quiet).values()) == {"slower"} and quiet.returncode == 1, quiet.stdout)
    wide = tool(stored, "--result", run, "--tolerance", "30")
    check(wide.returncode == 0 and set(verdicts(wide).values()) == {"same"}, wide.stdout)
    for status in ("invalid", "unsupported"):
        lost = write(folder / "lost.json", [row("jacobi/step:a", 1.0, status=status, reason="no")])
        result = tool(stored, "--result", lost)
        check(result.returncode == 1 and f"was valid, is {status}: no" in result.stdout,
              f"what was valid: {result.stdout}")


def test_the_run_itself_is_not_stored(folder):
    """Runs that are kept among the stored ones are refused; a run there is no measure of itself."""
    run = write(folder / "run.json", [row("jacobi/step:a", 10.0)])
    check_error(tool(run, "--result", run), "the run itself", "a run beside itself")
    check_error(tool(folder, "some.toml", "--keep", f"{folder}/../{folder.name}"), "--keep",
                "runs kept among the stored")


def test_runs(folder):
    """A stand-in for tessera run: slow at first, then not."""
    stored = write(folder / "stored.json", [row("jacobi/step:a", 10.0), row("jacobi/step:b", 10.0)])
    first = write(folder / "first.json", [row("jacobi/step:a", 5.0), row("jacobi/step:b", 10.0)])
    second = write(folder / "second.json", [row("jacobi/step:a", 10.0), row("jacobi/step:b", 5.0)])
    stand_in = folder / "tessera"
    stand_in.write_text(
        f"#!{sys.executable}\nimport pathlib, shutil, sys\n"
        f"count = pathlib.Path('{folder}/count')\n"
        "runs = int(count.read_text()) if count.exists() else 0\n"
        "count.write_text(str(runs + 1))\n"
        f"pathlib.Path('{folder}/command').write_text(' '.join(sys.argv[1:]))\n"
        "out = pathlib.Path(sys.argv[sys.argv.index('-o') + 1])\nout.mkdir()\n"
        f"shutil.copy(['{first}', '{second}'][runs % 2], out / 'result.json')\n",
        encoding="utf-8")
    stand_in.chmod(0o755)
    kept = folder / "kept"
    result = tool(stored, "some.toml", "--tessera", stand_in, "--keep", kept, "-v", "jacobi/*",
                  "--set", "case.steps=8")
    check(result.returncode == 0 and set(verdicts(result).values()) == {"same"},
          f"the better of two runs: {result.stdout} {result.stderr}")
    check(sorted(path.name for path in kept.iterdir()) == ["01-some-1.json", "01-some.json"],
          "both runs are kept")
    command = (folder / "command").read_text(encoding="utf-8")
    check("-v jacobi/* --set case.steps=8" in command, f"options are handed on: {command}")
    once = tool(stored, "some.toml", "--tessera", stand_in, "--tries", "1")
    check(once.returncode == 1 and verdicts(once)["jacobi/step:a"] == "slower", once.stdout)


def test_program(folder):
    """The program itself, on a grid too small to say anything of speed."""
    deck = folder / "deck.toml"
    deck.write_text('[case]\nfamily = "acoustic"\nnx = 24\nny = 22\nnz = 20\nsteps = 2\n'
                    '[acoustic]\npml_cells = 3\n[select]\nvariants = ["acoustic/naive:default"]\n'
                    '[measure]\nwarmup_s = 0.0\n', encoding="utf-8")
    subprocess.run([TESSERA, "run", deck, "-o", folder / "real"], check=True,
                   stdout=subprocess.DEVNULL)
    stored = folder / "real" / "result.json"
    result = tool(stored, deck, "--tessera", TESSERA, "--tolerance", "99.9", "--absolute")
    # How long so small a run takes is chance; that the exit status follows the verdict is not.
    verdict = verdicts(result).get("acoustic/naive:default")
    check(verdict in ("slower", "same", "faster") and
          result.returncode == (1 if verdict == "slower" else 0),
          f"run and compared: {result.stdout} {result.stderr}")
    check_error(tool(stored, deck, "--tessera", TESSERA, "--set", "case.steps=4"),
                "--set case.steps=2", "other steps than stored")
    check_error(tool(stored, deck, "--tessera", TESSERA, "--set", "case.steps=none"), "case.steps",
                "a deck that cannot be run")
    check_error(tool(stored, deck, "--tessera", folder / "nothing"), "cannot be run", "no program")


def test_errors(folder):
    good = write(folder / "good.json", [row("jacobi/step:a", 10.0)])
    other = write(folder / "other.json", [row("jacobi/step:a", 10.0)], device="Made Up 2")
    apart = write(folder / "apart.json", [row("jacobi/base:a", 10.0)])
    for part, *arguments in (
            ("a deck is required", good), ("none", folder / "none", "--result", good),
            ("none of its rows is stored", good, "--result", apart),
            ("--any-machine", good, "--result", other),
            ("--tolerance", good, "--result", good, "--tolerance", "-1"),
            ("--tries", good, "--result", good, "--tries", "0")):
        check_error(tool(*arguments), part, part)
    check(tool(good, "--result", other, "--any-machine").returncode == 0, "machines set aside")


run_tests(test_verdicts, test_the_run_itself_is_not_stored, test_runs, test_program, test_errors)
