#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Set Fang's printed speed-ups beside those of result files of the ete family.

Reads result files of `tessera run inputs/fang-*.toml` and inputs/published/fang.toml. For each
ratio that the paper prints, takes the fastest configuration of both variants among those that use
the same coefficient table: the usual one, or that of a key such as coeff=gmem; ratios of GPUs stand
beside those of GPUs, a Xeon Phi's beside a host's. With --table2 also
prints the paper's cache events a cell and step, beside those that the files' runs counted.
"""

from tessera_tools import command_line, errors, results
from tessera_tools.errors import ToolError
from tessera_tools.files import PUBLISHED, read_toml

EXAMPLES = """
  ete_ratios.py out/fang-37-random.json out/fang-73-random.json
  ete_ratios.py --table2"""
CELLS_STEPS = 328 * 328 * 936 * 800


def fastest(rows, name, stencil, precision):
    """{problem: the fastest row} of a variant with the usual table, or with the one named:
    a/b:coeff=gmem."""
    variant, _, table = name.partition(":")
    found = {}
    for row in results.select(rows, variant=variant, stencil=stencil, precision=precision):
        if results.table_of(row.configuration) == table:
            found.setdefault(row.problem, []).append(row)
    return {problem: best for problem, mine in found.items() if (best := results.best(mine))}


def print_ratios(published, files):
    lines = [f"{'stencil':<8}{'type':<8}{'of':<30}{'over':<26}{'paper':>6} {'device':<12} here"]
    found = 0
    for ratio in published["ratio"]:
        here = []
        kind = "host" if ratio["device"].startswith("MIC") else "gpu"
        for file in (file for file in files if file.kind == kind):
            all_of, all_over = (fastest(file.rows, ratio[key], ratio["stencil"],
                                        ratio["precision"]) for key in ("of", "over"))
            for of, over in ((row, all_over[problem]) for problem, row in all_of.items()
                             if problem in all_over):
                found += 1
                here.append(f"{of.rate / over.rate:.2f} ({of.configuration} {of.rate:.4g}, "
                            f"{over.configuration} {over.rate:.4g} GCell/s, {file.device})")
        lines.append(
            f"{ratio['stencil']:<8}{ratio['precision']:<8}{ratio['of']:<30}{ratio['over']:<26}"
            f"{ratio['value']:>6.2f} {ratio['device']:<12} {'; '.join(here) or '-'}")
    if files and not found:
        raise ToolError(f"{', '.join(str(file.path) for file in files)}: no two valid rows of the "
                        "ete family form a ratio that the paper prints")
    print("\n".join(lines))


def print_events(published, files):
    print("\nTable II, events a cell and step (MIC 5110P), lines of 64 B:")
    print(f"{'method':<24}{'stencil':<8}{'type':<8}{'L1 misses':>10}{'L2 reads':>10}"
          f"{'L2 writes':>10}")
    for row in published["cache_events"]:
        reads = row["l2_read_cache"] + row["l2_read_memory"]
        writes = row["l2_write_cache"] + row["l2_write_memory"]
        figures = (events / CELLS_STEPS for events in (row["l1_miss"], reads, writes))
        print(f"{row['method']:<24}{row['stencil']:<8}{row['precision']:<8}"
              + "".join(f"{events:>10.3f}" for events in figures))
    print("\nhere, from counted volumes (tools/counters.py, LIKWID's groups MEM and L2):")
    lines = [line for row in published["cache_events"] for file in files
             if (line := counted(row, file))]
    print("\n".join(lines) or "  none: no file given has counters of a host's run of these variants")


def counted(event, file):
    """The line of the fastest counted row of an event's method in a file, or None."""
    keys = ("l2_read_bytes_per_cell", "dram_read_bytes_per_cell", "dram_write_bytes_per_cell")
    mine = results.select(file.rows, variant=event["method"], stencil=event["stencil"],
                          precision=event["precision"])
    row = results.best(row for row in mine if row.file.kind == "host"
                       and any(key in row.counters for key in keys))
    if not row:
        return None
    figures = (row.counters.get(key) for key in keys)
    return (f"{event['method']:<24}{event['stencil']:<8}{event['precision']:<8}" + "".join(
        f"{'-':>10}" if bytes_ is None else f"{bytes_ / 64:>10.3f}" for bytes_ in figures)
        + f"  {row.configuration}, {file.device}")


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("results", nargs="*", help="result files of tessera run")
    parser.add_argument("--table2", action="store_true", help="also print the paper's cache events and those counted here")
    arguments = parser.parse_args()
    if not arguments.results and not arguments.table2:
        raise ToolError("a result file of inputs/fang-*.toml is wanted, or --table2")
    published = read_toml(PUBLISHED / "fang.toml")
    files = results.read_all(arguments.results)
    print_ratios(published, files)
    if arguments.table2:
        print_events(published, files)


if __name__ == "__main__":
    errors.run(main)
