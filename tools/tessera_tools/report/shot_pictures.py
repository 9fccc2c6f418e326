# SPDX-License-Identifier: Apache-2.0
"""Shots in the report: pictures of the gather and of the snapshots, embedded in the page."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass, field
from pathlib import Path

from .. import plotting, shots
from ..errors import ToolError, one_line
from ..files import read_json
from .page_parts import figure

FILE = "shot.json"


@dataclass
class Shot:
    """What the page shows of a shot: `pictures` are pairs of what they show ("gather",
    "snapshots") and the figure as HTML."""

    name: str
    caption: str
    pictures: list[tuple[str, str]] = field(default_factory=list)


def is_shot(path: str | Path) -> bool:
    """Whether a folder is the output directory of a shot."""
    return (Path(path) / FILE).is_file()


def read(path: str | Path) -> Shot:
    """A shot's words and pictures. A ToolError where its files cannot be read."""
    folder = Path(path)
    told = read_json(folder / FILE)
    if not (isinstance(told, dict) and isinstance(told.get("machine") or {}, dict)
            and isinstance(told.get("date") or "", str)):
        raise ToolError(f"{folder / FILE}: is not what a shot leaves")
    grid = " x ".join(str(told.get(key)) for key in ("nx", "ny", "nz"))
    machine = (told.get("machine") or {}).get("device", "")
    shot = Shot(folder.name, f"{told.get('variant')}:{told.get('configuration')}, {grid} cells, "
                             f"{told.get('steps_done')} steps, {told.get('precision')}; {machine}, "
                             f"{(told.get('date') or '')[:10]}; {told.get('status')}")
    from ..gather_plot import draw_gather
    from ..snapshot_plot import draw_snapshots
    if any(shots.find(folder, f"gather.{end}") for end in ("csv", "sgy")):
        line, name = shots.line(shots.gather(folder))
        shot.pictures.append(("gather", _embedded(draw_gather(line, name=name),
                                                  f"Gather of {folder.name}")))
    if shots.find(folder, "snapshots.h5"):
        waves = shots.snapshots(folder, plane="source", count=4)
        shot.pictures.append(("snapshots", _embedded(draw_snapshots(waves),
                                                     f"Snapshots of {folder.name}")))
    return shot


def _embedded(drawn, title: str) -> str:
    """A Matplotlib figure as an image that is part of the page."""
    data = io.BytesIO()
    try:
        drawn.savefig(data, format="png", dpi=110, bbox_inches="tight")
    except plotting.DRAWING_ERRORS as error:
        raise ToolError(f"cannot draw {title}: {one_line(error)}") from None
    finally:
        plotting.pyplot().close(drawn)
    return figure(base64.b64encode(data.getvalue()).decode("ascii"), title)
