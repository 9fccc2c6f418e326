# SPDX-License-Identifier: Apache-2.0
"""Pages with generated tables, between `<!-- table: NAME -->` and `<!-- end table -->`."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import ToolError
from ..files import write_whole
from .data import Data
from .table import Table, render

BEGIN = re.compile(r"<!-- table: (\S+) -->\s*")
END = "<!-- end table -->"


def pages_with_tables(root: Path) -> list[Path]:
    """README.md and the pages of docs/ and variants/ that hold a table."""
    pages = [root / "README.md", *(page for folder in ("docs", "variants")
                                   for page in sorted((root / folder).rglob("*.md")))]
    return [page for page in pages if page.exists() and any(
        BEGIN.fullmatch(line) for line in page.read_text(encoding="utf-8").splitlines())]


def blocks(lines: list[str], page: str) -> list[tuple[str, int, int]]:
    """(name, first line inside, line of the end) of each table, in order; lines count from 0."""
    found, name, first = [], None, 0
    for number, text in enumerate(lines):
        begin = BEGIN.fullmatch(text)
        if begin and name:
            raise ToolError(f"{page}:{number + 1}: table {name} has not ended")
        if begin:
            name, first = begin.group(1), number + 1
        elif text.strip() == END:
            if not name:
                raise ToolError(f"{page}:{number + 1}: the end of no table")
            found.append((name, first, number))
            name = None
    if name:
        raise ToolError(f"{page}:{first}: table {name} has no end")
    return found


class Pages:
    """Compares and writes the tables of pages."""

    def __init__(self, root: Path, tables: dict[str, Table]):
        self.root, self.tables, self.data, self.made = root, tables, Data(root), {}

    def made_table(self, name: str, where: str) -> list[str]:
        """A table's lines, an empty one around it."""
        if name not in self.tables:
            raise ToolError(f"{where}: no table is called {name}")
        if name not in self.made:
            self.made[name] = ["", *render(self.tables[name], self.data), ""]
        return self.made[name]

    def shown(self, page: Path) -> str:
        """A page's name below the root."""
        path = page.resolve()
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(page)

    def difference(self, page: Path) -> str | None:
        """Where a page first differs from the data: one line, or None."""
        lines, shown = page.read_text(encoding="utf-8").splitlines(), self.shown(page)
        for name, first, end in blocks(lines, shown):
            made, held = self.made_table(name, f"{shown}:{first}"), lines[first:end]
            for i in range(max(len(made), len(held))):
                here = held[i] if i < len(held) else "nothing"
                right = made[i] if i < len(made) else "nothing"
                if here != right:
                    return (f"{shown}:{first + 1 + i}: table {name}, line {i + 1} of "
                            f"{len(made)}: has `{here}`, the data say `{right}`")
        return None

    def write(self, page: Path) -> bool:
        """Puts the tables into a page; whether it changed."""
        text = page.read_text(encoding="utf-8")
        lines, shown = text.splitlines(), self.shown(page)
        for name, first, end in reversed(blocks(lines, shown)):
            lines[first:end] = self.made_table(name, f"{shown}:{first}")
        written = "\n".join(lines) + "\n"
        if written != text:
            write_whole(page, written, changed=True)
        return written != text
