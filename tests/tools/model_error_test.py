# SPDX-License-Identifier: Apache-2.0
"""tools/model_error.py: its table stands in docs/model.md, and it can fail."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
TESSERA = sys.argv[2]
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, finish  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))


def tool(*arguments):
    command = [sys.executable, ROOT / "tools" / "model_error.py", "--tessera", TESSERA, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_arithmetic():
    import model_error  # noqa: PLC0415 (the path is known only now)
    check(model_error.rank_correlation([1, 2, 3, 4], [10, 20, 30, 40]) == 1, "same order")
    check(model_error.rank_correlation([1, 2, 3, 4], [4, 3, 2, 1]) == -1, "opposite order")
    check(abs(model_error.mean_error([0.5, 1.5, 1.0]) - 1 / 3) < 1e-12, "mean error")


def test_the_table_of_the_docs():
    asked = tool()
    check(asked.returncode == 0, asked.stderr)
    check(asked.stdout.strip() in (ROOT / "docs" / "model.md").read_text("utf-8"),
          "docs/model.md has another table than tools/model_error.py prints:\n" + asked.stdout)


def test_bad_input():
    other = tool("H100")
    check(other.returncode == 1 and "no column of H100" in other.stderr, other.stderr)
    unknown = tool("V101")
    check(unknown.returncode == 1 and "V101" in unknown.stderr, unknown.stderr)


test_arithmetic()
test_the_table_of_the_docs()
test_bad_input()
finish()
