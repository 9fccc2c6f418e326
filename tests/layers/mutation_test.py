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

# What is appended where, and a part of the line that must then be said.
MUTATIONS = [
    ("src/support/text.hpp", '#include "io/deck.hpp"', "support may include nothing, not io"),
    ("src/cases/case.hpp", '#include "measure/timing.hpp"', "not measure"),
    ("src/cases/case.hpp", "#include <measure/timing.hpp>", "not measure"),
    ("src/model/kernel.hpp", '#  include "cli/commands.hpp"', "not cli"),
    ("src/grid/field.hpp", '#include "tile/vec.hpp"', "not tile"),
    ("src/main.cpp", '#include "support/error.hpp"', "main may include cli, not support"),
    ("src/tile/vec.hpp", '#include "vec.hpp"', "there is no such file"),
    ("src/kernels/ete/launcher.hpp", '#include "stencils/jacobi/formula.hpp"', "each other"),
    ("variants/acoustic/gmem.cpp", '#include "variants/acoustic/two_step/tile.hpp"', "alone"),
    ("docs/architecture.md", "| `src/extra/` | nothing yet | cellar |", "cellar: no such room"),
    ("docs/architecture.md", "| `src/grid/` | a second row | io |", "two rows that differ"),
]


def lines_with(copy, name, text):
    """What the test says of the copy while `text` ends the file `name`."""
    path = copy / name
    before = path.read_text("utf-8")
    path.write_text(f"{before}\n{text}\n", "utf-8")
    found = list(faults(copy))
    path.write_text(before, "utf-8")
    return found


def main():
    """Breaks the copy, prints what was not noticed."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("src", "variants", "docs"):
            shutil.copytree(ROOT / name, copy / name)
        if list(faults(copy)):
            print("FAILED: the copy as it is breaks a rule")
            return 1
        for name, text, wanted in MUTATIONS:
            found = lines_with(copy, name, text)
            if not any(wanted in line for line in found):
                print(f"FAILED: {name} with {text}: said {found}, wanted ...{wanted}...")
                failed += 1
        (copy / "src" / "attic").mkdir()
        if not any("src/attic/ is in no room" in line for line in faults(copy)):
            print("FAILED: a folder without a room was not noticed")
            failed += 1
        (copy / "src" / "attic").rmdir()
        page = copy / "docs" / "architecture.md"
        page.write_text(page.read_text("utf-8").replace("| device, support |", "| tile, support |"),
                        "utf-8")
        if not any("in a circle" in line for line in faults(copy)):
            print("FAILED: a circle of rooms was not noticed")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
