# SPDX-License-Identifier: Apache-2.0
"""The generated tables of the docs: definitions in TOML (table.py), what makes and what places them."""
