# SPDX-License-Identifier: Apache-2.0
"""Compiles the variants of a configured build for the device only, with the compiler's resource
report on; nothing runs, and the build is left as it is."""

from __future__ import annotations

import concurrent.futures
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from .errors import ToolError
from .files import ROOT, read_json

VARIANTS = ROOT / "variants"


def variant_of(file: Path, build: Path) -> str:
    """FAMILY/VARIANT that a source compiles, or a part of one that the build generated (by stencil
    and precision); empty for others."""
    for folder in (VARIANTS, build.resolve() / "generated"):
        if file.is_relative_to(folder):
            return "/".join(file.relative_to(folder).with_suffix("").parts[:2])
    return ""


def variant_entries(build: Path) -> list[dict]:
    """The entries of a build's compile_commands.json that compile variants."""
    database = build / "compile_commands.json"
    if not database.exists():
        raise ToolError(f"{database} does not exist: configure the build first")
    entries = read_json(database)
    try:
        entries = [{**entry, "variant": variant} for entry in entries
                   if "/" in (variant := variant_of(Path(entry["file"]), build))]
    except (KeyError, TypeError):
        raise ToolError(f"{database}: is not a database of compile commands") from None
    if not entries:
        raise ToolError(f"{database} lists no file of {VARIANTS}")
    return entries


def report_command(entry: dict) -> tuple[str, list[str]]:
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
                               text=True, check=False, cwd=entry["directory"])
        if shown.returncode != 0:
            raise ToolError(f"{words[0]} --show failed: {shown.stderr or shown.stdout}")
        return "cuda", ["-cubin" if w == "-c" else w for w in shlex.split(shown.stdout)]
    raise ToolError(f"{entry['directory']}: neither a HIP build nor a CUDA build by nvcc_wrapper")


def _compile(entry: dict) -> tuple[str, str, str]:
    kind, words = report_command(entry)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*words, "-o", str(Path(folder) / "code")], capture_output=True,
                              text=True, check=False, cwd=entry["directory"])
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise ToolError(f"{entry['file']}: does not compile")
    return kind, entry["variant"], done.stdout + done.stderr


def compile_variants(build: Path, jobs: int) -> list[tuple[str, str, str]]:
    """(kind, variant, compiler's output) of each variant."""
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        return list(pool.map(_compile, variant_entries(build)))
