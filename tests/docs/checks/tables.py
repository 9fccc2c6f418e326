# SPDX-License-Identifier: Apache-2.0
"""Tables that a reader sees as tables: a header, a line of dashes, rows with as many cells. Those
of what did not help have a measurement in each row."""

import re

ROW = re.compile(r"[ \t]*\|[ \t]")
RULE = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*")
TRIED = ["idea", "expected", "measured", "machine"]
FIGURE = re.compile(r"(?<!\w)\d")  # not that of a stencil's name, j2d9pt


def cells_of(line):
    """How many cells a row has. Bars in code spans are blank here, and escaped ones are text."""
    return len(re.findall(r"(?<!\\)\|", line.strip())) - 1


def texts_of(line, bare):
    """What stands in the cells of a row. `bare` is the same row with blank code spans."""
    bars = [bar.start() for bar in re.finditer(r"(?<!\\)\|", bare)]
    return [line[first + 1 : last].strip() for first, last in zip(bars, bars[1:])]


def check_shape(pages, _root, _tessera):
    """Lines that begin with a bar and a blank, block by block."""
    for page in pages:
        lines, block = page.text.split("\n"), []
        for number, line in enumerate([*page.bare.split("\n"), ""], 1):
            if ROW.match(line):
                block.append((number, line))
                continue
            yield from check_block(page.name, block)
            yield from check_tried(page.name, block, lines)
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


def check_tried(name, block, lines):
    """In a table of what did not help each cell says something, and a figure what was measured."""
    if not block or texts_of(lines[block[0][0] - 1], block[0][1])[:3] != TRIED[:3]:
        return
    for number, bare in block[2:]:
        whole, cells = texts_of(lines[number - 1], bare), texts_of(bare, bare)
        if len(whole) != len(TRIED) or not all(whole):
            yield f"{name}:{number}: an idea needs four cells: {', '.join(TRIED)}"
        elif not FIGURE.search(cells[TRIED.index("measured")]):
            yield f"{name}:{number}: no figure was measured: {whole[TRIED.index('measured')]}"
