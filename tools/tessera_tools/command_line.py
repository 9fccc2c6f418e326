# SPDX-License-Identifier: Apache-2.0
"""How every program of tools/ reads its command line."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable

from .errors import ToolError


def parser(doc: str, examples: str = "", after: str = "") -> argparse.ArgumentParser:
    """A parser whose help is the program's own doc, its examples and what is to be said after."""
    parts = ["examples:\n" + examples.strip("\n") if examples else "", after]
    return argparse.ArgumentParser(description=doc.strip(), epilog="\n".join(filter(None, parts)),
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def add_number(arguments: argparse.ArgumentParser, name: str, kind: type, least: float, most: float,
               above: bool = False, short: str | None = None, **options) -> None:
    """An option that takes numbers of a kind (int, float) from `least`, or `above` it, to `most`; a
    ToolError says so where one is given that is none, or lies outside."""
    wanted = (f"a {'whole ' if kind is int else ''}number "
              f"{'above' if above else 'from'} {least:g} to {most:g}")

    def read(text: str):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most or (above and value == least):
            raise ToolError(f"{name} {text}: must be {wanted}")
        return value

    names = (short, name) if short else (name,)
    arguments.add_argument(*names, type=read, **options)


def refuse_twice(name: str, values: Iterable) -> None:
    """A ToolError where an option or argument has a value twice, which would count twice."""
    twice = [value for value, times in Counter(values).items() if times > 1]
    if twice:
        raise ToolError(f"{name}: {twice[0]} is given twice: leave one of them out")


def refuse_idle(arguments: argparse.ArgumentParser, given: argparse.Namespace, names: Iterable[str],
                where: str) -> None:
    """A ToolError where an option of these (by their names in the result) was given, which have no
    effect there: `where` is what follows, such as "beside --json"."""
    for name in names:
        if getattr(given, name) != arguments.get_default(name):
            raise ToolError(f"--{name.replace('_', '-')} has no effect {where}: leave it out")


def add_tessera(arguments: argparse.ArgumentParser) -> None:
    """The option that names the program to run: see program.find_tessera."""
    arguments.add_argument("--tessera", metavar="PROGRAM",
                           help="the program (default: the newest build/*/tessera, or the installed one)")


def add_run_options(arguments: argparse.ArgumentParser, variants: str = "as of tessera run"):
    """Options that are handed on to tessera: see program.run_options."""
    arguments.add_argument("-v", "--variants", action="append", default=[], metavar="GLOB",
                           help=variants)
    arguments.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                           help="override a deck key")
