#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which x loops of the variants GCC vectorises: vectorised.py BUILD [-j JOBS] [word of a path]...

Compiles each unit of tessera_variants by BUILD's own command, for its report and no object, and
says of each how many loops marked `omp simd` were vectorised, and which were not and why.

With -fno-tree-vectorize GCC looks at the marked loops alone: each "couldn't vectorize loop" is one
of them, in one instance of its template and inlined in one place. Passes before differ then, so a
unit with such loops is compiled again as the build does, and those count that are missed there too.
GCC names a loop by a statement of its body, wherever that stands; shorter vectors are its rest.

The exit status is not zero where an instance was missed and EXCUSED has no reason for it.
"""

import argparse
import collections
import concurrent.futures
import json
import linecache
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = f"{Path(__file__).resolve().parents[2]}{os.sep}"

# Loops without vectors: a pattern, searched for in "FUNCTION: line of source in the way", and why.
# A plan whose loops over all cells are excused says `loops.vectorised = false`.
EXCUSED = [
    (r"FusedXyzKernel|FusedAsyncKernel", "branches on the plane: the plan says so"),
    (r"ClassSumsKernel", "branches on the plane and gathers: the plan says so"),
    (r"VectorStreamKernel<.*Update::(pml|branched|shell)", "the layers: eta of its profiles is cut at 0"),
    (r"WindowKernel|ColumnsKernel<.*73", "the planes before the first, once a tile"),
    (r"ScatterKernel|Split2.*: .*column", "copies the numbers of table columns, a load and a store"),
]

FUNCTION = re.compile(r";; Function (.*) \(")
REPORT = re.compile(r"(\S+?):(\d+):\d+: (?:missed|optimized):\s+(.*)")
VECTORISED = re.compile(r"loop vectorized using (?:(\d+) byte|variable length) vectors")
Missed = collections.namedtuple("Missed", "place function reason line_in_way")
REASON = re.compile(r"not vectorized: (.*)")


def units(build):
    """(source, command, directory) of each translation unit of the library of variants."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = entry.get("arguments") or shlex.split(entry["command"])
        source, target = entry["file"], words[words.index("-o") + 1]
        if "tessera_variants.dir" in target and source.endswith(".cpp"):
            yield source, words, entry["directory"]


def read(report):
    """Of a report: the number of vectorised loops, and a Missed for each of the others."""
    vectorised, missed = 0, []
    function, reason, line_in_way, last = "", "", "", None
    for line in report.splitlines():
        if begin := FUNCTION.match(line):
            function, last = begin[1], None
        elif found := REPORT.match(line):
            place = f"{found[1].removeprefix(HERE)}:{found[2]}"
            if made := VECTORISED.match(found[3]):
                vectorised += not (last and last[0] == place and last[1] > int(made[1] or 0))
                reason, line_in_way, last = "", "", (place, int(made[1] or 0))
            elif "couldn't vectorize loop" in found[3]:
                missed.append(Missed(place, function, reason, line_in_way))
                reason, line_in_way, last = "", "", None
            elif not reason and (why := REASON.match(found[3])):  # the widest vectors come first
                reason = f"{why[1]} ({place})"
                line_in_way = linecache.getline(found[1], int(found[2])).strip()
    return vectorised, missed


def compile_unit(unit, *more):
    """read() of a unit's report."""
    _, words, directory = unit
    command = [*words, "-S", "-w", "-fdump-tree-vect-optimized-missed=stderr", *more]
    command.remove("-c")
    command[command.index("-o") + 1] = os.devnull
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("\n".join(x for x in done.stderr.splitlines() if "error" in x) or done.stderr)
    return read(done.stderr)


def examine(unit):
    """The number of a unit's marked loops that are vectorised, and its missed ones."""
    vectorised, missed = compile_unit(unit, "-fno-tree-vectorize")
    there = collections.Counter(m[:2] for m in (compile_unit(unit)[1] if missed else ()))
    still = [m for m in missed if there[m[:2]] > 0 and not there.subtract([m[:2]])]  # one each
    return vectorised + len(missed) - len(still), still


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("build", type=lambda path: Path(path).resolve())
    options.add_argument("words", nargs="*")
    options.add_argument("-j", dest="jobs", type=int, default=1)
    args = options.parse_intermixed_args()
    chosen = [u for u in units(args.build) if not args.words or any(word in u[0] for word in args.words)]
    total, unexcused = 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for unit, (vectorised, missed) in zip(chosen, pool.map(examine, chosen)):
            total += vectorised
            name = unit[0].removeprefix(HERE)
            print(f"{name}: {vectorised} vectorised, {len(missed)} missed", flush=True)
            groups = collections.defaultdict(list)
            for m in missed:
                whys = (why for x, why in EXCUSED if re.search(x, f"{m.function}: {m.line_in_way}"))
                groups[m.place, next(whys, "")].append(m)
            for (place, why), loops in groups.items():
                unexcused += 0 if why else len(loops)
                print(f"  {place}: {len(loops)} missed: {why or loops[0].reason}")
                print(f"    in {loops[0].function}", "..." * (len(loops) > 1))
    print(f"{len(chosen)} units: {total} x loops vectorised, {unexcused} missed without an excuse")
    return 1 if unexcused or not total else 0


if __name__ == "__main__":
    sys.exit(main())
