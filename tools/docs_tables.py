#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write what is generated in the docs: tables from results/, what the program prints, the README's
counts of variants and its picture.

A page holds `<!-- table: NAME -->` and `<!-- end table -->`, or `<!-- tessera ARGUMENTS -->` and
`<!-- end -->`; what stands between is generated. The tables are defined in
tools/tessera_tools/doc_tables/. Without a build, or with --root and no --tessera, only tables are
made. With --check nothing is
written: the first page and line that differs is named, and the exit status is 1.
"""

from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.doc_tables import headline
from tessera_tools.doc_tables.pages import Pages, pages_with_tables
from tessera_tools.doc_tables.table import definitions
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT
from tessera_tools.program import find_tessera

EXAMPLES = """
  docs_tables.py                                  # all pages
  docs_tables.py docs/performance/acoustic.md     # one
  docs_tables.py --check
"""


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("pages", nargs="*", type=Path,
                        help="Markdown files; README.md, docs/ and variants/ where none is named")
    command_line.add_tessera(parser)
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="DIR",
                        help="the folder that holds README.md, docs/, variants/, results/ and inputs/")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    pages = arguments.pages or pages_with_tables(root)
    if not pages:
        raise ToolError(f"{root}: no page with a table")
    built = arguments.tessera or (root == ROOT and any(ROOT.glob("build/*/tessera")))
    tables = definitions()
    writer = Pages(root, tables, find_tessera(arguments.tessera) if built else None)
    for page in pages:
        if writer.update(page, arguments.check):
            print(f"wrote {writer.shown(page)}")
        if writer.shown(page) == "README.md" and headline.update(tables["glance"], root, arguments.check):
            print("wrote docs/images/headline.svg")


if __name__ == "__main__":
    errors.run(main)
