# SPDX-License-Identifier: Apache-2.0
"""What older files call things by, in today's words. Files keep the names that they recorded."""

from __future__ import annotations

# Until this day `jacobi/ebisu` named two strategies: register streaming with warp shuffles on
# devices, time skewing on hosts. A file of a later date means what it says.
_EBISU_SPLIT = "2026-11-26"
_BEFORE_SPLIT = {("jacobi/ebisu", "gpu"): "jacobi/warps",
                 ("jacobi/ebisu", "host"): "jacobi/skewed"}
# Nothing else has these names.
_RENAMED = {"jacobi/rst": "jacobi/partial_sums"}

_ORIGINS = {"seed": "paper"}


def today_variant(variant: str, kind: str, date: str) -> str:
    """The present name of a variant that a file of `date` recorded on a `kind` of machine."""
    if date and date < _EBISU_SPLIT:
        variant = _BEFORE_SPLIT.get((variant, kind), variant)
    return _RENAMED.get(variant, variant)


def today_origin(origin: str) -> str:
    """Where a configuration comes from: "paper" or "ours"."""
    return _ORIGINS.get(origin, origin)


def today_prediction(prediction: dict) -> dict:
    """A prediction whose part by the paper's own formulas is called "paper"."""
    if "seed" not in prediction:
        return prediction
    return {_ORIGINS.get(key, key): value for key, value in prediction.items()}
