# SPDX-License-Identifier: Apache-2.0
"""Charts of tiles: rates over two extents of the block, as Fang's figure 8 shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ..results import Row
from .chart import Chart, Series, number
from .rows import row_text


def _rank(extent: str) -> float:
    """Order of extents: numbers, then the region's own."""
    return int(extent) if extent.isdigit() else float("inf")


def _extents(row: Row) -> tuple[str, str, str] | None:
    """A configuration's block along y and z, and what else it says; None where it has no such
    block. Of one that streams along z the chunk is the extent there."""
    tile, *keys = row.configuration.split(",")
    extents = tile.split("x")
    if len(extents) == 2:
        chunks = [key[6:] for key in keys if key.startswith("chunk=")]
        extents.append(chunks[0] if chunks else "full")
    if len(extents) != 3:
        return None
    others = [key for key in keys if not key.startswith("chunk=")]
    return extents[1], extents[2], ",".join(others)


def tile_maps(rows: Iterable[Row]) -> list[Chart]:
    """A chart for each file, variant and problem whose blocks differ along y and along z: the best
    rate of each pair of extents."""
    maps: dict[tuple, dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in rows:
        found = _extents(row) if row.valid and row.rate is not None else None
        if found is None:
            continue
        y, z, others = found
        where = (row.file.machine_name, row.today_variant, others, row.stencil, row.model,
                 row.decomposition, row.precision, row.file.path)
        best = maps[where].get((y, z))
        if best is None or row.rate > best.rate:
            maps[where][y, z] = row
    return [_map(where, cells) for where, cells in maps.items()
            if len({y for y, _ in cells}) > 1 and len({z for _, z in cells}) > 1]


def _map(where: tuple, cells: dict[tuple[str, str], Row]) -> Chart:
    machine, variant, others, stencil, model, decomposition, precision, path = where
    ys = sorted({y for y, _ in cells}, key=_rank)
    zs = sorted({z for _, z in cells}, key=_rank)
    name = ", ".join(filter(None, (variant, others)))
    problem = " ".join(filter(None, (stencil.split("/")[-1], model, decomposition)))
    return Chart(
        "tiles", f"{name}: {problem}, {precision}, {machine}", "heat", "block along z, cells",
        "block along y, cells", series=[Series("", zs, ys)],
        values=[[cells[y, z].rate if (y, z) in cells else None for z in zs] for y in ys],
        hover=[[row_text(cells[y, z]) if (y, z) in cells else f"{y} x {z}: not run" for z in zs]
               for y in ys],
        scale=max(row.rate for row in cells.values()), unit="GCell/s",
        note=f"The best of each pair of extents, from {path.name}; "
             f"fastest {number(max(row.rate for row in cells.values()))} GCell/s.")


def tile_bars(rows: Iterable[Row]) -> Chart:
    """One chart: a bar a configuration, the fastest on top."""
    ordered = sorted((row for row in rows if row.valid and row.rate is not None),
                     key=lambda row: -row.rate)
    return Chart("tiles", "All configurations", "bars", "GCell/s, median", series=[Series(
        "GCell/s", [row.rate for row in ordered], [row.today_name for row in ordered],
        [row_text(row) for row in ordered])])
