#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages as Jupyter notebooks: text as Markdown, blocks of commands as cells of a shell.

Usage: ci/lib/notebooks.py [-o FOLDER] PAGE...      (default: out/notebooks)
The pages are the source: run it again where they change. Cells run in the tree's root.
"""

import argparse
import json
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Blocks of no language hold commands of the program and the tools; others say how to build.
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(\w+=\S+ )*(mpirun .*)?tessera |^tools/", re.MULTILINE)


def cell(kind, text):
    """A cell of nbformat 4."""
    code = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": text.strip("\n"), **code}


def notebook(page, folder):
    """A page's cells, in its order."""
    text, cells, at = page.read_text("utf-8"), [], 0
    cells.append(cell("code", f"import os\nos.chdir({os.path.relpath(ROOT, folder)!r})"))
    for block in BLOCK.finditer(text):
        if not block[1] and COMMAND.search(block[2]):
            cells += [cell("markdown", text[at:block.start()]), cell("code", "%%bash -e\n" + block[2])]
            at = block.end()
    cells.append(cell("markdown", text[at:]))
    return {"nbformat": 4, "nbformat_minor": 4, "cells": cells, "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}


def main():
    """Writes a notebook a page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("-o", dest="folder", type=Path, default=ROOT / "out" / "notebooks")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for page in arguments.pages:
        path = arguments.folder / f"{page.stem}.ipynb"
        path.write_text(json.dumps(notebook(page, arguments.folder.resolve()), indent=1), "utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
