# SPDX-License-Identifier: Apache-2.0
"""Matplotlib for files, in one style; a program that does not draw does not need it."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from .errors import ToolError, one_line
from .files import ROOT, check_output, replacing

MAIN = "#4878a8"
"""Colour of what a picture is about."""
DRAWING_ERRORS = (ValueError, RuntimeError, OverflowError, MemoryError)
"""What Matplotlib raises of a picture that is too large, or of a text that it cannot draw."""


def pyplot():
    """matplotlib.pyplot, set to draw into files."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    plt.rcParams["legend.fontsize"] = "small"
    plt.rcParams["svg.hashsalt"] = "tessera"  # the same picture, the same bytes
    return plt


def short(text: str, most: int = 120) -> str:
    """A label as it is drawn: control characters are shown by their codes, a dollar begins no
    formula, and of a long one the middle is left out."""
    shown = "".join(c.encode("unicode_escape").decode("ascii")
                    if unicodedata.category(c).startswith("C") else c for c in text)
    if len(shown) > most:
        shown = f"{shown[: most // 2]} ... {shown[-(most // 3):]}"
    return shown.replace("$", r"\$")


def folder_for(folder: str | Path) -> Path:
    """Where pictures of what is in a folder go: there, or of stored results/ where one works."""
    folder = Path(folder)
    return Path() if (ROOT / "results") in (folder.resolve(), *folder.resolve().parents) else folder


def beside(path: str | Path, ending: str = ".json") -> Path:
    """The name of an input's picture (folder_for): .png in the place of the usual ending, else behind
    all of the name, so that two inputs have two pictures."""
    path = Path(path)
    name = path.stem if path.suffix == ending else path.name
    return folder_for(path.parent) / f"{name}.png"


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
    """Writes the picture, so that an old one stays whole until then, and closes it. A ToolError
    where it cannot be drawn or written."""
    check_picture(path)
    path = Path(path)
    if path.suffix == ".svg":
        options["metadata"] = {"Date": None, **options.get("metadata", {})}
    try:
        with replacing(path, path.suffix or ".png") as part:
            figure.savefig(part, dpi=dpi, **options)
    except DRAWING_ERRORS as error:
        raise ToolError(f"cannot draw {path}: {one_line(error)}") from None
    finally:
        pyplot().close(figure)
    return path
