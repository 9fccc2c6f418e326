# SPDX-License-Identifier: Apache-2.0
"""Every check of docs_test.py can fail: a copy of the tree is broken in one way after another.

Arguments: the repository's root and the tessera binary.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checks.pages import SKIPPED

ROOT, TESSERA = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
failures = []


def note(text):
    """Notes a failure and goes on, so that one run tells them all."""
    failures.append(text)
    print(f"FAILED: {text}")


def docs_test(root, check):
    """One check of docs_test.py on a tree."""
    command = [sys.executable, ROOT / "tests" / "docs" / "docs_test.py", root, TESSERA, check]
    quick = {**os.environ, "TESSERA_TEST_DRAWS": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=quick)


def replace(name, old, new):
    """A mutation: the first `old` of a file becomes `new`."""

    def apply(root):
        path = root / name
        text = path.read_text("utf-8")
        if old not in text:
            raise SystemExit(f"mutation_test.py: {name} does not contain {old!r}")
        path.write_text(text.replace(old, new, 1), "utf-8")

    return name, apply


def append(name, text):
    """A mutation: a file gets longer."""

    def apply(root):
        with (root / name).open("a", encoding="utf-8") as file:
            file.write(text)

    return name, apply


def remove(name):
    """A mutation: a file is gone."""
    return name, lambda root: (root / name).unlink()


def block(name, command):
    """A mutation: a page gets a command in a block."""
    return append(name, f"\n```\n{command}\n```\n")


NO_OPTION = "ncu $T --no-profile inputs/quick.toml"

H100 = "results/nvidia-h100"
REVISION = '"git_revision": "'

# The check, how the tree is broken, and what the complaint names.
MUTATIONS = [
    ("studies", replace(f"{H100}/low-order-gpu.json", REVISION, REVISION + "0"), "of revision 0"),
    ("studies", replace("results/intel-xeon-emerald-rapids-avx512-14t/manifest.json", REVISION, REVISION + "0"),
     "mixes"),
    ("studies", replace(f"{H100}/README.md", "Of an earlier revision than", "Earlier than"), "mixes"),
    ("studies", append("results/nvidia-h200/README.md",
                       "\nOf an earlier revision than other machines' studies: `eb0ff80`.\n"), "as earlier and is not"),
    ("studies", replace("results/nvidia-h200/manifest.json", '"status": "done"', '"status": "waiting"'), "is waiting"),
    ("studies", remove(f"{H100}/acoustic-gpu.json"), "acoustic-gpu.json: missing"),
    ("studies", replace("inputs/study.toml", "case.steps=20", "case.steps=21"), "other settings"),
    ("studies", append(f"{H100}/README.md", "\nBehind `inputs/study.toml`: `none`.\n"),
     "none is marked"),
    ("studies", replace(f"{H100}/README.md", "1662465", "1662466"), "counted"),
    ("studies", replace("results/host/README.md", "1ca3932", "none"), "tune-fang"),
    ("links", replace("README.md", "(docs/build.md)", "(docs/bild.md)"), "docs/bild.md"),
    ("links", replace("variants/README.md", "#the-bound", "#the-bond"), "#the-bond"),
    ("links", remove("docs/glossary.md"), "docs/glossary.md"),
    ("files", remove("variants/acoustic/gmem.cpp"), "variants/acoustic/gmem.cpp"),
    ("files", append("docs/numerics.md", "\nSee `no_such.hpp`.\n"), "no_such.hpp"),
    ("files", block("docs/numerics.md", "cp inputs/no.toml x"), "inputs/no.toml"),
    ("program", block("docs/studies.md", "tessera machin"), "machin"),
    ("program", block("docs/scaling.md", "mpirun -n 2 tessera run inputs/quick.toml --nosuch"), "--nosuch"),
    ("program", block("docs/studies.md", f'T="tessera run"\n{NO_OPTION}'), "--no-profile"),
    ("program", replace("README.md", "`tessera tune DECK`", "`tessera tunes DECK`"), "tunes"),
    ("decks", replace("inputs/quick.toml", "repetitions =", "repetitons ="), "repetitons"),
    ("decks", replace("inputs/shot-thrust.toml", "f_max", "f_mox"), "f_mox"),
    ("files", remove("inputs/ebisu-poisson.toml"), "inputs/ebisu-poisson.toml"),
    ("decks", replace("README.md", "'acoustic/st_*'", "'acoustic/sx_*'"), "sx_*"),
    ("tools", replace("docs/profiling.md", "--result out/", "--reslt out/"), "--reslt"),
    ("tools", block("docs/build.md", "ci/no-such.sh"), "ci/no-such.sh"),
    ("build", replace("README.md", "cmake --preset openmp", "cmake --preset opnmp"), "opnmp"),
    ("build", replace("docs/profiling.md", "CONFIGURATIONS=few", "CONFIGURATION=few"), "TESSERA_"),
    ("course", replace("docs/course.md", "-v naive_simd", "-v naive_smd"), "naive_smd"),
    ("course", replace("docs/course.md", "tessera plan j2d5pt", "cp j2d5pt"), "docs/course.md"),
    ("course", replace("docs/course.md", "--set case.nx=320", "--set case.nx=321"), "lesson 2"),
    ("course", replace("docs/course.md", "**Rubric.** Loads", "Loads"), "lesson 4"),
    ("course", replace("variants/acoustic/naive.cpp", "(int x, int y, int z)", "(int x, int y, int k)"),
     "swapped-axes.patch"),
    ("words", append("docs/kokkos.md", "\nA yardstick.\n"), "baseline"),
    ("words", append("src/base/support/text.hpp", "struct CardTerms {};\n"), "GPU"),
    ("words", append("inputs/quick.toml", "# In place of the oldest set.\n"), "in-place update"),
    ("variant", replace("README.md", "plan(const Region&, const", "plan(const Region&,"), "Plan plan"),
    ("size", append("README.md", "x" * 15360), "15360"),
    ("shape", replace("docs/performance/acoustic.md", "| streaming loads", "\n| streaming loads"),
     "broken in two"),
    ("shape", replace("docs/performance/acoustic.md", "| 8 % slower | H100 |", "| 8 % slower |"),
     "3 cells"),
    ("shape", replace("docs/performance/acoustic.md", "| 8 % slower | H100 |", "| slower | H100 |"),
     "no figure was measured"),
    ("shape", replace("docs/performance/acoustic.md", "| 8 % slower | H100 |", "| 8 % slower | |"),
     "four cells"),
]
KNOWN = ["git", "-C", ROOT, "cat-file", "-e", "c12dbe5^{commit}"]
if subprocess.run(KNOWN, capture_output=True, check=False).returncode == 0:
    MUTATIONS.append(("revisions", replace("results/host/README.md", "before it was committed", "too early"),
                      "33 minutes before its revision c12dbe5"))


def main():
    """Breaks, looks, repairs."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*SKIPPED, "__pycache__"))
        intact = {check: docs_test(tree, check) for check in dict.fromkeys(m[0] for m in MUTATIONS)}
        for check, result in intact.items():
            if result.returncode != 0:
                note(f"{check}: the copy should pass as it is: {result.stdout}{result.stderr}")
        for check, (name, apply), named in MUTATIONS:
            apply(tree)
            result = docs_test(tree, check)
            complaints = [
                line
                for line in result.stdout.splitlines()
                if line not in intact[check].stdout.splitlines()
            ]
            if result.returncode != 1 or not any(named in line for line in complaints):
                note(f"{check}: {name} was broken, and nobody named {named}: {complaints}")
            if (ROOT / name).exists():
                shutil.copy2(ROOT / name, tree / name)
            else:
                (tree / name).unlink()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
