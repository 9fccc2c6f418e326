# SPDX-License-Identifier: Apache-2.0
"""Matplotlib for files, in one style; a program that does not draw does not need it."""

from __future__ import annotations

from pathlib import Path

from .errors import ToolError

MAIN = "#4878a8"
"""Colour of what a picture is about."""


def pyplot():
    """matplotlib.pyplot, set to draw into files."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    plt.rcParams["legend.fontsize"] = "small"
    plt.rcParams["svg.hashsalt"] = "tessera"  # the same picture, the same bytes
    return plt


def save(figure, path: str | Path, dpi: int = 130, **options) -> Path:
    """Writes the picture under another name first, so that an old one stays whole."""
    path = Path(path)
    part = path.with_name(f"{path.stem}.part{path.suffix or '.png'}")
    if path.suffix == ".svg":
        options["metadata"] = {"Date": None, **options.get("metadata", {})}
    try:
        figure.savefig(part, dpi=dpi, **options)
        part.replace(path)
    except (OSError, ValueError) as error:
        raise ToolError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") \
            from None
    finally:
        part.unlink(missing_ok=True)
        pyplot().close(figure)
    return path
