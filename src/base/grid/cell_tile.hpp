// SPDX-License-Identifier: Apache-2.0
// The tile of an MDRange.
#pragma once

namespace tessera {

/// Cells of a tile that an MDRange is told to take, x first; all 0: Kokkos chooses.
struct CellTile {
  int nx = 0, ny = 0, nz = 0;

  [[nodiscard]] constexpr bool chosen() const { return nx > 0; }
};

}  // namespace tessera
