# SPDX-License-Identifier: Apache-2.0
"""Finds the tessera program, and runs it and others."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from .errors import ToolError
from .files import ROOT


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def find_tessera(option: str | None, default: str = "") -> str:
    """The program that --tessera names; else `default` (relative to the tree) where it is there;
    else the newest build, named on stderr where there are several; else, of a tree without builds,
    the one that these tools were installed with, or that on PATH."""
    if option:
        if not _runs(Path(option)):
            raise ToolError(f"--tessera: {option} cannot be run")
        return str(Path(option).resolve())
    if default and _runs(ROOT / default):
        return str(ROOT / default)
    builds = [path for path in sorted(ROOT.glob("build/*/tessera")) if _runs(path)]
    beside = ROOT.parent.parent / "bin" / "tessera"  # of share/tessera
    installed = str(beside) if _runs(beside) else shutil.which("tessera")
    if not builds and installed:
        return installed
    if not builds:
        raise ToolError(f"no build in {ROOT / 'build'}: build one, or name a program with --tessera")
    newest = max(builds, key=lambda path: path.stat().st_mtime)
    if len(builds) > 1:
        print(f"program: {newest.relative_to(ROOT)}, the newest of {len(builds)} builds "
              "(--tessera names another)", file=sys.stderr)
    return str(newest.resolve())


def run_options(variants: Sequence[str], settings: Sequence[str]) -> list[str]:
    """-v and --set for `tessera run`, `predict` and tools/counters.py."""
    return [*(word for pattern in variants for word in ("-v", pattern)),
            *(word for setting in settings for word in ("--set", setting))]


@contextlib.contextmanager
def run_folder(result: Path) -> Iterator[Path]:
    """A folder for `tessera run -o`, which makes it; its result.json then becomes the file
    `result`."""
    with tempfile.TemporaryDirectory(prefix=".tessera-", dir=result.parent) as scratch:
        folder = Path(scratch) / "run"
        yield folder
        try:
            os.replace(folder / "result.json", result)
        except OSError as error:
            raise ToolError(f"cannot write {result}: {error.strerror or error}") from None


def _run(command: Sequence[str], together: bool) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace", check=False,
                              stderr=subprocess.STDOUT if together else subprocess.PIPE)
    except OSError as error:
        raise ToolError(f"{command[0]} cannot be run: {error.strerror}") from None


def execute(command: Sequence[str], show: bool = False) -> None:
    """Runs a command. Where it fails the error holds the last line of what it printed, and with `show`
    stderr all of it."""
    done = _run(command, True)
    if done.returncode != 0:
        if show:
            sys.stderr.write(done.stdout)
        last = (done.stdout.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise ToolError(f"{' '.join(command[:2])} failed: {last}")


def ask_json(command: Sequence[str], about: str) -> dict | list:
    """The JSON that `tessera ... --json` prints, warnings on stderr apart. Else its own last line is the
    error, after what it is `about`."""
    done = _run(command, False)
    if done.returncode == 0:
        with contextlib.suppress(ValueError):
            return json.loads(done.stdout)
    said = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    said = said.removeprefix("tessera: ").removeprefix("error: ")
    raise ToolError(said if about in said else f"{about}: {said}")
