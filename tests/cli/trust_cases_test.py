# SPDX-License-Identifier: Apache-2.0
"""tests/trust.toml names tests that are there, and every test of trust is in one of its kinds.

docs/trust.md is generated from it, so the page goes stale with neither."""

import re
import tomllib

from trust_common import ROOT, check, finish

KEYS = {"part", "fault", "right", "siblings", "tests"}
# Files whose every test is about trust.
OWN = ("cli/trust_test.py", "cli/trust_numbers_test.py",
       "cli/trust_shot_identity_test.py", "cli/faults_test.py")


def tests_in(path):
    """Names of the tests of a file: functions of Python, second names of GoogleTest's."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        return set(re.findall(r"^def (\w+)\(", text, re.M))
    return set(re.findall(r"^TEST(?:_F|_P)?\(\w+, (\w+)\)", text, re.M))


def main():
    kinds = tomllib.loads((ROOT / "tests/trust.toml").read_text("utf-8"))["kind"]
    named = set()
    for kind in kinds:
        check(set(kind) == KEYS and all(kind.values()), f"{kind.get('fault')}: keys {sorted(kind)}")
        for test in kind["tests"]:
            file, name = test.split(":")
            path = ROOT / "tests" / file
            check(path.exists() and name in tests_in(path), f"{kind['fault']}: there is no {test}")
            named.add(test)
    faults = [kind["fault"] for kind in kinds]
    check(len(set(faults)) == len(faults) > 15, f"{len(faults)} kinds, each once")
    for file in OWN:
        missing = {name for name in tests_in(ROOT / "tests" / file) if name.startswith("test_") and
                   f"{file}:{name}" not in named}
        check(not missing, f"{file}: {sorted(missing)} are in no kind of tests/trust.toml")
    finish()


if __name__ == "__main__":
    main()
