# SPDX-License-Identifier: Apache-2.0
"""The test of the layers can fail: a copy of the tree is broken in one way after another.

Argument: the repository's root.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from layers_test import faults

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, finish  # noqa: E402

PAGE = "docs/architecture.md"

# What is appended where, and a part of the line that must then be said.
APPENDED = [
    ("src/base/support/text.hpp", '#include "base/io/deck.hpp"',
     "support may include nothing, not io"),
    ("src/base/case/case.hpp", '#include "program/measure/timing.hpp"', "not measure"),
    ("src/base/case/case.hpp", "#include <program/measure/timing.hpp>", "not measure"),
    ("src/program/measure/timing.hpp", '#  include "program/cli/commands.hpp"', "not cli"),
    ("src/base/grid/field.hpp", '#include "base/tile/vec.hpp"', "not tile"),
    ("src/main.cpp", '#include "base/support/error.hpp"', "main may include cli, not support"),
    ("src/program/results/result.hpp", '#include "base/registry/plan.hpp"',
     "registry/step_work.hpp, support, not registry"),
    ("src/base/tile/vec.hpp", '#include "vec.hpp"', "there is no such file"),
    ("variants/ete/kernels/launcher.hpp", '#include "variants/jacobi/formula.hpp"', "each other"),
    ("variants/acoustic/gmem.cpp", '#include "variants/acoustic/two_step/tile.hpp"', "alone"),
    ("variants/acoustic/gmem.cpp", '#include "variants/acoustic/case/setup.hpp"', "not cases"),
    (PAGE, "| `src/base/extra/` | nothing yet | cellar |", "cellar: no such room"),
    (PAGE, "| `src/base/extra/` | nothing yet | cellar/shelf.hpp |",
     "cellar/shelf.hpp: no such room"),
    (PAGE, "| `src/base/grid/` | a second row | io |", "two rows that differ"),
]

# What of the table is replaced by what.
REPLACED = [
    ("fma | support |", "fma | tile, support |", "in a circle"),
    ("decompositions | device, support |", "decompositions | device, io, support |",
     "grid may include io, and includes nothing"),
    ("registry/step_work.hpp", "registry/step_work.hpp, registry/plan.hpp",
     "results may include registry/plan.hpp, and includes nothing"),
    ("registry/step_work.hpp", "registry/plan.hpp", "support, not registry"),
]


def check_said(copy, wanted, text):
    """The test says of the copy what is wanted."""
    found = list(faults(copy))
    check(any(wanted in line for line in found), f"{text}: said {found}, wanted ...{wanted}...")


def check_changed(copy, name, change, wanted, text):
    """The same while `change` is made to the text of the file `name`."""
    path = copy / name
    before = path.read_text("utf-8")
    path.write_text(change(before), "utf-8")
    check(path.read_text("utf-8") != before, f"{name} is changed by {text}")
    check_said(copy, wanted, f"{name} with {text}")
    path.write_text(before, "utf-8")


def main():
    """Breaks the copy, prints what was not noticed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("src", "variants", "docs"):
            shutil.copytree(ROOT / name, copy / name)
        whole = list(faults(copy))
        check(not whole, f"the copy as it is breaks a rule: {whole}")
        for name, line, wanted in APPENDED:
            check_changed(copy, name, lambda text, end=line: f"{text}\n{end}\n", wanted, line)
        for old, new, wanted in REPLACED:
            check_changed(copy, PAGE, lambda text, at=old, to=new: text.replace(at, to), wanted,
                          f"{new} for {old}")
        (copy / "src" / "base" / "attic").mkdir()
        check_said(copy, "src/base/attic/ is in no room", "a folder without a room")
    finish()


if __name__ == "__main__":
    main()
