#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Set Fang's printed speed-ups beside those of result files of the ete family.

Reads result files of `tessera run inputs/fang-*.toml` and inputs/published/fang.toml. For each ratio
that the paper prints, takes the fastest configuration of both variants. With --table2 also prints
the seed's cache events a cell and step.
"""

import argparse
import json
import sys
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python before 3.11
    sys.exit("ete_ratios.py: error: Python 3.11 or newer is needed (tomllib)")

EXAMPLES = """examples:
  ete_ratios.py out/fang-37-random.json out/fang-73-random.json
  ete_ratios.py --table2
"""
PUBLISHED = Path(__file__).resolve().parent.parent / "inputs" / "published" / "fang.toml"
CELLS_STEPS = 328 * 328 * 936 * 800


def matches(row, name):
    """Whether a row is of the variant `name`, or of its configurations with a key: a/b:key=value."""
    variant, _, key = name.partition(":")
    keys = row["configuration"].split(",")[1:]
    if row["variant"] != variant:
        return False
    homes = [k for k in keys if k.startswith("coeff=")]
    return key in keys if key else not homes


def fastest(rows, name, stencil, precision):
    """GCell/s and configuration of the fastest valid row, or None."""
    rates = [
        (row["gcell_per_s"]["median"], row["configuration"])
        for row in rows
        if row.get("gcell_per_s")
        and row["stencil"].endswith(stencil)
        and row["precision"] == precision
        and matches(row, name)
    ]
    return max(rates) if rates else None


def print_ratios(published, files):
    print(f"{'stencil':<8}{'type':<8}{'of':<30}{'over':<26}{'seed':>6} {'device':<12} here")
    for ratio in published["ratio"]:
        here = []
        for name, file in files:
            pair = [
                fastest(file["results"], ratio[key], ratio["stencil"], ratio["precision"])
                for key in ("of", "over")
            ]
            if all(pair):
                here.append(
                    f"{pair[0][0] / pair[1][0]:.2f} ({pair[0][1]} {pair[0][0]:.4g}, "
                    f"{pair[1][1]} {pair[1][0]:.4g} GCell/s, {name})"
                )
        print(
            f"{ratio['stencil']:<8}{ratio['precision']:<8}{ratio['of']:<30}{ratio['over']:<26}"
            f"{ratio['value']:>6.2f} {ratio['device']:<12} {'; '.join(here) or '-'}"
        )


def print_events(published):
    print("\nTable II, events a cell and step (MIC 5110P):")
    print(f"{'method':<24}{'stencil':<8}{'type':<8}{'L1 misses':>10}{'L2 reads':>10}{'L2 writes':>10}")
    for row in published["cache_events"]:
        reads = row["l2_read_cache"] + row["l2_read_memory"]
        writes = row["l2_write_cache"] + row["l2_write_memory"]
        print(
            f"{row['method']:<24}{row['stencil']:<8}{row['precision']:<8}"
            f"{row['l1_miss'] / CELLS_STEPS:>10.3f}{reads / CELLS_STEPS:>10.3f}"
            f"{writes / CELLS_STEPS:>10.3f}"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="*", type=Path, help="result files of tessera run")
    parser.add_argument("--table2", action="store_true", help="also print the seed's cache events")
    arguments = parser.parse_args()
    with PUBLISHED.open("rb") as file:
        published = tomllib.load(file)
    files = []
    for path in arguments.results:
        try:
            result = json.loads(path.read_text())
            device = result["machine"].get("device", path.stem)
        except (OSError, ValueError, KeyError) as error:
            sys.exit(f"ete_ratios.py: error: {path}: {error}")
        files.append((device if isinstance(device, str) else path.stem, result))
    print_ratios(published, files)
    if arguments.table2:
        print_events(published)


if __name__ == "__main__":
    main()
