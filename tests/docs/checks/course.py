# SPDX-License-Identifier: Apache-2.0
"""The commands of the course and of its solutions, run as a shell runs them: planned in the tier quick
(TESSERA_TEST_DRAWS=1), on tiny grids in the others, and as they stand where TESSERA_COURSE=whole. A
lesson's answers are of the deck, cells and steps that one of its commands has. Patches apply; pictures
are of today's plans."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from .shell import all_commands, program_words

WHOLE = os.environ.get("TESSERA_COURSE") == "whole"
QUICK = os.environ.get("TESSERA_TEST_DRAWS") == "1" and not WHOLE
PAGES = ("docs/course.md", "docs/course/solutions.md")
LESSONS = 14
EXTENT = 32
LESSON = re.compile(r"^## (\d+)\. ", re.MULTILINE)
# What an answer is from: its deck, cells and steps.
FROM = re.compile(r"^From `(inputs/[\w/-]+\.toml)`, ([\w³ ]+) cells, \w+, (\d+) steps", re.MULTILINE)
WRAPPER = """#!{python}
import os, sys
sys.path.insert(0, {checks!r})
from checks.course import small
os.execv({tessera!r}, [{tessera!r}, *small(sys.argv[1:])])
"""


def tiny(deck):
    """Overrides that make a deck's case small; one with a single plane keeps it."""
    case = tomllib.loads(deck.read_text("utf-8")).get("case", {})
    names = ["nx", "ny"] + (["nz"] if case.get("nz", 0) > 1 else [])
    sets = [f"case.{name}={EXTENT}" for name in names] + ["measure.warmup_s=0"]
    if case.get("family") != "jacobi":  # its steps are a multiple of every depth
        sets.append("case.steps=1")
    if case.get("family") == "acoustic":
        sets.append("acoustic.pml_cells=4")
    return [word for assignment in sets for word in ("--set", assignment)]


def small(words):
    """A command of the program as the test runs it."""
    decks = [word for word in words if word.endswith(".toml")]
    if WHOLE or words[:1] != ["run"]:
        return words
    return [*words, *tiny(Path(decks[0])), *(["--dry-run"] if QUICK else [])]


def case_of(words, root):
    """Deck, cells and steps of a command, as the caption of an answer writes them."""
    deck = next(word for word in words if word.endswith(".toml"))
    case = dict(tomllib.loads((Path(root) / deck).read_text("utf-8"))["case"])
    for flag, value in zip(words, words[1:]):
        found = re.fullmatch(r"case\.(nx|ny|nz|steps)=(\d+)", value)
        if flag == "--set" and found:
            case[found[1]] = int(found[2])
    extents = [case[name] for name in ("nx", "ny", "nz") if case.get(name, 1) > 1]
    alike = len(extents) == 3 and len(set(extents)) == 1
    cells = f"{extents[0]}³" if alike else " x ".join(map(str, extents))
    return deck, cells, str(case["steps"])


def check_answers(page, root):
    """Each generated answer of a lesson is of what one of its commands runs, or one of the page's head."""
    lessons = list(LESSON.finditer(page.text))
    runs = []
    for where, words in all_commands([page]):
        arguments = program_words(words)
        if arguments and arguments[0] == "run" and any(word.endswith(".toml") for word in arguments):
            runs.append((int(where.rpartition(":")[2]), case_of(arguments, root)))
    line_of = lambda place: page.text.count("\n", 0, place) + 1  # noqa: E731
    for lesson, end in zip(lessons, [match.start() for match in lessons[1:]] + [len(page.text)]):
        part = page.text[lesson.start():end]
        for wanted in ("**Predict.**", "**Exercise.**", "**Rubric.**", "```\n"):
            if wanted not in part:
                yield f"{page.name}: lesson {lesson[1]} has no {wanted.strip()}"
        cases = [case for line, case in runs if line < line_of(lessons[0].start())
                 or line_of(lesson.start()) <= line <= line_of(end)]
        for answer in FROM.findall(part):
            if answer not in cases:
                yield (f"{page.name}: lesson {lesson[1]} has an answer of {', '.join(answer)} "
                       f"steps, and runs {'; '.join(map(', '.join, cases))} steps")
    if [int(lesson[1]) for lesson in lessons] != list(range(1, LESSONS + 1)):
        yield f"{page.name}: {LESSONS} lessons expected"


