# SPDX-License-Identifier: Apache-2.0
"""The generated tables of the docs: definitions in TOML (table.py), what makes and what places them."""

from __future__ import annotations

from .table import Table, definitions

TABLES = {name: Table(name, spec) for name, spec in definitions().items()}
