# SPDX-License-Identifier: Apache-2.0
"""JSON and TOML files read whole, files written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
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


def check_output(path: str | os.PathLike, ending: str = "") -> None:
    """A ToolError where an output is a folder, or does not end as its kind of file does, as an input of
    another kind: what has many inputs, or takes long, asks before it begins."""
    if Path(path).is_dir():
        raise ToolError(f"{path}: is a folder: name a file to write")
    if Path(path).is_file() and ending and Path(path).suffix != ending:
        raise ToolError(f"{path}: is there and no {ending} file: name another output")


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


@contextlib.contextmanager
def replacing(path: str | os.PathLike, ending: str = "") -> Iterator[Path]:
    """A new file beside `path`, to be written: it takes that name when all is done, and where anything
    fails nothing is left of it. A link is followed; a file that is replaced passes its permissions on.
    `ending`: what the name must have, such as .png. A ToolError where it cannot be written."""
    whole = Path(os.path.realpath(path))
    part = whole.with_name(f".tessera-{os.getpid()}.part{ending}")
    try:
        mode = whole.stat().st_mode & 0o7777 if whole.exists() else None
        yield part
        with open(part, "rb") as file:
            os.fsync(file.fileno())
            if mode is not None:
                os.fchmod(file.fileno(), mode)
        os.replace(part, whole)
    except OSError as error:
        raise ToolError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike, content: str | bytes) -> None:
    """Writes a file as a whole: a reader finds the old one or the new one; a terminal, a pipe or
    /dev/null takes it as it is."""
    check_output(path)
    content = content if isinstance(content, bytes) else content.encode("utf-8")
    whole = not Path(path).exists() or Path(path).is_file()
    with replacing(path) if whole else contextlib.nullcontext(Path(path)) as part:
        part.write_bytes(content)
