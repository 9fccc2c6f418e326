# SPDX-License-Identifier: Apache-2.0
"""Tables that a reader sees as tables: a header, a line of dashes, rows with as many cells."""

import re

ROW = re.compile(r"[ \t]*\|[ \t]")
RULE = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*")


def cells_of(line):
    """How many cells a row has. Bars in code spans are blank here, and escaped ones are text."""
    return len(re.findall(r"(?<!\\)\|", line.strip())) - 1


def check_shape(pages, _root, _tessera):
    """Lines that begin with a bar and a blank, block by block."""
    for page in pages:
        block = []
        for number, line in enumerate([*page.bare.split("\n"), ""], 1):
            if ROW.match(line):
                block.append((number, line))
                continue
            yield from check_block(page.name, block)
            block = []


def check_block(name, block):
    """One run of such lines."""
    if not block:
        return
    first = block[0][0]
    if len(block) < 2 or not RULE.fullmatch(block[1][1].strip()):
        yield f"{name}:{first}: rows without a header: a table broken in two?"
        return
    wanted = cells_of(block[0][1])
    for number, line in block:
        if cells_of(line) != wanted:
            yield f"{name}:{number}: {cells_of(line)} cells, the header has {wanted}"
