#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Count the lines of the tree: ci/count_lines.py [REVISION], of the files that git tracks.

All lines count, comments and blank ones too, of src, variants, tools and schemas; of tests apart.
Pages (*.md) and packed data count nowhere. Kernel lines are what computes and the vocabulary that it is written in:
variants/FAMILY without case/ (formulas, references, strategies, kernels) and src/base/{tile,grid,
device,registry}. All else is harness: cases, decks, commands, measuring, prediction, tools, schemas.
At the move into three storeys (9c06f6e3): 21,038 kernel lines, 55,558 of harness, 2.64 for one.
"""

import re
import subprocess
import sys

COUNTED = ("src", "variants", "tools", "schemas")
KERNEL = re.compile(r"variants/\w+/(?!case/)|src/base/(tile|grid|device|registry)/")


def lines_of(revision):
    """{path: lines} of a revision, or of the working tree."""
    command = ["git", "grep", "-c", "", *revision, "--", *COUNTED, "tests", ":!*.md", ":!*.gz"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for line in out.splitlines():
        path, _, count = line.rpartition(":")
        found[path.rpartition(":")[2]] = int(count)
    return found


def main():
    """Prints the table."""
    lines = lines_of(sys.argv[1:2])
    folders = {name: sum(n for path, n in lines.items() if path.startswith(f"{name}/"))
               for name in (*COUNTED, "tests")}
    whole = sum(folders[name] for name in COUNTED)
    kernel = sum(n for path, n in lines.items() if KERNEL.match(path))
    files = sum(path.startswith(("src/", "variants/")) for path in lines)
    print(f"| {'figure':<41} | {'count':>7} |\n| {'-' * 41} | {'-' * 6}: |")
    for name, count in (
            (f"lines of {' + '.join(COUNTED)}", whole),
            *((f"  of them {name}", folders[name]) for name in COUNTED),
            ("kernel lines", kernel), ("harness lines", whole - kernel),
            ("harness lines a kernel line", f"{(whole - kernel) / kernel:.2f}"),
            ("lines of tests", folders["tests"]), ("files in src + variants", files)):
        print(f"| {name:<41} | {count if isinstance(count, str) else format(count, ','):>7} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
