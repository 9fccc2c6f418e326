#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of the docs from results/ and inputs/published.

A page holds `<!-- table: NAME -->` and `<!-- end table -->`; what stands between is generated. The
tables are defined in tools/tessera_tools/doc_tables/. With --check nothing is written: the first
page, table and line that differs from the data is named, and the exit status is 1.
"""

from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.doc_tables import TABLES
from tessera_tools.doc_tables.pages import Pages, pages_with_tables
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT

EXAMPLES = """
  docs_tables.py                                  # all pages
  docs_tables.py docs/performance/acoustic.md     # one
  docs_tables.py --check
  docs_tables.py --list
"""


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("pages", nargs="*", type=Path,
                        help="markdown files; README.md and docs/ where none is named")
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    parser.add_argument("--list", action="store_true", help="print the names of the tables")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="DIR",
                        help="the folder that holds README.md, docs/, results/ and inputs/")
    arguments = parser.parse_args()
    command_line.refuse_together(parser, "list", ["pages", "check", "root"])
    if arguments.list:
        print("\n".join(sorted(TABLES)))
        return 0
    root = arguments.root.resolve()
    pages = arguments.pages or pages_with_tables(root)
    if not pages:
        raise ToolError(f"{root}: no page with a table")
    tables = Pages(root, TABLES)
    for page in pages:
        if arguments.check:
            difference = tables.difference(page)
            if difference:
                raise ToolError(difference)
        elif tables.write(page):
            print(f"wrote {tables.shown(page)}")
    return 0


if __name__ == "__main__":
    errors.run(main)
