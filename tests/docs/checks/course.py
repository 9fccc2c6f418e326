# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/course.md, run: on tiny grids, without warming up."""

import os
import tempfile
import tomllib
from pathlib import Path

from .commands import FEW, NO_LIBRARY, NO_SUCH_TILE, Program
from .shell import commands_in_blocks, program_words

PAGE = "docs/course.md"
LESSONS = 8
# Beyond the layers of the acoustic decks, which are 27 cells wide.
EXTENT = 64


def tiny(deck):
    """Overrides that make a deck's case small; one with a single plane keeps it."""
    case = tomllib.loads(deck.read_text("utf-8")).get("case", {})
    names = ["nx", "ny"] + (["nz"] if case.get("nz", 0) > 1 else [])
    sets = [f"case.{name}={EXTENT}" for name in names] + ["measure.warmup_s=0"]
    if case.get("family") != "jacobi":  # its steps are a multiple of every depth
        sets.append("case.steps=1")
    return [word for assignment in sets for word in ("--set", assignment)]


def check_course(pages, root, tessera):
    """Each lesson has a command, and each command does what it says."""
    page = next((page for page in pages if page.name == PAGE), None)
    if page is None:
        yield f"{PAGE}: there is no such page"
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
                arguments = [*arguments, *tiny(deck), "-o", os.path.join(folder, "result.json")]
            result = program.ask(*arguments)
            ran += 1
            excused = NO_LIBRARY in result.stderr or (FEW and NO_SUCH_TILE.search(result.stderr))
            if result.returncode != 0 and not excused:
                yield f"{where}: tessera {' '.join(arguments)}: {result.stderr.strip()}"
    if ran < LESSONS:
        yield f"{PAGE}: {ran} commands for {LESSONS} lessons"
