# SPDX-License-Identifier: Apache-2.0
"""What a row of a result file computed: rows are compared where that is the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Problem(NamedTuple):
    """All that a row's rate depends on but for how and where it ran (docs/results.md)."""

    stencil: str
    decomposition: str
    precision: str
    model: str
    details: str  # empty in older files, which do not tell
    grid: tuple[int, int, int]
    steps: int

    def words(self) -> list[str]:
        """What a heading says beside stencil, precision and grid."""
        return [*filter(None, (self.decomposition, f"{self.steps} steps" if self.steps else "",
                               self.model, self.details))]


def differences(problems: Iterable[Problem]) -> list[str]:
    """The fields that are not the same in all problems."""
    return [name for name, values in zip(Problem._fields, zip(*problems)) if len(set(values)) > 1]


def same(one: Problem, other: Problem, but: tuple[str, ...] = ()) -> bool:
    """Whether two problems agree, but for these fields; unknown details agree with any."""
    details = () if one.details and other.details else ("details",)
    return all(mine == theirs for name, mine, theirs in zip(Problem._fields, one, other)
               if name not in (*but, *details))
