# SPDX-License-Identifier: Apache-2.0
"""ci/style.sh: each check finds what it is for, and takes the files of its kind. Programs that
are not installed are not tried: the script would install them."""

import os
import shutil
import subprocess

from common import ROOT, check, run_tests

SPDX = "SPDX-License-Identifier: Apache-2.0\n"

# check: (its program, name of a file, clean content, content with something wrong)
CASES = {
    "spdx": (None, "a.toml", f"# {SPDX}a = 1\n", "a = 1\n"),
    "clang-format": ("clang-format", "a.cpp", "int a = 1;\n", "int   a=1;\n"),
    "ruff": ("ruff", "a.py", "A = 1\n", "A = b\n"),
    "shellcheck": ("shellcheck", "script", "#!/bin/sh\necho 1\n", "#!/bin/sh\necho $1\n"),
}


def style(*arguments, before="", fails=""):
    """Runs the script, with the folder `before` first on the path; its program `fails` fails."""
    path = f"{before}:{os.environ['PATH']}" if before else os.environ["PATH"]
    return subprocess.run([ROOT / "ci" / "style.sh", *arguments], capture_output=True, text=True,
                          check=False, env={**os.environ, "PATH": path, "FAILS": fails})


def test_each_finds(place):
    for name, (program, file, clean, wrong) in CASES.items():
        if program and not shutil.which(program):
            continue
        path = place / file
        path.write_text(clean, "utf-8")
        result = style(name, path)
        check(result.returncode == 0, f"{name}: takes clean content: {result.stderr}")
        path.write_text(wrong, "utf-8")
        result = style(name, path)
        check(result.returncode == 1, f"{name}: exit status {result.returncode} for wrong content")
        check(result.stderr.endswith(f"style.sh: error: not clean: {name}\n"),
              f"{name}: says which check: {result.stderr}")


def test_spdx(place):
    late, page = place / "late.sh", place / "page.md"
    late.write_text(f"#!/bin/sh\n\n\n# {SPDX}", "utf-8")
    page.write_text("text\n", "utf-8")
    result = style("spdx", late)
    check(f"{late}: no SPDX" in result.stderr, f"a line that comes late: {result.stderr}")
    check(style("spdx", page).returncode == 0, "pages need none")


def test_stand_ins(place):
    """Ruff where there is one; the exit status and the files that each program gets."""
    for program in ("ruff", "clang-format", "clang-format-14", "shellcheck"):
        tool = place / program
        says = f'echo "{program} got $*"'
        tool.write_text(f'#!/bin/sh\n{says}\ntest "$FAILS" != {program}\n', "utf-8")
        tool.chmod(0o755)
    names = [place / name for name in ("a.py", "a.hpp", "a.sh", "b.toml")]
    for name in names:
        name.write_text(f"# {SPDX}", "utf-8")
    result = style(*names, before=place)
    check(result.returncode == 0, f"stand-ins: {result.stderr}")
    for said in (f"ruff got check --quiet {names[0]}\n", f"--Werror {names[1]}\n",
                 f"--source-path=SCRIPTDIR {names[2]}\n", "spdx: 4 files\n"):
        check(said in result.stdout, f"'{said}' is not in {result.stdout}")
    result = style(*names, before=place, fails="ruff")
    check(result.returncode == 1 and result.stderr == "style.sh: error: not clean: ruff\n",
          f"one that fails: {result.stderr}")
    check("shellcheck got" in result.stdout, "the others run all the same")


def test_errors(_place):
    for arguments in (["no-such-check"], ["spdx", "no-such-file"]):
        result = style(*arguments)
        check(result.returncode == 1 and f"no file {arguments[-1]}" in result.stderr,
              f"{arguments}: {result.stderr}")
        check(result.stderr.count("\n") == 1, f"{arguments}: one line")
    check(style("--help").stdout.count("Usage: ci/style.sh") == 1, "--help")


run_tests(test_each_finds, test_spdx, test_stand_ins, test_errors)
