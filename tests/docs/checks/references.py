# SPDX-License-Identifier: Apache-2.0
"""Links lead somewhere, and files that pages name exist."""

import posixpath
import re
from fnmatch import fnmatchcase

from .pages import Page

# A name in capitals stands for one of the reader's choice: FAMILY, NAME, DECK.
PLACEHOLDER = re.compile(r"[A-Z]{2,}")
OF_THE_READER = re.compile(r"(^|/)(my-machine|mine|resources)\.\w+$")
FOLDERS = ("src", "variants", "docs", "inputs", "results", "tools", "tests", "ci", "cmake",
           "schemas")
IN_FOLDER = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./*?{{}},-]*")
SOURCE = re.compile(r"[\w./-]*\w\.(?:hpp|cpp|py|sh|cmake|toml)")


def check_links(pages, root, _tessera):
    """Relative links and images lead to files of the tree, anchors to headings."""
    known = {page.name: page for page in pages}
    everything = list(pages)
    if (root / "CHANGELOG.md").exists():
        everything.append(Page(root, "CHANGELOG.md"))
    for page in everything:
        for link in page.links():
            if re.match(r"[a-z]+:", link.text):
                continue
            path, _, anchor = link.text.partition("#")
            name = posixpath.normpath(posixpath.join(posixpath.dirname(page.name), path))
            target = page.name if path == "" else name
            if target.startswith("..") or not (root / target).exists():
                yield f"{link.where}: link to {link.text}: there is no {target}"
            elif (
                anchor
                and target.endswith(".md")
                and anchor not in known.get(target, Page(root, target)).anchors()
            ):
                yield f"{link.where}: link to {link.text}: {target} has no such heading"


def expand(name):
    """`a{b,c}` as `ab`, `ac`."""
    match = re.search(r"\{([^{}]*)\}", name)
    if not match:
        return [name]
    parts = match[1].split(",")
    return [e for p in parts for e in expand(name[: match.start()] + p + name[match.end() :])]


def named_files(text):
    """Names of files and folders of the tree in a command or a code span."""
    for word in re.split(r"[\s'\"=`]+", text):
        word = word.rstrip(".,:;)")
        if PLACEHOLDER.search(posixpath.splitext(word)[0].replace("README", "")):
            continue
        if OF_THE_READER.search(word):
            continue
        if IN_FOLDER.fullmatch(word) or SOURCE.fullmatch(word):
            yield from expand(word)


def exists(name, root, files):
    """True for a path from the root, for one from a room's folder, and for a glob of either."""
    name = name.rstrip("/")
    if (root / name).exists():
        return True
    if any(c in name for c in "*?"):
        return any(fnmatchcase(f, name) or fnmatchcase(f, f"{name}/*") for f in files)
    return not name.startswith(FOLDERS_SLASH) and any(f.endswith("/" + name) for f in files)


FOLDERS_SLASH = tuple(f"{folder}/" for folder in FOLDERS)


def check_files(pages, root, files):
    """Every file named in a code span or a command exists."""
    for page in pages:
        for piece in page.spans() + page.blocks():
            for name in named_files(piece.text):
                if not exists(name, root, files):
                    yield f"{piece.where}: {name}: there is no such file"
