# SPDX-License-Identifier: Apache-2.0
"""JSON and TOML files read whole, files written whole or not at all, and none written over what was
read."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
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


_read: set[Path] = set()


def note_read(path: str | os.PathLike) -> None:
    """Notes an input, links followed: no output takes its place, also under another name."""
    _read.add(Path(path).absolute())


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names mean one file, which need not be there."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def check_output(path: str | os.PathLike) -> None:
    """A ToolError where an output is what the tool has read, or a folder. What has many inputs, or
    takes long, asks before it begins; whatever writes asks once more."""
    if Path(path).is_dir():
        raise ToolError(f"{path}: is a folder: name a file to write")
    if any(_is_same(Path(path), entry) for entry in _read):
        raise ToolError(f"{path}: is read and would be written over: name another output")


def _refuse_constant(word: str):
    raise ValueError(f"{word} is not a JSON number")


def read_json(path: str | os.PathLike):
    """The content of a JSON file."""
    note_read(path)
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
    note_read(path)
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


def _mode_of(path: Path) -> int:
    """A file's permissions; of one that is not there those of a new one."""
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def replacing(path: str | os.PathLike, ending: str = "") -> Iterator[Path]:
    """A new file of this process's own beside `path`, to be written: it takes that name when all is
    done, and where anything fails nothing is left of it. A link is followed, as the program follows
    it; a file that is replaced passes its permissions on. `ending`: what the name must have, such
    as .png. A ToolError where it cannot be written."""
    whole = Path(os.path.realpath(path))
    part = None
    try:
        number, name = tempfile.mkstemp(f".part{ending}", ".tessera-", whole.parent)
        part = Path(name)
        os.close(number)
        yield part
        with open(part, "rb") as file:
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), _mode_of(whole))
        os.replace(part, whole)
    except OSError as error:
        raise ToolError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        if part:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike, content: str | bytes, changed: bool = False) -> None:
    """Writes a file as a whole: a reader finds the old one or the new one, see replacing(). A file
    that was read is refused, unless it is `changed`: what the tool is there to complete."""
    if not changed:
        check_output(path)
    content = content if isinstance(content, bytes) else content.encode("utf-8")
    if Path(path).exists() and not Path(path).is_file():  # a terminal, a pipe, /dev/null
        try:
            Path(path).write_bytes(content)
        except OSError as error:
            raise ToolError(f"cannot write {path}: {error.strerror or error}") from None
        return
    with replacing(path) as part:
        part.write_bytes(content)
