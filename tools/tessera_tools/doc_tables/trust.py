# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/trust.md: kinds of faults, what is right, and the tests (tests/trust.toml)."""

from ..files import read_toml
from .table import Table

PARTS = {"recorded": "trust-recorded", "believed": "trust-believed", "stops": "trust-stops",
         "limits": "trust-limits"}


def said(key):
    """A cell with a line's text."""
    return lambda rows, values: (values[key], None)


def tests_of(rows, values):
    """A kind's tests: the file's name without its folder, and the test's."""
    names = [test.split("/")[-1].replace("_test.py", "").replace("_test.cpp", "")
             for test in values["tests"]]
    return ", ".join(f"`{name.replace(':', '.')}`" for name in names), None


def kinds_of(part):
    """A line for each kind of a part, as the file has them."""
    return lambda data: [kind for kind in read_toml(data.root / "tests/trust.toml")["kind"]
                         if kind["part"] == part]


TABLES = tuple(
    Table(name=name, lines=kinds_of(part), picks={}, captions=None, keep=lambda rows: True,
          columns=(("fault", said("fault")), ("here", said("right")),
                   ("of its kind also", said("siblings")), ("tests", tests_of)))
    for part, name in PARTS.items())
