# SPDX-License-Identifier: Apache-2.0
"""Counts, sizes and generated tables."""

import json
import re
import subprocess
import sys
from itertools import zip_longest

README_BYTES = 15360
MARK = re.compile(r"<!-- tessera ([^\n]*?) -->\n(.*?)<!-- end -->", re.DOTALL)


def ask(tessera, root, *words):
    """What the program prints."""
    return subprocess.run(
        [tessera, *words], cwd=root, capture_output=True, text=True, check=False
    )


def variants_by_family(tessera, root):
    """{family: names of its variants}."""
    result = ask(tessera, root, "list", "--json")
    if result.returncode != 0:
        raise SystemExit(f"tessera list --json: {result.stderr.strip()}")
    families = {}
    for row in json.loads(result.stdout):
        families.setdefault(row["family"], set()).add(row["variant"])
    return families


def check_counts(_pages, root, tessera):
    """The README states how many variants there are, in all and of each family."""
    families = variants_by_family(tessera, root)
    text = (root / "README.md").read_text("utf-8")
    stated = re.findall(r"(\d+) variants", text)
    count = sum(map(len, families.values()))
    if not stated:
        yield "README.md: it does not say how many variants there are"
    for number in stated:
        if int(number) != count:
            yield f"README.md: {number} variants, but tessera list has {count}"
    rows = dict(re.findall(r"^\| \[(\w+)\]\([^)]*\) \|[^|\n]*\| (\d+) \|", text, re.MULTILINE))
    for family in sorted(set(rows) | set(families)):
        has = len(families.get(family, ()))
        if family not in rows:
            yield f"README.md: the table of families lacks {family}"
        elif int(rows[family]) != has:
            yield f"README.md: {family} has {rows[family]} variants, but tessera list has {has}"


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


def check_listings(pages, root, tessera):
    """Between `<!-- tessera ARGUMENTS -->` and `<!-- end -->` stands what that command prints,
    as Markdown or in a block."""
    marked = set()
    for page in pages:
        begins = len(re.findall(r"<!-- tessera ", page.text))
        matches = list(MARK.finditer(page.text))
        if begins != len(matches):
            yield f"{page.name}: a mark `<!-- tessera ... -->` without its `<!-- end -->`"
        for match in matches:
            marked.add((page.name, match[1]))
            result = ask(tessera, root, *match[1].split())
            where = page.where(match.start())
            if result.returncode != 0:
                yield f"{where}: tessera {match[1]}: {result.stderr.strip()}"
            elif difference := first_difference(unfenced(match[2]), result.stdout.strip()):
                yield f"{where}: differs from tessera {match[1]}: {difference}"
    for family in variants_by_family(tessera, root):
        wanted = (f"variants/{family}/README.md", f"list --markdown {family}")
        if wanted not in marked:
            yield f"{wanted[0]}: no table `<!-- tessera {wanted[1]} -->`"


def unfenced(text):
    """What stands between marks, without the fence of a block around it."""
    lines = text.strip().splitlines()
    if lines and lines[0].startswith("```") and lines[-1] == "```":
        lines = lines[1:-1]
    return "\n".join(lines).strip()


def first_difference(have, want):
    """The first line that differs; None where none does."""
    for old, new in zip_longest(have.splitlines(), want.splitlines(), fillvalue=""):
        if old != new:
            return f'"{old}" should be "{new}"'
    return None


def check_tables(_pages, root, _tessera):
    """Tables of measured figures are what the result files give."""
    tool = root / "tools" / "docs_tables.py"
    result = subprocess.run(
        [sys.executable, tool, "--check", "--root", root],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        yield f"tables from results/: {result.stderr.strip()}"
