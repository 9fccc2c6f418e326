# SPDX-License-Identifier: Apache-2.0
"""Charts of tiles: rates over two extents of the block, as Fang's figure 8 shows them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from ..results import Row
from .chart import Chart, Series, number
from .rows import row_text


def _rank(extent: str) -> float:
    """Order of extents: numbers, then the region's own."""
    return int(extent) if extent.isdigit() else float("inf")


def _extents(row: Row) -> tuple[str, str, str, str] | None:
    """A configuration's block along x, y and z, and what else it says; None where it has no such
    block. Of one that streams along z the chunk is the extent there."""
    tile, *keys = row.configuration.split(",")
    extents = tile.split("x")
    if len(extents) == 2:
        chunks = [key[6:] for key in keys if key.startswith("chunk=")]
        extents.append(chunks[0] if chunks else "full")
    if len(extents) != 3:
        return None
    others = [key for key in keys if not key.startswith("chunk=")]
    return (*extents, ",".join(others))


def tile_maps(rows: Iterable[Row]) -> list[Chart]:
    """A chart for each file, variant and problem whose blocks differ along y and along z: the best
    rate of each pair of extents."""
    maps: dict[tuple, dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in rows:
        found = _extents(row) if row.valid and row.rate is not None else None
        if found is None:
            continue
        _, y, z, others = found
        where = (row.file.machine_name, row.variant, others, row.problem, row.file.path)
        best = maps[where].get((y, z))
        if best is None or row.rate > best.rate:
            maps[where][y, z] = row
    drawn = {where: cells for where, cells in maps.items()
             if len({y for y, _ in cells}) > 1 and len({z for _, z in cells}) > 1}
    names = Counter(map(_name, drawn))
    return [_map(where, cells, names[_name(where)] == 1) for where, cells in drawn.items()]


def _name(where: tuple) -> str:
    machine, variant, others, problem, _ = where
    words = " ".join(filter(None, (problem.stencil.split("/")[-1], problem.model,
                                   problem.decomposition)))
    return (f"{', '.join(filter(None, (variant, others)))}: {words}, {problem.precision}, {machine}")


def _map(where: tuple, cells: dict[tuple[str, str], Row], alone: bool) -> Chart:
    """The chart of one map; where another has its name the grid and all else stand in it too."""
    *_, problem, path = where
    ys = sorted({y for y, _ in cells}, key=_rank)
    zs = sorted({z for _, z in cells}, key=_rank)
    more = [] if alone else [" x ".join(map(str, problem.grid)), *problem.words()]
    return Chart(
        "tiles", ", ".join([_name(where), *more]), "heat", "block along z, cells",
        "block along y, cells", series=[Series("", zs, ys)],
        values=[[cells[y, z].rate if (y, z) in cells else None for z in zs] for y in ys],
        texts=[[f"{number(cells[y, z].rate)} ({_extents(cells[y, z])[0]})" if (y, z) in cells else "" for z in zs]
               for y in ys],
        hover=[[row_text(cells[y, z]) if (y, z) in cells else f"{y} x {z}: not run" for z in zs]
               for y in ys],
        scale=max(row.rate for row in cells.values()), unit="GCell/s",
        note=f"The best of each pair of extents, its block along x in brackets, from {path.name}; "
             f"fastest {number(max(row.rate for row in cells.values()))} GCell/s.")
