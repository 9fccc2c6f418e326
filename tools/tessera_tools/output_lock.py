# SPDX-License-Identifier: Apache-2.0
"""The program's lock of an output (src/base/io/output_lock.hpp), for a tool that completes a file."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from .errors import ToolError

HOLDER = "process "  # what a lock file begins with


def _open(path: Path, output: str | os.PathLike) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        raise ToolError(f"{output}: its lock {path.name} cannot be made: {error.strerror}") from None
    held = os.pread(descriptor, 64, 0) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b"?"
    if held and not held.startswith(HOLDER.encode()):
        os.close(descriptor)
        raise ToolError(f"{path} is no lock of this program, where {output} wants one: remove it")
    return descriptor


def _is_current(descriptor: int, path: Path) -> bool:
    """Whether an open lock still goes by its name: its last holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


@contextlib.contextmanager
def locked(output: str | os.PathLike) -> Iterator[None]:
    """Holds a file's lock: a ToolError names the process that writes it already. Where the file
    system has no locks it goes without."""
    whole = Path(os.path.realpath(output))
    path = whole.with_name(f".{whole.name}.lock")
    while True:
        descriptor = _open(path, output)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.pread(descriptor, 64, 0).decode("utf-8", "replace") or "another process"
            os.close(descriptor)
            raise ToolError(f"{output} is being written by {who}: wait for it") from None
        except OSError:
            break
        if _is_current(descriptor, path):
            break
        os.close(descriptor)
    try:
        with contextlib.suppress(OSError):  # one without a name locks too
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{HOLDER}{os.getpid()}".encode(), 0)
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()  # first: whoever opens it afterwards opens a new one
        os.close(descriptor)
