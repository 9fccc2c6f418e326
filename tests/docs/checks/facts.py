# SPDX-License-Identifier: Apache-2.0
"""The README's size and its variant."""

import re

README_BYTES = 15360


def check_variant(_pages, root, _tessera):
    """The README's variant in ten lines has the members that a family asks for."""
    asked = (root / "variants/acoustic/kernels/variant.hpp").read_text("utf-8")
    block = re.search(r"```cpp\n(.*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    members = re.findall(r"^  (\w+ \w+\(.*?\) const);", block[1] if block else "", re.MULTILINE)
    if len(members) < 2:
        yield "README.md: no variant with a plan and a step"
    for member in members:
        if f"///   {member}\n" not in asked:
            yield f"README.md: {member} is not what variants/acoustic/kernels/variant.hpp asks for"


def check_size(_pages, root, _tessera):
    """The README stays short."""
    size = (root / "README.md").stat().st_size
    if size > README_BYTES:
        yield f"README.md: {size} bytes, over {README_BYTES}"
