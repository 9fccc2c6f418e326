# SPDX-License-Identifier: Apache-2.0
"""The docs against the tree and the program.

Links lead somewhere, named files exist, commands parse, decks load, and the README is short. Counts and
generated tables are held by tests/tools/docs_tables_test.py. Arguments: the repository's root, the tessera binary, and names of
checks where not all are wanted.
"""

import sys
from pathlib import Path

from checks import commands, course, facts, references, studies, tables, words
from checks.pages import all_files, pages_of

CHECKS = {
    "links": references.check_links,
    "files": lambda pages, root, _: references.check_files(pages, root, all_files(root)),
    "program": commands.check_program,
    "decks": commands.check_decks,
    "tools": commands.check_tools,
    "build": commands.check_build,
    "course": course.check_course,
    "variant": facts.check_variant,
    "size": facts.check_size,
    "shape": tables.check_shape,
    "studies": studies.check_studies,
    "revisions": studies.check_revisions,
    "words": words.check_words,
}


def main():
    """Runs the checks, prints what fails."""
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= set(CHECKS):
        print(f"usage: docs_test.py ROOT TESSERA [{' | '.join(CHECKS)}]...", file=sys.stderr)
        return 2
    root, tessera = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = pages_of(root)
    failed = 0
    for name in sys.argv[3:] or CHECKS:
        for failure in CHECKS[name](pages, root, tessera):
            print(f"FAILED: {name}: {failure}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
