# SPDX-License-Identifier: Apache-2.0
"""What the device compilers' resource reports say, in one vocabulary: a dictionary a kernel, of the
columns below and of what its demangled name tells.
"""

from __future__ import annotations

import re
import shutil
import subprocess

from .errors import ToolError
from .kernel_names import functor_match, template_arguments

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
# min_resident is the second launch bound: teams a multiprocessor (CUDA), waves a SIMD unit (HIP).
NAME_COLUMNS = [
    "variant", "tile", "precision", "stencil", "update", "kernel", "threads", "min_resident",
    "other"]


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


# A directional Shape; `host` is spelt by nvcc alone.
_SHAPE = re.compile(r"tessera::directional::Shape<tessera::directional::TeamShape\{([\d, ]+)"
                    r"(?:, (?:true|false))?\}>")


def shape_name(v, tx, ty, rows, ahead):
    """A directional Shape as its configurations are named (shape_text in its launcher)."""
    text = f"{v * tx}x{ty * rows},v={v}"
    return text + (f",rows={rows}" if rows > 1 else "") + (f",ahead={ahead}" if ahead else "")


def describe(demangled, enumerators):
    """The name columns of a kernel of ours, from its functor's type; None for another's kernel."""
    functor = functor_match(demangled)
    if not functor:
        return None
    row = dict.fromkeys(NAME_COLUMNS, "")
    row["kernel"] = functor[1]
    other, directions = [], ""
    for argument in template_arguments(demangled, functor.end()):
        tile = re.fullmatch(r"tessera::Tile<(\d+), (\d+), (\d+)>", argument)
        enum = re.fullmatch(r"\((?:\w+::)*(\w+)\)(\d+)", argument)
        shape = _SHAPE.fullmatch(argument)
        points = re.fullmatch(r"tessera::ete::Shape<(\d+), \((?:\w+::)*Rows\)(\d+)>", argument)
        if tile:
            row["tile"] = "x".join(tile.groups())
        elif shape:
            row["tile"] = shape_name(*[int(n) for n in shape[1].split(",")][:5])
        elif points:
            row["stencil"] = f"ete/{points[1]}pt"
            other += [f"rows={kind}" for n, kind in ((1, "iso"), (2, "full")) if n == int(points[2])]
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


def read_enumerators(root):
    """Name of each scoped enumeration in the headers below `root`'s src and variants -> its
    enumerators by their values."""
    enumerators = {}
    for header in sorted([*(root / "src").rglob("*.hpp"), *(root / "variants").rglob("*.hpp")]):
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
        raise ToolError("needs c++filt (binutils) or llvm-cxxfilt")
    done = subprocess.run([tool], input="\n".join(names), stdout=subprocess.PIPE, text=True,
                          check=True)
    return dict(zip(names, done.stdout.splitlines()))


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
