#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hardware counters of a deck's kernels: measured volumes beside the least and the planned ones.

Runs `tessera run DECK --profile` under a profiler (ncu, rocprofv3, likwid-perfctr: the first that
is there), or reads what one wrote before, sums the counters of each configuration's steps and
prints bytes a cell: device memory and L2. With --result they go into the rows of a result file.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import counter_formats as formats
from counter_formats import CounterError
from counter_rows import (counters_of, merge, print_busy, print_published, print_volumes,
                          profiled_rows, read_json, split_by_marks, sum_kernels)

# Where a deck names what rows call their decomposition, if it is not FAMILY.decomposition.
DECOMPOSITION_KEYS = {"directional": "directional.rows"}
ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = """examples:
  counters.py inputs/sai-table4.toml --set case.steps=2 --result out/sai-table4.json
  counters.py inputs/quick.toml --tessera build/cuda-hopper90/tessera -v 'acoustic/gmem:*' \\
    --keep raw
  counters.py --import raw/counters.csv --profile raw/profile.json --result out/quick.json
Take few steps: a profiler replays each kernel. LIKWID counts whole processes, so that the deck runs
twice, with its steps and with twice as many, a configuration at a time.
"""

def find_tessera(option):
    """The program to profile."""
    found = [Path(option)] if option else sorted(ROOT.glob("build/*/tessera"))
    found = [path for path in found if os.access(path, os.X_OK) and path.is_file()]
    if len(found) != 1:
        raise CounterError(f"--tessera: {option} cannot be run" if option else
                           f"{len(found)} builds in {ROOT / 'build'}: name one with --tessera")
    return str(found[0].resolve())


def execute(command):
    """Runs a command; its own words where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise CounterError(f"{command[0]} ended with status {done.returncode}")


def tessera_command(arguments, tessera, profile, more=()):
    """`tessera run DECK --profile` with the options of this tool."""
    command = [tessera, "run", str(arguments.deck), "--profile", "--output", str(profile)]
    for assignment in [*arguments.set, *more]:
        command += ["--set", assignment]
    for pattern in arguments.variants:
        command += ["--variants", pattern]
    return command


def collect(arguments, profiler, tessera, folder):
    """(rows, counters' totals and kernels of each) from a run under a profiler of devices."""
    profile, raw = folder / "profile.json", folder / "counters.csv"
    inner = tessera_command(arguments, tessera, profile)
    if profiler == "ncu":
        execute(formats.ncu_command(raw, inner))
        kernels = formats.read_kernels(raw)
    else:
        kernels = []
        # One group of counters a run: not all fit at once.
        for counters in formats.ROCPROF_GROUPS:
            execute(formats.rocprof_command(folder, counters, inner))
            now = formats.read_kernels(formats.rocprof_file(folder))
            kernels = formats.join_passes(kernels, now)
    rows = profiled_rows(read_json(profile), profile)
    return rows, [sum_kernels(part) for part in split_by_marks(kernels, rows)]


def collect_likwid(arguments, tessera, folder):
    """The same on a host: the difference of two whole runs, a configuration at a time."""
    first = folder / "rows.json"
    execute(tessera_command(arguments, tessera, first))
    rows = profiled_rows(read_json(first), first)
    parts = []
    for row in rows:
        volumes = []
        for factor in (1, 2):
            raw = folder / f"likwid-{factor}.csv"
            one = argparse.Namespace(deck=arguments.deck, set=arguments.set,
                                     variants=[f"{row['variant']}:{row['configuration']}"])
            more = [f"case.steps={factor * row['steps']}"]
            more.append(f"case.stencil={row['stencil']}")
            if row["decomposition"]:
                key = DECOMPOSITION_KEYS.get(row["family"], f"{row['family']}.decomposition")
                more.append(f"{key}={row['decomposition']}")
            execute(formats.likwid_command(raw, tessera_command(one, tessera,
                                                                folder / "one.json", more)))
            volumes.append(formats.read_likwid(raw))
        parts.append((formats.difference(volumes[1], volumes[0]), {}))
    return rows, parts


def choose_profiler(wanted):
    """The profiler to use, by its own name or `auto`."""
    names = ["ncu", "rocprofv3", "likwid-perfctr"]
    found = [name for name in names if shutil.which(name)]
    if wanted != "auto":
        if wanted not in found:
            raise CounterError(f"{wanted} is not on PATH")
        return wanted
    if not found:
        raise CounterError(f"none of {', '.join(names)} is on PATH; --import reads what one wrote")
    return found[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("deck", nargs="?", type=Path, help="deck to run under the profiler")
    parser.add_argument("--tessera", help="the program (default: the only build/*/tessera)")
    parser.add_argument("--profiler", default="auto",
                        choices=["auto", "ncu", "rocprofv3", "likwid-perfctr"])
    parser.add_argument("-v", "--variants", action="append", default=[], help="as of tessera run")
    parser.add_argument("--set", action="append", default=[], help="override a deck key")
    parser.add_argument("--import", dest="imported", type=Path, metavar="CSV",
                        help="read a profiler's file instead of running one")
    parser.add_argument("--minus", type=Path, metavar="CSV",
                        help="LIKWID's file of the same with half the steps, to be subtracted")
    parser.add_argument("--profile", type=Path, metavar="JSON",
                        help="with --import: what that run's --output wrote")
    parser.add_argument("--result", type=Path, metavar="JSON",
                        help="result file whose rows take the counters")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the profiler's files")
    arguments = parser.parse_args()
    if bool(arguments.imported) == bool(arguments.deck):
        raise CounterError("a deck is wanted, or --import with --profile")
    if arguments.result:
        read_json(arguments.result)  # before anything runs for minutes

    if arguments.imported:
        if not arguments.profile:
            raise CounterError("--import wants --profile, the JSON that --profile --output wrote")
        rows = profiled_rows(read_json(arguments.profile), arguments.profile)
        source, parts = formats.read_imported(arguments.imported, arguments.minus, rows,
                                              split_by_marks, sum_kernels)
    else:
        source = choose_profiler(arguments.profiler)
        tessera = find_tessera(arguments.tessera)
        with tempfile.TemporaryDirectory() as scratch:
            folder = arguments.keep or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            if source == "likwid-perfctr":
                rows, parts = collect_likwid(arguments, tessera, folder)
            else:
                rows, parts = collect(arguments, source, tessera, folder)
    for row, (totals, by_name) in zip(rows, parts):
        row["counters"] = counters_of(row, totals, by_name, source)
    print_volumes(rows)
    print_busy(rows)
    if arguments.result:
        print_published(merge(rows, arguments.result))


if __name__ == "__main__":
    try:
        main()
    except (CounterError, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: error: {error}")
