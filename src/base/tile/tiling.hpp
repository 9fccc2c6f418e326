// SPDX-License-Identifier: Apache-2.0
// Cutting a box into tiles: which tile a team of the league works on.
#pragma once

#include "base/device/divisor.hpp"
#include "base/grid/extents.hpp"
#include "base/tile/for_each_cell.hpp"

#include <cstdint>
#include <limits>

namespace tessera {

/// Place of a tile in the grid and how much of it lies in the box.
struct TilePlace {
  int z0, y0, x0;
  TileExtent extent;
};

/// A box cut into tiles of nx x ny x nz cells, x fastest; tiles at the far faces are clipped.
struct Tiling {
  Box box;
  int nx, ny, nz;
  int tiles_x, tiles_y, tiles_z;
  Divisor by_x, by_y;  // tiles_x and tiles_y

  Tiling(const Box& b, int tile_nx, int tile_ny, int tile_nz)
      : box(b),
        nx(tile_nx),
        ny(tile_ny),
        nz(tile_nz),
        tiles_x((b.nx() + tile_nx - 1) / tile_nx),
        tiles_y((b.ny() + tile_ny - 1) / tile_ny),
        tiles_z((b.nz() + tile_nz - 1) / tile_nz),
        by_x(tiles_x > 0 ? tiles_x : 1),
        by_y(tiles_y > 0 ? tiles_y : 1) {}

  /// Teams that the box takes, one a tile.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t league() const {
    return std::int64_t{tiles_x} * tiles_y * tiles_z;
  }

  /// Tile of team `rank`, 0 <= rank < league().
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TilePlace place(int rank) const {
    const int row = by_x.quotient(rank);
    const int plane = by_y.quotient(row);
    const int x0 = box.x0 + (rank - row * tiles_x) * nx;
    const int y0 = box.y0 + (row - plane * tiles_y) * ny;
    const int z0 = box.z0 + plane * nz;
    const auto clip = [](int size, int left) { return size < left ? size : left; };
    return {z0, y0, x0, {clip(nz, box.z1 - z0), clip(ny, box.y1 - y0), clip(nx, box.x1 - x0)}};
  }
};

/// A tile for `box`: an extent of 0 (of a tile known at run time) means the box's own.
[[nodiscard]] inline RuntimeTile fitted(const RuntimeTile& wanted, const Box& box) {
  const auto or_full = [](int size, int full) { return size == 0 ? full : size; };
  return {or_full(wanted.nx(), box.nx()), or_full(wanted.ny(), box.ny()),
          or_full(wanted.nz(), box.nz())};
}
template <int Dx, int Dy, int Dz>
[[nodiscard]] Tile<Dx, Dy, Dz> fitted(const Tile<Dx, Dy, Dz>& wanted, const Box& /*box*/) {
  return wanted;
}

/// Planes that a team should stream where `columns` tiles of `planes` planes are cut along the
/// stream for a device that holds `resident` teams at a time: the cut whose rounds of teams take
/// the fewest planes in all, a team's `overlap` planes of start and end included. No stream is
/// longer than `longest`: neighbours that are not paced would drift so far apart that one's halo
/// has left the cache when the other comes by.
inline constexpr int kLongestStream = 256;
[[nodiscard]] inline int balanced_stream(int planes, std::int64_t columns, std::int64_t resident,
                                         int overlap, int longest = kLongestStream) {
  const int fewest = (planes + longest - 1) / longest;
  int best = planes;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int parts = fewest; parts <= planes; ++parts) {
    const int length = (planes + parts - 1) / parts;
    if (parts > fewest && length < 2 * overlap) break;
    const std::int64_t rounds = (columns * parts + resident - 1) / resident;
    const std::int64_t cost = rounds * (length + overlap);
    if (cost < least) {
      least = cost;
      best = length;
    }
  }
  return best;
}

}  // namespace tessera
