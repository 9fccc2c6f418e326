# SPDX-License-Identifier: Apache-2.0
"""The figures of performance portability: plain functions of efficiencies and rates.

Sources: Pennycook, Sewall, Lee: "Implications of a metric for performance portability", Future
Generation Computer Systems 92 (2019); Sewall, Pennycook, Jacobsen, Deakin, McIntosh-Smith:
"Interpreting and visualizing performance portability metrics", P3HPC 2020 (the cascade); Kendall:
"The treatment of ties in ranking problems", Biometrika 33 (1945) (tau-b).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from .errors import ToolError


def performance_portability(efficiencies: Sequence[float]) -> float:
    """Phi: the harmonic mean of the efficiencies on the platforms of a set, 0 to 1 each; 0 where one
    of them is 0: the program does not run there, or gives wrong results (Pennycook et al.)."""
    if not efficiencies:
        raise ToolError("performance portability of no platform")
    for e in efficiencies:
        if not (math.isfinite(e) and e >= 0):
            raise ToolError(f"an efficiency cannot be {e}")
    return 0.0 if 0 in efficiencies else len(efficiencies) / sum(1 / e for e in efficiencies)


def cascade(efficiencies: Sequence[float]) -> list[tuple[int, float, float]]:
    """(platform, its efficiency, Phi over the platforms so far), in order of falling efficiency; of
    equals in the given order."""
    order = sorted(range(len(efficiencies)), key=lambda at: -efficiencies[at])
    falling = [efficiencies[at] for at in order]
    return [(at, efficiencies[at], performance_portability(falling[:n]))
            for n, at in enumerate(order, 1)]


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Kendall's tau-b of two lists of rates of the same variants: 1 the same ranking, -1 the opposite
    one. None for fewer than two variants, or where one list is all ties."""
    if len(one) != len(other):
        raise ToolError(f"rankings of {len(one)} and {len(other)} variants")

    def sign(x):
        return (x > 0) - (x < 0)

    pairs = [(sign(one[i] - one[j]), sign(other[i] - other[j]))
             for i, j in combinations(range(len(one)), 2)]
    in_one, in_other = sum(a != 0 for a, _ in pairs), sum(b != 0 for _, b in pairs)
    if not in_one or not in_other:
        return None
    return sum(a * b for a, b in pairs) / math.sqrt(in_one * in_other)
