// SPDX-License-Identifier: Apache-2.0
// The cells of a tile with the formula that holds at each: where `single` and `two` branch.
#pragma once

#include "base/tile/for_each_cell.hpp"
#include "base/tile/tiling.hpp"
#include "variants/acoustic/formula.hpp"

namespace tessera::acoustic {

template <Update kUpdate>
using UpdateTag = std::integral_constant<Update, kUpdate>;

/// Host only: calls f(UpdateTag, part) for the parts of the tile at `place` that kUpdate covers, in
/// coordinates of the tile: at most seven boxes, cut along the faces of `hole`, each with one
/// formula. A branch in the cell loop would stop its vectorisation.
template <Update kUpdate, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_part_by_update(const TilePlace& place, const Box& hole,
                                                         const Body& f) {
  const TileExtent& n = place.extent;
  const Box all{0, n.nz, 0, n.ny, 0, n.nx};
  if constexpr (kUpdate == Update::inner || kUpdate == Update::pml) {
    f(UpdateTag<kUpdate>{}, all);
  } else {
    const auto clip = [](int value, int size) {
      return value < 0 ? 0 : value > size ? size : value;
    };
    const int z0 = clip(hole.z0 - place.z0, n.nz), z1 = clip(hole.z1 - place.z0, n.nz);
    const int y0 = clip(hole.y0 - place.y0, n.ny), y1 = clip(hole.y1 - place.y0, n.ny);
    const int x0 = clip(hole.x0 - place.x0, n.nx), x1 = clip(hole.x1 - place.x0, n.nx);
    const bool apart = z0 >= z1 || y0 >= y1 || x0 >= x1;
    const Box around[] = {{0, z0, 0, n.ny, 0, n.nx}, {z1, n.nz, 0, n.ny, 0, n.nx},
                          {z0, z1, 0, y0, 0, n.nx},  {z0, z1, y1, n.ny, 0, n.nx},
                          {z0, z1, y0, y1, 0, x0},   {z0, z1, y0, y1, x1, n.nx}};
    for (int p = 0; p < (apart ? 1 : 6); ++p) f(UpdateTag<Update::pml>{}, apart ? all : around[p]);
    if (apart) return;
    if constexpr (kUpdate == Update::branched) {
      f(UpdateTag<Update::inner>{}, Box{z0, z1, y0, y1, x0, x1});
    }
  }
}

/// Calls f(UpdateTag, cell) once for each cell of the tile at `place` that kUpdate covers.
///
/// Device: each thread branches on its own cell (the tag is kUpdate, and update_cell decides).
/// Host: part by part, see for_each_part_by_update.
template <Update kUpdate, class TeamHandle, class TileType, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_cell_by_update(const TeamHandle& team,
                                                         const TileType& tile,
                                                         const TilePlace& place, const Box& hole,
                                                         const Body& f) {
  if constexpr (kOnDevice) {
    for_each_cell(team, tile, place.extent, [&](const Cell& c) { f(UpdateTag<kUpdate>{}, c); });
  } else {
    for_each_part_by_update<kUpdate>(place, hole, [&](auto update, const Box& part) {
      for_each_cell_in(tile, part, [&](const Cell& c) { f(update, c); });
    });
  }
}

}  // namespace tessera::acoustic
