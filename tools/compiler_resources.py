#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the device compiler says of each kernel: registers, spills, shared memory, occupancy.

Compiles the variants of a configured CUDA (nvcc_wrapper) or HIP (clang, hipcc) build once more, for
the device only, with the compiler's resource report on, and writes one CSV table. Nothing runs, so
no device is needed, and the build is left as it is. Exit status 1 where a kernel keeps values in
memory that should be in registers (spills, a stack frame), 2 where there is no report.
"""

import argparse
import concurrent.futures
import csv
import fnmatch
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from resource_reports import (
    CUDA_COLUMNS, HIP_COLUMNS, NAME_COLUMNS, ReportError, read_enumerators, report_rows)

try:
    import tomllib
except ImportError:  # before Python 3.11: only --published needs it
    tomllib = None

ROOT = Path(__file__).resolve().parent.parent

# Kernels that may spill: compiler, glob over "variant:tile precision update", and why.
CAPPED = "64 registers for 1024 threads, as in the seed"
EXCEPTIONS = [
    *(("cuda", f"acoustic/st_reg_*:{tile} *", CAPPED) for tile in ("32x32", "16x64", "64x16")),
]

REGISTERS = {"hip": "vgprs", "cuda": "registers"}
MUST_BE_ZERO = {
    "hip": ["vgpr_spills", "scratch_bytes_per_lane"],
    "cuda": ["stack_bytes", "spill_store_bytes", "spill_load_bytes"],
}


def report_command(entry):
    """(kind, words): compiles an entry of compile_commands.json for the device, and reports. The
    output file is still to be named."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    cut = words.index("-o")
    words = words[:cut] + words[cut + 2:]
    if any(w.startswith("--offload-arch=gfx") for w in words):
        return "hip", words + ["--cuda-device-only", "-S", "-Wno-unused-command-line-argument",
                               "-Rpass-analysis=kernel-resource-usage"]
    if Path(words[0]).name == "nvcc_wrapper":
        # The wrapper knows no device-only mode, but shows the nvcc command that it would run.
        shown = subprocess.run([*words, "--show", "--resource-usage"], capture_output=True,
                               text=True, check=True, cwd=entry["directory"])
        return "cuda", ["-cubin" if w == "-c" else w for w in shlex.split(shown.stdout)]
    raise ReportError(f"{entry['directory']}: neither a HIP build nor a CUDA build by nvcc_wrapper")


def compile_variant(entry):
    """(kind, variant, compiler's output)"""
    kind, words = report_command(entry)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*words, "-o", str(Path(folder) / "code")], capture_output=True,
                              text=True, check=False, cwd=entry["directory"])
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise ReportError(f"{entry['file']}: does not compile")
    variant = str(Path(entry["file"]).relative_to(ROOT / "variants").with_suffix(""))
    return kind, variant, done.stdout + done.stderr


def row_name(row):
    """What exceptions are matched with, and messages say."""
    words = (row["precision"], row["stencil"].split("/")[-1], row["update"])
    return " ".join([f"{row['variant']}:{row['tile']}", *filter(None, words)])


def sort_key(row):
    tile = tuple(int(n) for n in re.findall(r"\d+", row["tile"]))
    return (row["variant"], row["kernel"], tile, row["stencil"], row["other"], row["precision"],
            row["update"])


def in_memory(kind, row):
    """What a kernel keeps in memory that should be in registers: {column: number}."""
    return {c: row[c] for c in MUST_BE_ZERO[kind] if row.get(c, 0) > 0}


def excuse(kind, row):
    """Why the kernel may spill, or None."""
    return next((reason for compiler, pattern, reason in EXCEPTIONS
                 if compiler == kind and fnmatch.fnmatchcase(row_name(row), pattern)), None)


