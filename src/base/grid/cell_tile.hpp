// SPDX-License-Identifier: Apache-2.0
// The tile of an MDRange.
#pragma once

namespace tessera {

/// Tile of an MDRange in cells, x first; all 0: Kokkos chooses.
struct CellTile {
  int nx = 0, ny = 0, nz = 0;

  [[nodiscard]] constexpr bool chosen() const { return nx > 0; }
};

}  // namespace tessera
