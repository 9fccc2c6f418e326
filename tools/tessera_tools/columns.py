# SPDX-License-Identifier: Apache-2.0
"""Tables as text: names to the left, figures to the right."""

from __future__ import annotations

import shutil
import sys


def figure(value: float | None, digits: int = 1, factor: float = 1) -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None else f"{value * factor:.{digits}f}"


def print_columns(heads: list[str], lines: list[list[str]], rule: bool = True) -> None:
    """The headings and the lines below; `rule` draws a line between."""
    table = [heads, *lines]
    widths = [max(len(line[i]) for line in table) for i in range(len(heads))]
    for number, line in enumerate(table):
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))).rstrip())
        if rule and number == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))


def text(table, index: bool = False) -> str:
    """A pandas frame as a terminal shows it, broken between columns; in one piece into a file or a
    pipe."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return table.fillna("-").to_string(index=index, line_width=width)
