# SPDX-License-Identifier: Apache-2.0
"""Matplotlib for files, in one style; a program that does not draw does not need it."""

from __future__ import annotations

from pathlib import Path

from .errors import ToolError
from .files import check_output, replacing

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


def check_picture(path: str | Path) -> None:
    """A ToolError where a picture cannot have that name: before anything is read or runs for long."""
    pyplot()
    from matplotlib.backend_bases import FigureCanvasBase
    kinds = FigureCanvasBase.get_supported_filetypes()
    ending = Path(path).suffix
    if ending and ending[1:].lower() not in kinds:
        raise ToolError(f"{path}: a picture ends in .png, .svg, .pdf ..., not in {ending}")
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        raise ToolError(f"{path}: is no plain file: a picture takes the place of one")
    check_output(path)


def save(figure, path: str | Path, dpi: int = 130, **options) -> Path:
    """Writes the picture, so that an old one stays whole until then, and closes it."""
    check_picture(path)
    path = Path(path)
    if path.suffix == ".svg":
        options["metadata"] = {"Date": None, **options.get("metadata", {})}
    try:
        with replacing(path, path.suffix or ".png") as part:
            figure.savefig(part, dpi=dpi, **options)
    except ValueError as error:
        raise ToolError(f"cannot write {path}: {error}") from None
    finally:
        pyplot().close(figure)
    return path
