# SPDX-License-Identifier: Apache-2.0
"""The one way to fail: a ToolError becomes one line on stderr and a non-zero exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path


class ToolError(Exception):
    """Bad input, or something that is not there; the message is one line."""


def one_line(error: BaseException | str) -> str:
    """An error's message on one line; files that cannot be opened by name and reason."""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = str(error)
    return " ".join(text.split())


def run(main: Callable[[], int | None], status: int = 1) -> None:
    """Runs a program's main and exits with what it returns, or, where it fails, with `status`."""
    name = Path(sys.argv[0]).name
    if sys.stdout is None:  # closed: what is printed would go nowhere, or into a file of ours
        os.write(2, f"{name}: error: standard output is closed\n".encode())
        sys.exit(status)
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output has gone (`| head`). Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ToolError, OSError) as error:
        print(f"{name}: error: {one_line(error)}", file=sys.stderr)
        sys.exit(status)
    except ModuleNotFoundError as error:
        # Modules that only some programs need are imported where they are needed.
        package = (error.name or "").split(".")[0]
        if package == __package__:
            raise
        print(f"{name}: error: {error}; on Debian: apt-get install python3-{package}; or, in a virtual "
              f"environment: pip install {package}", file=sys.stderr)
        sys.exit(status)
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(code or 0)
