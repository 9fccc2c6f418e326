#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Set Fang's printed speed-ups beside those of result files of the ete family.

Reads result files of `tessera run inputs/fang-*.toml` and inputs/published/fang.toml. For each
ratio that the paper prints, takes the fastest configuration of both variants. With --table2 also
prints the paper's cache events a cell and step.
"""

from tessera_tools import command_line, errors, results
from tessera_tools.files import PUBLISHED, read_toml

EXAMPLES = """
  ete_ratios.py out/fang-37-random.json out/fang-73-random.json
  ete_ratios.py --table2"""
CELLS_STEPS = 328 * 328 * 936 * 800


def matches(row, key):
    """Whether a row's configuration has the key, such as coeff=ro; without a key, no coeff=."""
    keys = row.configuration.split(",")[1:]
    return key in keys if key else not any(k.startswith("coeff=") for k in keys)


def fastest(rows, name, stencil, precision):
    """The fastest row of a variant, or of its configurations with a key: a/b:key=value."""
    variant, _, key = name.partition(":")
    mine = results.select(rows, variant=variant, stencil=stencil, precision=precision)
    return results.best(row for row in mine if matches(row, key))


def print_ratios(published, files):
    print(f"{'stencil':<8}{'type':<8}{'of':<30}{'over':<26}{'paper':>6} {'device':<12} here")
    for ratio in published["ratio"]:
        here = []
        for file in files:
            of, over = (fastest(file.rows, ratio[key], ratio["stencil"], ratio["precision"])
                        for key in ("of", "over"))
            if of and over:
                here.append(f"{of.rate / over.rate:.2f} ({of.configuration} {of.rate:.4g}, "
                            f"{over.configuration} {over.rate:.4g} GCell/s, {file.device})")
        print(f"{ratio['stencil']:<8}{ratio['precision']:<8}{ratio['of']:<30}{ratio['over']:<26}"
              f"{ratio['value']:>6.2f} {ratio['device']:<12} {'; '.join(here) or '-'}")


def print_events(published):
    print("\nTable II, events a cell and step (MIC 5110P):")
    print(f"{'method':<24}{'stencil':<8}{'type':<8}{'L1 misses':>10}{'L2 reads':>10}"
          f"{'L2 writes':>10}")
    for row in published["cache_events"]:
        reads = row["l2_read_cache"] + row["l2_read_memory"]
        writes = row["l2_write_cache"] + row["l2_write_memory"]
        figures = (events / CELLS_STEPS for events in (row["l1_miss"], reads, writes))
        print(f"{row['method']:<24}{row['stencil']:<8}{row['precision']:<8}"
              + "".join(f"{events:>10.3f}" for events in figures))


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("results", nargs="*", help="result files of tessera run")
    parser.add_argument("--table2", action="store_true", help="also print the paper's cache events")
    arguments = parser.parse_args()
    published = read_toml(PUBLISHED / "fang.toml")
    print_ratios(published, results.read_all(arguments.results))
    if arguments.table2:
        print_events(published)


if __name__ == "__main__":
    errors.run(main)