def write_table(kind, rows, output):
    columns = NAME_COLUMNS + list(HIP_COLUMNS if kind == "hip" else CUDA_COLUMNS)
    writer = csv.DictWriter(output, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="a configured build folder")
    parser.add_argument("-o", "--output", type=Path, help="the CSV file (default: standard output)")
    parser.add_argument("-p", "--published", type=Path,
                        help="published table of compiler figures to print beside (Python 3.11)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    published = read_published(arguments.published) if arguments.published else None

    database = arguments.build / "compile_commands.json"
    if not database.exists():
        raise ReportError(f"{database} does not exist: configure the build first")
    entries = [e for e in json.loads(database.read_text(encoding="utf-8"))
               if Path(e["file"]).is_relative_to(ROOT / "variants")]
    if not entries:
        raise ReportError(f"{database} lists no file of {ROOT / 'variants'}")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        reports = list(pool.map(compile_variant, entries))
    enumerators = read_enumerators(ROOT / "src")
    rows = []
    for kind, variant, text in reports:
        found = report_rows(kind, variant, text, enumerators)
        if not any(REGISTERS[kind] in row for row in found):
            # Such as one that needs a library that the build does not have.
            print(f"{variant}: no kernel of its own in this build", file=sys.stderr)
        rows += found
    if not any(REGISTERS[reports[0][0]] in row for row in rows):
        raise ReportError("the compiler reported no kernel that is understood here")
    rows.sort(key=sort_key)
    kind = reports[0][0]
    with open(arguments.output or 1, "w", encoding="utf-8", closefd=bool(arguments.output)) as file:
        write_table(kind, rows, file)
    if published:
        print_published(rows, published)
    return summarise(kind, rows)


def read_published(path):
    """(source, columns, rows) of a published table whose quantities are columns of ours."""
    if tomllib is None:
        raise ReportError("--published needs Python 3.11")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: {error}") from None
    if table.get("schema") != "tessera-published-1":
        raise ReportError(f"{path}: is not a published table (tessera-published-1)")
    return table["source"], table["column"], table["row"]


def print_published(rows, published):
    """Each published kernel beside ours of the same name, stencil and precision (float)."""
    source, columns, there = published
    heads = ["kernel", *[head for c in columns for head in ("here", c["title"])]]
    lines = []
    for other in there:
        for row in rows:
            mine = f"{row['variant']}:{row['tile']}"
            if (mine, row["stencil"], row["precision"]) == (other["name"], other.get("stencil", ""),
                                                            "float"):
                pairs = [(row.get(c["quantity"], "-"), value)
                         for c, value in zip(columns, other["values"])]
                lines.append([f"{mine} {row['stencil'].split('/')[-1]}",
                              *[str(n) for pair in pairs for n in pair]])
    if not lines:
        raise ReportError(f"none of the kernels of {source} was compiled")
    print(f"beside {source}:")
    widths = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(heads))]
    for line in [heads, *lines]:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w)
                        for i, (cell, w) in enumerate(zip(line, widths))))


def summarise(kind, rows):
    """Prints a line a variant, and one for each kernel that spills; the exit status."""
    status = 0
    register = REGISTERS[kind]
    for variant in sorted({row["variant"] for row in rows}):
        mine = [row for row in rows if row["variant"] == variant]
        most = max(mine, key=lambda row: row.get(register, 0))
        line = f"{variant}: {len(mine)} kernels, at most {most[register]} {register}"
        if kind == "hip":
            least = min(mine, key=lambda row: row.get("waves_per_simd", 0))
            line += f", at least {least.get('waves_per_simd')} waves/SIMD ({row_name(least)})"
        print(line, file=sys.stderr)
        excused = {}
        for row in [row for row in mine if in_memory(kind, row)]:
            if reason := excuse(kind, row):
                excused[reason] = excused.get(reason, 0) + 1
            else:
                status = 1
                numbers = ", ".join(f"{n} {column}" for column, n in in_memory(kind, row).items())
                print(f"{row_name(row)}: {numbers}", file=sys.stderr)
        for reason, count in excused.items():
            print(f"{variant}: {count} kernels may spill: {reason}", file=sys.stderr)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ReportError, OSError, subprocess.CalledProcessError) as error:
        print(f"{Path(sys.argv[0]).name}: error: {error}", file=sys.stderr)
        sys.exit(2)
