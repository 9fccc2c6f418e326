// SPDX-License-Identifier: Apache-2.0
// The order of tiles that stream along z: band by band of tiles along y, so that what is cut along
// z runs one after the other and finds the planes between them in the cache.
#pragma once

#include "base/device/divisor.hpp"
#include "base/tile/tiling.hpp"

#include <algorithm>

namespace tessera::directional {

/// Ranks of the tiles of a Tiling, x fastest, then y within a band, then z, then the bands.
class BandOrder {
 public:
  /// Bands of so many rows of tiles that about `teams` tiles lie side by side in one.
  BandOrder(const Tiling& tiling, int teams)
      : tiles_x_(tiling.tiles_x),
        tiles_y_(tiling.tiles_y),
        rows_(std::clamp(teams / std::max(tiling.tiles_x, 1), 1, std::max(tiling.tiles_y, 1))),
        last_(std::max(tiling.tiles_y, 1) / rows_),
        by_band_(std::max(tiling.tiles_x * rows_ * tiling.tiles_z, 1)),
        by_plane_(std::max(tiling.tiles_x * rows_, 1)),
        by_last_plane_(std::max(tiling.tiles_x * (tiling.tiles_y - last_ * rows_), 1)) {}

  /// The Tiling's rank of the tile that team `rank` works on.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int operator()(int rank) const {
    int in_band = 0, in_plane = 0;
    const int band = by_band_.quotient(rank, in_band);
    const int z = (band < last_ ? by_plane_ : by_last_plane_).quotient(in_band, in_plane);
    return (z * tiles_y_ + band * rows_) * tiles_x_ + in_plane;
  }

 private:
  int tiles_x_, tiles_y_;
  int rows_;  // of tiles in a band
  int last_;  // whole bands before the one of fewer rows, if there is one
  Divisor by_band_, by_plane_, by_last_plane_;
};

}  // namespace tessera::directional