COMMAND = re.compile(r"^(\w+=\S+ )*(mpirun .*)?tessera |^tools/", re.MULTILINE)


def check_notebook(page, root):
    """Each block of commands of a page is a cell of its notebook, in their order."""
    sys.path.insert(0, str(Path(root) / "ci/lib"))
    from notebooks import notebook
    cells = notebook(Path(root) / page.name, Path(root))["cells"]
    cells = [cell["source"].partition("\n")[2] for cell in cells if cell["cell_type"] == "code"][1:]
    blocks = [block.text.strip("\n") for block in page.blocks() if COMMAND.search(block.text)]
    if cells != blocks:
        yield f"{page.name}: {len(blocks)} blocks of commands, {len(cells)} cells of a notebook, or others"


def run_blocks(page, root, folder):
    """Complaints about the blocks of a page: each is a script of its own."""
    ranks = os.environ.get("TESSERA_HAVE_MPI", "1") in ("1", "ON", "TRUE") and shutil.which("mpirun")
    fits = os.environ.get("TESSERA_HAVE_KOKKOSKERNELS", "1") != "0"
    environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "MPLBACKEND": "Agg"}
    for block in page.blocks():
        script = re.sub(r"\\\n", " ", block.text)
        if not COMMAND.search(script):
            continue  # how to build
        lines = [line for line in script.splitlines()
                 if (ranks or "mpirun" not in line) and not (QUICK and line.startswith("tools/"))
                 and (fits or "run inputs/course/ete.toml" not in line)]
        result = subprocess.run(["bash", "-exo", "pipefail", "-c", "\n".join(lines)], cwd=folder,
                                env=environment, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            yield f"{block.where}: {' / '.join(result.stderr.splitlines()[-3:])}"


def check_course(pages, root, tessera):
    """Each lesson is whole, each command runs, each patch applies."""
    course = [page for page in pages if page.name in PAGES]
    if len(course) != len(PAGES):
        yield f"{' or '.join(PAGES)}: there is no such page"
        return
    failures = list(check_answers(course[0], root))
    failures += [failure for page in course for failure in check_notebook(page, root)]
    for patch in sorted((root / "docs/course/patches").glob("*.patch")):
        applies = subprocess.run(["git", "apply", "--check", patch], cwd=root, capture_output=True,
                                 text=True, check=False)
        if applies.returncode != 0:
            failures.append(f"docs/course/patches/{patch.name}: {applies.stderr.strip()}")
        if patch.name not in course[1].text:
            failures.append(f"docs/course/patches/{patch.name}: no solution names it")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, root / "ci/lib/strategy_pictures.py", tessera, folder], check=True)
        failures += [f"docs/images/strategies/{path.name}: run ci/lib/strategy_pictures.py"
                     for path in sorted(Path(folder).iterdir()) if path.read_text("utf-8") !=
                     (root / "docs/images/strategies" / path.name).read_text("utf-8")]
    yield from failures
    if failures:  # before the commands, which take longer
        return
    with tempfile.TemporaryDirectory() as folder:
        for path in Path(root).iterdir():
            if path.name not in ("out", ".git", "build"):
                (Path(folder) / path.name).symlink_to(path)
        wrapper = Path(folder) / "bin" / "tessera"
        wrapper.parent.mkdir()
        wrapper.write_text(WRAPPER.format(python=sys.executable, tessera=str(tessera),
                                          checks=str(Path(__file__).parents[1])), "utf-8")
        wrapper.chmod(0o755)
        (wrapper.parent / "python3").symlink_to(sys.executable)  # that the tools are run by
        for page in course:
            yield from run_blocks(page, root, folder)
