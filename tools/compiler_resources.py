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
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

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

# The table's columns, and the compilers' words for them.
HIP_COLUMNS = {
    "vgprs": r"VGPRs",
    "agprs": r"AGPRs",
    "sgprs": r"(?:Total)?SGPRs",
    "static_lds_bytes": r"LDS Size \[bytes/block\]",
    "waves_per_simd": r"Occupancy \[waves/SIMD\]",
    "sgpr_spills": r"SGPRs Spill",  # into lanes of vector registers: costs registers, no memory
    "vgpr_spills": r"VGPRs Spill",
    "scratch_bytes_per_lane": r"ScratchSize \[bytes/lane\]",
}
CUDA_COLUMNS = {
    "registers": r"Used (\d+) registers",
    "static_shared_bytes": r"(\d+) bytes smem",
    "stack_bytes": r"(\d+) bytes stack frame",
    "spill_store_bytes": r"(\d+) bytes spill stores",
    "spill_load_bytes": r"(\d+) bytes spill loads",
}
REGISTERS = {"hip": "vgprs", "cuda": "registers"}
MUST_BE_ZERO = {
    "hip": ["vgpr_spills", "scratch_bytes_per_lane"],
    "cuda": ["stack_bytes", "spill_store_bytes", "spill_load_bytes"],
}
# min_resident is the second launch bound: teams a multiprocessor (CUDA), waves a SIMD unit (HIP).
NAME_COLUMNS = [
    "variant", "tile", "precision", "stencil", "update", "kernel", "threads", "min_resident",
    "other"]


class ReportError(Exception):
    """No report can be made; the message is one line."""


def parse_hip(text):
    """Mangled kernel name -> {column: number}, from clang's -Rpass-analysis remarks."""
    kernels = {}
    values = None
    for line in text.splitlines():
        if name := re.search(r"remark: Function Name: (\S+)", line):
            values = kernels.setdefault(name[1], {})
        elif values is not None and (remark := re.search(r"remark: +(\S[^:]*): (\d+)\b", line)):
            for column, words in HIP_COLUMNS.items():
                if re.fullmatch(words, remark[1]):
                    values[column] = int(remark[2])
    return kernels


def parse_cuda(text):
    """Mangled kernel name -> {column: number}, from what ptxas prints with --resource-usage."""
    kernels = {}
    values = {}
    for line in text.splitlines():
        if entry := re.search(r"Compiling entry function '(\w+)'", line):
            values = kernels.setdefault(entry[1], {"static_shared_bytes": 0})
        elif name := re.search(r"Function properties for (\w+)", line):
            # A function that was not inlined has properties of its own, and is reported too.
            values = kernels.setdefault(name[1], {})
        else:
            for column, words in CUDA_COLUMNS.items():
                if number := re.search(words, line):
                    values[column] = int(number[1])
    return kernels


def template_arguments(text, start):
    """The arguments of the template whose `<` is at or after `start`; [] without one."""
    depth, begin, arguments = 0, start + 1, []
    if text[start:begin] != "<":
        return []
    for i in range(start, len(text)):
        if text[i] in "<(":
            depth += 1
        elif text[i] in ">)":
            depth -= 1
        if (text[i] == "," and depth == 1) or depth == 0:
            arguments.append(text[begin:i].strip())
            begin = i + 1
        if depth == 0:
            return arguments
    return []


def shape_name(v, tx, ty, rows, ahead):
    """A directional Shape as its configurations are named (shape_text in its launcher)."""
    text = f"{v * tx}x{ty * rows},v={v}"
    return text + (f",rows={rows}" if rows > 1 else "") + (f",ahead={ahead}" if ahead else "")


def describe(demangled, enumerators):
    """The name columns of a kernel of ours, from its functor's type; None for another's kernel."""
    ours = r"tessera::(?:\(anonymous namespace\)::|<unnamed>::|(?!native::)\w+::)*(\w+)"
    functor = next((m for m in re.finditer(ours, demangled) if m[1] != "native"), None)
    if not functor:
        return None
    row = dict.fromkeys(NAME_COLUMNS, "")
    row["kernel"] = functor[1]
    other, directions = [], ""
    for argument in template_arguments(demangled, functor.end()):
        tile = re.fullmatch(r"tessera::Tile<(\d+), (\d+), (\d+)>", argument)
        enum = re.fullmatch(r"\((?:\w+::)*(\w+)\)(\d+)", argument)
        shape = re.fullmatch(r"tessera::directional::Shape<([\d, ]+)>", argument)
        if tile:
            row["tile"] = "x".join(tile.groups())
        elif shape:
            row["tile"] = shape_name(*[int(n) for n in shape[1].split(",")][:5])
        elif argument in ("float", "double"):
            row["precision"] = argument
        elif enum and enum[1] in enumerators:
            enumerator = enumerators[enum[1]][int(enum[2])]
            if enum[1] == "Update":
                row["update"] = enumerator
            elif enum[1] == "Directions":
                directions = enumerator
            elif point := re.fullmatch(r"pt(\d+)(?:_(\d+))?", enumerator):
                # A family's stencil, as decks name it: pt7_1 is 7pt-1.
                row["update"] = f"{point[1]}pt" + (f"-{point[2]}" if point[2] else "")
            else:
                other.append(enumerator)
        else:
            other.append(argument.replace("tessera::", ""))
    if directions:
        radius = other.pop(0)  # a template over a radius and directions has the radius first
        row["stencil"] = f"directional/{directions}-r{radius}"
    row["other"] = "; ".join(other)
    if bounds := re.search(r"LaunchBounds<(\d+)u?, (\d+)u?>", demangled):
        row["threads"], row["min_resident"] = bounds.groups()
    elif native := re.search(r"tessera::native::kernel<(?:\(int\))?(\d+)(?:, (?:\(int\))?(\d+))?",
                             demangled):
        row["threads"], row["min_resident"] = native[1], native[2] or ""
    return row


def read_enumerators(folder):
    """Name of each scoped enumeration in the headers -> its enumerators by their values."""
    enumerators = {}
    for header in sorted(folder.rglob("*.hpp")):
        code = re.sub(r"//.*", "", header.read_text(encoding="utf-8"))
        for match in re.finditer(r"enum class (\w+)\s*\{([^}]*)\}", code):
            value, values = -1, {}
            for entry in filter(None, (e.strip() for e in match[2].split(","))):
                name, _, given = (part.strip() for part in entry.partition("="))
                value = int(given) if given.isdigit() else value + 1
                values[value] = name
            enumerators[match[1]] = values
    return enumerators


def demangle(names):
    """Mangled -> readable names, by the tool that is there."""
    tool = next((t for t in ("c++filt", "llvm-cxxfilt") if shutil.which(t)), None)
    if tool is None:
        raise ReportError("needs c++filt (binutils) or llvm-cxxfilt")
    done = subprocess.run([tool], input="\n".join(names), stdout=subprocess.PIPE, text=True,
                          check=True)
    return dict(zip(names, done.stdout.splitlines()))


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


def report_rows(kind, variant, text, enumerators):
    """The table's rows for one variant."""
    kernels = parse_hip(text) if kind == "hip" else parse_cuda(text)
    readable = demangle(list(kernels))
    rows = []
    for mangled, values in kernels.items():
        if row := describe(readable[mangled], enumerators):
            rows.append({**row, **values, "variant": variant})
    # As configurations are named: a variant whose tiles are all one plane high leaves that out.
    if all(row["tile"].endswith("x1") for row in rows if row["tile"]):
        for row in rows:
            row["tile"] = row["tile"].removesuffix("x1")
    return rows


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
