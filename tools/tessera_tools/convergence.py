# SPDX-License-Identifier: Apache-2.0
"""Code convergence: how much of the source the builds for several platforms share. Lines that each
compiles are P3HPC's code-base-investigator's; definitions: Harrell et al., "Effective performance
portability", P3HPC 2018 (divergence); Pennycook et al., "Navigating performance, portability, and
productivity", Computing in Science and Engineering 23 (2021) (the chart)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pandas

from .errors import ToolError
from .files import ROOT, read_json

STORED = ROOT / "results" / "convergence" / "lines.csv"
COLUMNS = ["part", "platforms", "lines"]


def part_of(file: str) -> str:
    """The family of a source, or "shared"."""
    words = file.split("/")
    return words[1] if words[0] == "variants" and len(words) > 2 else "shared"


def count(coverages: dict[str, str | Path]) -> pandas.DataFrame:
    """Lines by part and by the set of platforms that compile them, from a file of `cbi-cov compute` a
    platform; lines that none compiles are left out."""
    users: dict[tuple[str, int], list[str]] = {}
    for platform, path in sorted(coverages.items()):
        for file in read_json(path):
            if not isinstance(file, dict) or "used_lines" not in file:
                raise ToolError(f"{path}: is not a coverage file of cbi-cov")
            for line in file["used_lines"]:
                users.setdefault((file["file"], line), []).append(platform)
    lines = Counter((part_of(file), " ".join(of)) for (file, _), of in users.items())
    return pandas.DataFrame([(*key, n) for key, n in sorted(lines.items())], columns=COLUMNS)


def read(path: str | Path = STORED) -> pandas.DataFrame:
    try:
        table = pandas.read_csv(path)
    except (OSError, ValueError) as error:
        raise ToolError(f"{path}: {error}") from None
    if list(table.columns) != COLUMNS:
        raise ToolError(f"{path}: the columns {', '.join(COLUMNS)} are expected")
    return table


def divergence(table: pandas.DataFrame) -> float:
    """The mean over all pairs of platforms of 1 - (lines of both) / (lines of either)."""
    sets = [(set(of.split()), n) for of, n in zip(table.platforms, table.lines)]
    pairs = list(combinations(sorted(set().union(*(of for of, _ in sets))), 2))
    if not pairs:
        raise ToolError("divergence is of two platforms or more")
    shared = [sum(n for of, n in sets if {a, b} <= of) / sum(n for of, n in sets if of & {a, b})
              for a, b in pairs]
    return 1 - sum(shared) / len(shared)


def by_part(table: pandas.DataFrame) -> pandas.DataFrame:
    """A line a part, and one of all: lines, the share that all platforms compile, divergence."""
    every = max(table.platforms, key=len)
    parts = {**dict(list(table.groupby("part"))), "all": table}
    return pandas.DataFrame([{
        "part": part, "lines": of.lines.sum(),
        "shared": of.lines[of.platforms == every].sum() / of.lines.sum(), "divergence": divergence(of)}
        for part, of in parts.items()])
