// SPDX-License-Identifier: Apache-2.0
// The cells of a tile with the formula that holds at each: where `single` and `two` branch.
#pragma once

#include "stencils/acoustic.hpp"
#include "tile/for_each_cell.hpp"
#include "tile/tiling.hpp"

namespace tessera::acoustic {

template <Update kUpdate>
using UpdateTag = std::integral_constant<Update, kUpdate>;

/// Calls f(UpdateTag, cell) once for each cell of the tile at `place` that kUpdate covers.
///
/// Device: each thread branches on its own cell (the tag is kUpdate, and update_cell decides).
/// Host: a branch in the cell loop would stop its vectorisation, so the tile is cut along the faces
/// of `hole` into at most seven boxes, each with one formula.
template <Update kUpdate, class TeamHandle, class TileType, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_cell_by_update(const TeamHandle& team,
                                                         const TileType& tile,
                                                         const TilePlace& place, const Box& hole,
                                                         const Body& f) {
  if constexpr (kOnDevice || kUpdate == Update::inner || kUpdate == Update::pml) {
    for_each_cell(team, tile, place.extent, [&](const Cell& c) { f(UpdateTag<kUpdate>{}, c); });
  } else {
    const auto clip = [](int value, int size) {
      return value < 0 ? 0 : value > size ? size : value;
    };
    const TileExtent& n = place.extent;
    const int z0 = clip(hole.z0 - place.z0, n.nz), z1 = clip(hole.z1 - place.z0, n.nz);
    const int y0 = clip(hole.y0 - place.y0, n.ny), y1 = clip(hole.y1 - place.y0, n.ny);
    const int x0 = clip(hole.x0 - place.x0, n.nx), x1 = clip(hole.x1 - place.x0, n.nx);
    const bool apart = z0 >= z1 || y0 >= y1 || x0 >= x1;
    const Box all{0, n.nz, 0, n.ny, 0, n.nx};
    const Box around[] = {{0, z0, 0, n.ny, 0, n.nx}, {z1, n.nz, 0, n.ny, 0, n.nx},
                          {z0, z1, 0, y0, 0, n.nx},  {z0, z1, y1, n.ny, 0, n.nx},
                          {z0, z1, y0, y1, 0, x0},   {z0, z1, y0, y1, x1, n.nx}};
    for (int p = 0; p < (apart ? 1 : 6); ++p) {
      for_each_cell_in(tile, apart ? all : around[p],
                       [&](const Cell& c) { f(UpdateTag<Update::pml>{}, c); });
    }
    if (apart) return;
    if constexpr (kUpdate == Update::branched) {
      for_each_cell_in(tile, {z0, z1, y0, y1, x0, x1},
                       [&](const Cell& c) { f(UpdateTag<Update::inner>{}, c); });
    }
  }
}

}  // namespace tessera::acoustic
