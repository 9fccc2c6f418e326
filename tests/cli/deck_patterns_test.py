# SPDX-License-Identifier: Apache-2.0
"""Every configuration that a deck in inputs/ names exists.

A build of few configurations cannot list them all: what it leaves out is found in the results of full
builds and in the published tables that the repository keeps.
"""

import fnmatch
import itertools
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT, TESSERA = Path(sys.argv[1]), sys.argv[2]
FEW = os.environ.get("TESSERA_FEW_CONFIGURATIONS") == "1"


def named_in(value):
    """"family/variant:configuration" of every row in a JSON value."""
    if isinstance(value, dict):
        variant, configuration = value.get("variant"), value.get("configuration")
        if isinstance(variant, str) and isinstance(configuration, str):
            yield f"{variant}:{configuration}"
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from named_in(item)


def powers_of_two():
    """Su's search space, which full builds of low_order offer whole: blocks of 32 to 1024 cells along x
    and at most 1024 in all; of zblock with every chunk to 256 besides."""
    to = [2**i for i in range(11)]
    for x, y in itertools.product(to[5:], to):
        yield from (f"low_order/baseline:{x}x{y}x{z}" for z in to if x * y * z <= 1024)
        if x * y <= 1024:
            yield from (f"low_order/zblock:{x}x{y},chunk={c}" for c in to[:9])


def listed():
    """What the program offers, and what full builds did."""
    done = subprocess.run([TESSERA, "list", "--json"], capture_output=True, text=True, check=True)
    names = set(named_in(json.loads(done.stdout)))
    if FEW:
        for path in sorted((ROOT / "results").rglob("*.json")):
            names |= set(named_in(json.loads(path.read_text("utf-8"))))
        for path in sorted((ROOT / "inputs" / "published").glob("*.toml")):
            rows = tomllib.loads(path.read_text("utf-8")).get("row", [])
            names |= {row["name"] for row in rows if ":" in row.get("name", "")}
        names |= set(powers_of_two())
    return names


def patterns_of(value):
    """What the tables `select` of a deck or study name."""
    for key, item in value.items():
        if key in ("variants", "exclude") and isinstance(item, list):
            yield from item
        elif isinstance(item, dict):
            yield from patterns_of(item)
        elif isinstance(item, list):
            for each in item:
                if isinstance(each, dict):
                    yield from patterns_of(each)


def known(pattern, names):
    """As Registry::select understands a pattern; without a tile every build knows it itself."""
    if ":" not in pattern:
        return True
    whole = pattern if "/" in pattern.split(":")[0] else "*/" + pattern
    return any(fnmatch.fnmatchcase(name, whole) for name in names)


def main():
    names = listed()
    decks = sorted((ROOT / "inputs").glob("*.toml"))
    wrong, tiles = [], 0
    for deck in decks:
        for pattern in patterns_of(tomllib.loads(deck.read_text("utf-8"))):
            tiles += ":" in pattern
            if not known(pattern, names):
                wrong.append(f"{deck.name}: no build has {pattern}")
    for line in wrong:
        print(f"FAILED: {line}")
    # The test tests itself: a tile that nobody has is found out.
    if known("acoustic/st_async:31x17", names) or not names or tiles < 50:
        print(f"FAILED: {len(names)} names, {tiles} tiles in decks")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
