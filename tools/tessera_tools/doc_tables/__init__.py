# SPDX-License-Identifier: Apache-2.0
"""The generated tables of the docs: definitions by family, what makes and what places them."""

from __future__ import annotations

from . import (acoustic, course, directional, energy, ete, glance, jacobi, launches, low_order,
               machines, model, scaling, trust)

TABLES = {table.name: table for family in (glance, machines, energy, course, acoustic, directional,
                                           low_order, ete, jacobi, launches, model, scaling,
                                           trust)
          for table in family.TABLES}
