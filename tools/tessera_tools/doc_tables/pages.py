# SPDX-License-Identifier: Apache-2.0
"""Pages with generated text: tables between `<!-- table: NAME -->` and `<!-- end table -->`, what
the program or tools/compare.py prints between `<!-- tessera ARGUMENTS -->` and `<!-- end -->`, and
the README's counts of variants."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

from ..errors import ToolError
from ..files import write_whole
from ..program import ask_json
from .table import Table, render

TABLE = re.compile(r"^<!-- table: (\S+) -->\n(.*?)^<!-- end table -->$", re.DOTALL | re.MULTILINE)
PROGRAM = r"<!-- (?=tessera |tools/(?:compare|convergence)\.py )"
LISTING = re.compile(rf"({PROGRAM}([^\n]*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
ROW = re.compile(r"^(\| \[(\w+)\]\([^)]*\) \|[^|\n]*\| )\d+( \|)", re.MULTILINE)


def pages_with_tables(root: Path) -> list[Path]:
    """README.md and the pages of docs/ and variants/ that hold something generated."""
    pages = [root / "README.md", *(page for folder in ("docs", "variants")
                                   for page in sorted((root / folder).rglob("*.md")))]
    return [page for page in pages if page.exists() and re.search(
        rf"^<!-- table|^{PROGRAM}", page.read_text(encoding="utf-8"), re.MULTILINE)]


class Pages:
    """Compares and writes generated text. Without a program only tables are."""

    def __init__(self, root: Path, tables: dict[str, Table], program: str | None):
        self.root, self.tables, self.program = root, tables, program

    def ask(self, command: str) -> str:
        """What the program prints, or the tool."""
        name, *arguments = command.split()
        program = [self.program] if name == "tessera" else [sys.executable, str(self.root / name)]
        done = subprocess.run([*program, *arguments], cwd=self.root, check=False, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise ToolError(f"{command}: {done.stderr.strip()}")
        return done.stdout.strip("\n")

    def shown(self, page: Path) -> str:
        """A page's name below the root."""
        path = page.resolve()
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(page)

    def right(self, page: Path, text: str) -> str:
        """The text of a page with all that is generated made anew."""
        shown = self.shown(page)
        for begin, end, whole in (("<!-- table: ", "<!-- end table -->", TABLE),
                                  (PROGRAM, "<!-- end -->", LISTING)):
            counts = len(re.findall(begin, text)), text.count(end), len(whole.findall(text))
            if len(set(counts)) > 1:
                raise ToolError(f"{shown}: {counts[0]} marks `{begin}...`, {counts[1]} ends: each "
                                "has its own")

        def table(match):
            if match[1] not in self.tables:
                raise ToolError(f"{shown}: no table is called {match[1]}")
            made = "\n".join(render(self.tables[match[1]], self.root))
            return f"<!-- table: {match[1]} -->\n\n{made}\n\n<!-- end table -->"

        def listing(match):
            fence = re.match(r"\s*(```\w*\n)", match[3])
            made = self.ask(match[2])
            made = f"{fence[1]}{made}\n```" if fence else made
            lead, tail = re.match(r"\n*", match[3])[0], re.search(r"\n*$", match[3])[0]
            return f"{match[1]}{lead}{made}{tail or chr(10)}{match[4]}"

        text = TABLE.sub(table, text)
        if not self.program:
            return text
        text = LISTING.sub(listing, text)
        return self.counted(text) if shown == "README.md" else text

    def counted(self, text: str) -> str:
        """The README with today's counts; each family has a row there and a table in its folder."""
        families = {}
        for row in ask_json([self.program, "list", "--json"], "tessera list"):
            families.setdefault(row["family"], set()).add(row["variant"])
        rows = {match[2] for match in ROW.finditer(text)}
        for family in families:
            mark = f"<!-- tessera list --markdown {family} -->"
            page = self.root / "variants" / family / "README.md"
            if rows and family not in rows:
                raise ToolError(f"README.md: the table of families lacks {family}")
            if not page.exists() or mark not in page.read_text(encoding="utf-8"):
                raise ToolError(f"variants/{family}/README.md: no table `{mark}`")
        text = ROW.sub(lambda m: f"{m[1]}{len(families.get(m[2], ()))}{m[3]}", text)
        return re.sub(r"\d+(?= variants)", str(sum(map(len, families.values()))), text)

    def update(self, page: Path, check: bool) -> bool:
        """Makes a page anew where it differs; whether it did. With `check` a ToolError names the
        first line that does."""
        text = page.read_text(encoding="utf-8")
        right = self.right(page, text)
        if check and right != text:
            pairs = zip_longest(text.splitlines(), right.splitlines(), fillvalue="nothing")
            number, held, made = next((number, *pair) for number, pair in enumerate(pairs, 1)
                                      if pair[0] != pair[1])
            raise ToolError(f"{self.shown(page)}:{number}: has `{held}`, expected `{made}`")
        if right != text:
            write_whole(page, right)
        return right != text
