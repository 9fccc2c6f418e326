# SPDX-License-Identifier: Apache-2.0
"""What the tests of tools share: the tree and the program, checks, made-up results, and tools as they
are called.

Arguments of each test: the repository's root, the tessera binary.
"""

import sys
from functools import partial
from pathlib import Path

ROOT, TESSERA = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve())
sys.path[:0] = [str(ROOT / "tests" / "fixtures"), str(ROOT / "tools")]
import made_results as made  # noqa: E402
from checks import check, check_error, equal, finish, raises, run_tests  # noqa: E402
from tool_calls import call, preload  # noqa: E402

write = made.write
__all__ = ["ROOT", "TESSERA", "call", "check", "check_error", "equal", "finish", "made", "preload", "raises",
           "run_tests", "tool_named", "write"]


def tool_named(name):
    """A tool that takes its arguments and says how it ended."""
    return partial(call, ROOT / f"tools/{name}.py")
