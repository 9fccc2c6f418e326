# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/course.md, run: on tiny grids, without warming up. A lesson's answer is of
the deck, cells and steps that its command runs."""

import os
import re
import tempfile
import tomllib
from pathlib import Path

from .commands import FEW, NO_LIBRARY, NOT_BUILT, Program
from .shell import commands_in_blocks, program_words

PAGE = "docs/course.md"
LESSONS = 8
EXTENT = 32
LESSON = re.compile(r"^## (\d+)\. ", re.MULTILINE)
# What an answer is from: its deck, cells and steps.
FROM = re.compile(r"^From `(inputs/[\w-]+\.toml)`, ([\w³ ]+) cells, \w+, (\d+) steps", re.MULTILINE)


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
    """Each lesson's answer is of what one of its commands runs."""
    lessons = list(LESSON.finditer(page.text))
    runs = []
    for where, words in commands_in_blocks(page):
        arguments = program_words(words)
        if arguments and arguments[0] == "run":
            runs.append((int(where.rpartition(":")[2]), case_of(arguments, root)))
    line_of = lambda place: page.text.count("\n", 0, place) + 1  # noqa: E731
    for lesson, end in zip(lessons, [match.start() for match in lessons[1:]] + [len(page.text)]):
        cases = [case for line, case in runs if line_of(lesson.start()) <= line <= line_of(end)]
        answers = FROM.findall(page.text, lesson.start(), end)
        if not answers:
            yield f"{page.name}: lesson {lesson[1]} has no answer that says what it is from"
        for answer in answers:
            if answer not in cases:
                yield (f"{page.name}: lesson {lesson[1]} has an answer of {', '.join(answer)} "
                       f"steps, and runs {'; '.join(map(', '.join, cases))} steps")


def check_course(pages, root, tessera):
    """Each lesson has a command, each command does what it says, and the answer is of it."""
    page = next((page for page in pages if page.name == PAGE), None)
    if page is None:
        yield f"{PAGE}: there is no such page"
        return
    failures = list(check_answers(page, root))
    if failures:  # before the commands, which take longer
        yield from failures
        return
    program = Program(tessera, root)
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for where, words in commands_in_blocks(page):
            arguments = program_words(words)
            if not arguments:
                yield f"{where}: a command that is not tessera's"
                continue
            if arguments[0] == "run":
                deck = Path(root) / next(word for word in arguments if word.endswith(".toml"))
                arguments = [*arguments, *tiny(deck), "-o", os.path.join(folder, f"run-{ran}")]
            result = program.ask(*arguments)
            ran += 1
            excused = NO_LIBRARY in result.stderr or (FEW and NOT_BUILT.search(result.stderr))
            if result.returncode != 0 and not excused:
                yield f"{where}: tessera {' '.join(arguments)}: {result.stderr.strip()}"
    if ran < LESSONS:
        yield f"{PAGE}: {ran} commands for {LESSONS} lessons"
