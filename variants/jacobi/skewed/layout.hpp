// SPDX-License-Identifier: Apache-2.0
// Where the cells of a skewed tile lie in memory.
//
//   plane:   2 radius_y rows, the upper halo, then the tile's `height` rows
//   row:     2 radius vectors, the left halo, then the tile's `length` vectors of cells, transposed
//            (tile/transposed_row.hpp)
//   batch:   the planes of a round, one behind the other
//
// A tile may be smaller than what its planes are allocated for: `pitch` and `plane` are the same
// for all tiles of a launch.
#pragma once

#include <cstdint>

namespace tessera::jacobi {

/// Elements, unless it says otherwise.
struct TileLayout {
  int lanes = 1;                 ///< of a vector
  int line = 1;                  ///< of a cache line
  int radius = 1, radius_y = 0;  ///< of the stencil, in cells and rows
  int planes = 1;                ///< planes of a batch
  int pitch = 0;                 ///< from a row to the next
  int plane = 0;                 ///< from a plane to the next
  /// Of the tile: vectors of a row, and rows. (Cells over lanes would be a division, once a row.)
  int length = 0, height = 1;

  /// A layout whose planes are allocated for max_width x max_height cells.
  [[nodiscard]] constexpr TileLayout allocated_for(int max_width, int max_height) const {
    TileLayout layout = *this;
    layout.pitch = max_width + left_halo();
    layout.plane = layout.pitch * (max_height + halo_rows());
    return layout;
  }
  [[nodiscard]] constexpr int halo_rows() const { return 2 * radius_y; }  ///< rows
  [[nodiscard]] constexpr int left_halo() const { return 2 * radius * lanes; }
  [[nodiscard]] constexpr int upper_halo() const { return halo_rows() * pitch; }
  /// From a plane's begin to the tile's first vector.
  [[nodiscard]] constexpr int first() const { return upper_halo() + left_halo(); }
  [[nodiscard]] constexpr int width() const { return length * lanes; }  ///< of a row, in cells
  [[nodiscard]] constexpr int batch() const { return planes * plane; }
};

/// Work that continues beside the arithmetic, a share of it at each of `visits` visits: pieces of a
/// visit.
[[nodiscard]] inline int share_of(std::int64_t pieces, int visits) {
  return static_cast<int>((pieces + visits - 1) / (visits > 1 ? visits : 1));
}

}  // namespace tessera::jacobi
