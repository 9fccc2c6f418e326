# SPDX-License-Identifier: Apache-2.0
"""The pages of a tree, and what is written in them: fenced blocks, code spans, links, headings."""

import re
from dataclasses import dataclass
from pathlib import Path

SKIPPED = {".git", ".deps", "build", "out"}
FENCE = re.compile(r"^(```+)(\w*)[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")


@dataclass
class Found:
    """A piece of a page, and where it begins."""

    where: str
    text: str


def all_files(root):
    """Every file below `root`, but for what is built, by its path from there."""
    files = set()
    folders = [root]
    while folders:
        for path in folders.pop().iterdir():
            if path.is_dir():
                if path.name not in SKIPPED and path.name != "__pycache__":
                    folders.append(path)
            else:
                files.add(path.relative_to(root).as_posix())
    return files


class Page:
    """One Markdown file."""

    def __init__(self, root, name):
        self.root, self.name = root, name
        self.text = (root / name).read_text("utf-8")
        # The same text with blocks, then also spans, blanked out: lines and offsets stay.
        self.prose = FENCE.sub(blank, self.text)
        self.bare = SPAN.sub(blank, self.prose)

    def where(self, offset):
        """`name:line`."""
        return f"{self.name}:{self.text.count(chr(10), 0, offset) + 1}"

    def blocks(self):
        """Fenced blocks that may hold commands: those of no language, and those of a shell."""
        return [
            Found(self.where(m.start(3)), m[3])
            for m in FENCE.finditer(self.text)
            if m[2] in ("", "sh", "bash", "console")
        ]

    def spans(self):
        """Code spans, in one line each."""
        return [
            Found(self.where(m.start()), " ".join(m[2].split())) for m in SPAN.finditer(self.prose)
        ]

    def links(self):
        """Targets of links and images."""
        return [Found(self.where(m.start()), m[1]) for m in LINK.finditer(self.bare)]

    def anchors(self):
        """What `#...` may name in this page, as GitHub derives it from headings."""
        seen, names = {}, set()
        for heading in re.findall(r"^#+[ \t]+(.+?)[ \t]*$", self.prose, re.MULTILINE):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
            slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            names.add(slug if count == 0 else f"{slug}-{count}")
        return names


def blank(match):
    """Spaces in place of a match, line by line."""
    return re.sub(r"[^\n]", " ", match[0])


def pages_of(root):
    """README, CONTRIBUTING, docs, and the README of each folder of variants, inputs and results."""
    names = [name for name in ("README.md", "CONTRIBUTING.md") if (root / name).exists()]
    for pattern in ("docs/**/*.md", "variants/**/*.md", "inputs/**/*.md", "results/**/*.md"):
        names += sorted(path.relative_to(root).as_posix() for path in Path(root).glob(pattern))
    return [Page(root, name) for name in names]
