# SPDX-License-Identifier: Apache-2.0
"""numpy: slices of whole arrays."""

from . import contender, slices

CONTENDERS = {"numpy, slices": contender(slices)}
