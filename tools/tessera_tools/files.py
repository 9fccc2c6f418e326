# SPDX-License-Identifier: Apache-2.0
"""JSON and TOML files read whole, and files written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from .errors import ToolError, one_line

try:
    import tomllib
except ImportError:  # Python before 3.11
    try:
        import tomli as tomllib
    except ImportError:
        tomllib = None

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder that holds tools/ and inputs/: the source tree, with results/ and build/, or the
installed share/tessera."""
PUBLISHED = ROOT / "inputs" / "published"


def _refuse_constant(word: str):
    raise ValueError(f"{word} is not a JSON number")


def read_json(path: str | os.PathLike):
    """The content of a JSON file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return json.loads(text, parse_constant=_refuse_constant)
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{path}: cannot be read as JSON: {one_line(error)}") from None


def read_toml(path: str | os.PathLike) -> dict:
    """The content of a TOML file."""
    if tomllib is None:
        raise ToolError(f"{path}: reading TOML needs Python 3.11 or the module tomli")
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ToolError(f"{path}: cannot be read as TOML: {one_line(error)}") from None


def make_folder(path: str | os.PathLike) -> None:
    """Makes a folder for output, with those above it, where it is not there."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"{path}: cannot be made: {error.strerror or error}") from None


def write_whole(path: str | os.PathLike, content: str | bytes) -> None:
    """Writes under another name and renames: a reader finds the old file or the new one, and where
    it cannot be written nothing else is left."""
    path = Path(os.path.realpath(path))  # a link is followed, as the program follows it
    part = path.with_name(f"{path.name}.part")
    try:
        with open(part, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(path.stat().st_mode & 0o7777)
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise ToolError(f"cannot write {path}: {error.strerror or error}") from None
