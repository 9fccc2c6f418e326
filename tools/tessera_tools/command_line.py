# SPDX-License-Identifier: Apache-2.0
"""How every program of tools/ reads its command line."""

from __future__ import annotations

import argparse


def parser(doc: str, examples: str = "", after: str = "") -> argparse.ArgumentParser:
    """A parser whose help is the program's own doc, its examples and what is to be said after."""
    parts = ["examples:\n" + examples.strip("\n") if examples else "", after]
    return argparse.ArgumentParser(description=doc.strip(), epilog="\n".join(filter(None, parts)),
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def add_tessera(arguments: argparse.ArgumentParser) -> None:
    """The option that names the program to run: see program.find_tessera."""
    arguments.add_argument("--tessera", metavar="PROGRAM",
                           help="the program (default: the only build/*/tessera, or the installed one)")


def add_run_options(arguments: argparse.ArgumentParser, variants: str = "as of tessera run"):
    """Options that are handed on to tessera: see program.run_options."""
    arguments.add_argument("-v", "--variants", action="append", default=[], metavar="GLOB",
                           help=variants)
    arguments.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                           help="override a deck key")
