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

import numpy

from .errors import ToolError


def performance_portability(efficiencies: Sequence[float]) -> float:
    """Phi: the harmonic mean of the efficiencies on the platforms of a set, 0 to 1 each; 0 where one
    of them is 0: the program does not run there, or gives wrong results (Pennycook et al.)."""
    values = numpy.asarray(efficiencies, dtype=float)
    if not len(values) or not (numpy.isfinite(values) & (values >= 0)).all():
        raise ToolError(f"performance portability of {list(efficiencies)}")
    return float(len(values) / (1 / values).sum()) if values.all() else 0.0


def cascade(efficiencies: Sequence[float]) -> list[tuple[int, float, float]]:
    """(platform, its efficiency, Phi over the platforms so far), in order of falling efficiency; of
    equals in the given order."""
    order = sorted(range(len(efficiencies)), key=lambda at: -efficiencies[at])
    return [(at, efficiencies[at], performance_portability([efficiencies[i] for i in order[:n]]))
            for n, at in enumerate(order, 1)]


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Kendall's tau-b of two lists of rates of the same variants: 1 the same ranking, -1 the opposite
    one. None for fewer than two variants, or where one list is all ties."""
    if len(one) != len(other):
        raise ToolError(f"rankings of {len(one)} and {len(other)} variants")
    signs = [numpy.sign(numpy.subtract.outer(rates, rates)) for rates in map(numpy.array, (one, other))]
    pairs = math.sqrt(math.prod(int((sign != 0).sum()) for sign in signs))
    return float((signs[0] * signs[1]).sum() / pairs) if pairs else None


def verdict(ratio, spread, tolerance: float):
    """Of ratios: faster, slower, the same, or, where the spread is larger than the difference and than
    the tolerance, neither."""
    apart = numpy.maximum(ratio, 1 / ratio) - 1
    return numpy.select([(apart <= spread) & (spread > tolerance), apart <= tolerance, ratio > 1],
                        ["too noisy to tell", "same", "faster"], "slower")
