# SPDX-License-Identifier: Apache-2.0
"""tools/check_performance.py with a stand-in for tessera and with it; the verdicts themselves are
tested in compare_test.py."""

import subprocess

from common import TESSERA, check, equal, made, preload, run_tests, tool_named

preload("pandas", "jsonschema")
tool = tool_named("check_performance")


def write(path, **rates):
    rows = [made.row(f"jacobi/step:{name}", rate, steps=8) for name, rate in rates.items()]
    return made.write(path, made.content(rows, date=f"2026-11-2{len(rates)}T00:00:00Z"))


def test_runs(folder):
    """A stand-in for tessera run: one row slow at first, the other then."""
    stored = write(folder / "stored.json", a=10.0, b=10.0, c=1.0)
    first, second = write(folder / "first.json", a=5.0, b=10.0), write(folder / "second.json", a=10.0, b=5.0)
    stand_in = folder / "tessera"
    stand_in.write_text(
        "#!/bin/sh\n"
        f'echo "$*" >> {folder}/commands\n'
        'for word; do test "$last" = -o && out=$word; last=$word; done\nmkdir $out\n'
        f"test $(wc -l < {folder}/commands) = 2 && file={second} || file={first}\n"
        "cp $file $out/result.json\n", encoding="utf-8")
    stand_in.chmod(0o755)
    kept = folder / "kept"
    result = tool(stored, "some.toml", "--tessera", stand_in, "--keep", kept, "-v", "jacobi/*",
                  "--set", "case.steps=8")
    check(result.returncode == 0 and "0 slower, 0 lost" in result.stdout and "2 same" in result.stdout,
          f"the better of two runs: {result.stdout} {result.stderr}")
    equal(sorted(path.name for path in kept.iterdir()), ["01-some-1.json", "01-some.json"], "kept")
    commands = (folder / "commands").read_text(encoding="utf-8")
    check("-v jacobi/* --set case.steps=8" in commands, f"options are handed on: {commands}")
    once = tool(stored, "some.toml", "--tessera", stand_in, "--tries", "1")
    check(once.returncode == 1 and "1 slower" in once.stdout, once.stdout + once.stderr)


def test_program(folder):
    """The program itself, on a grid too small to say anything of speed."""
    deck = folder / "deck.toml"
    deck.write_text('[case]\nfamily = "acoustic"\nnx = 24\nny = 22\nnz = 20\nsteps = 2\n'
                    '[acoustic]\npml_cells = 3\n[select]\nvariants = ["acoustic/naive:default"]\n'
                    '[measure]\nwarmup_s = 0.0\n', encoding="utf-8")
    subprocess.run([TESSERA, "run", deck, "-o", folder / "real"], check=True, stdout=subprocess.DEVNULL)
    stored = folder / "real" / "result.json"
    result = tool(stored, deck, "--tessera", TESSERA, "--tolerance", "99.9", "--absolute")
    # How long so small a run takes is chance; that the exit status follows the verdict is not.
    check("acoustic/naive:default" in result.stdout and
          result.returncode == (0 if "0 slower" in result.stdout else 1), result.stdout + result.stderr)
    for part, *arguments in (("--set case.steps=2", stored, deck, "--set", "case.steps=4"),
                             ("case.steps", stored, deck, "--set", "case.steps=none"),
                             ("none", folder / "none", deck), ("--tries", stored, deck, "--tries", "0")):
        done = tool(*arguments, "--tessera", TESSERA)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("running ")]
        check(done.returncode == 2 and len(lines) == 1 and part in lines[0], f"{part}: {done.stderr}")


run_tests(test_runs, test_program)
