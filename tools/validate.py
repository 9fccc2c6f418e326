#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check files against their JSON Schemas (schemas/): decks, suites, results, machine files, ...

One line for each file, and one for each place in it that breaks its schema. The program checks
decks by itself, and more strictly; this is for files that other programs write or change.

Exit status: 0 all keep to their schemas; 1 some do not; 2 a file that cannot be read or has none.
"""

import sys

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError

EXAMPLES = """
  validate.py inputs/*.toml inputs/machines/*.json
  validate.py out/study/*/result.json"""


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE", help="TOML or JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="only what breaks a schema")
    arguments = parser.parse_args()
    from tessera_tools import schemas
    status = 0
    for path in arguments.files:
        try:
            found = schemas.errors(path)
        except ToolError as error:
            print(f"validate.py: error: {error}", file=sys.stderr)
            status = 2
            continue
        status = max(status, bool(found))
        if not found and not arguments.quiet:
            print(f"{path}: {schemas.kind_of(schemas.read(path))}, fine")
        for line in found:
            print(f"{path}: {line}")
    return status


if __name__ == "__main__":
    errors.run(main, status=2)
