// SPDX-License-Identifier: Apache-2.0
// Launching one call a cell: the plain Kokkos policy over a box, x first.
#pragma once

#include "base/device/space.hpp"
#include "base/grid/cell_tile.hpp"
#include "base/grid/extents.hpp"

namespace tessera {

/// Policy of kernels operator()(int x, int y, int z). x comes first because a device maps the first
/// index to neighbouring threads whatever the iteration order says: with z first they would read
/// whole planes apart. On a host the order counts, and Iterate::Left makes the first index fastest.
using CellPolicy =
    Kokkos::MDRangePolicy<ExecSpace, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                          Kokkos::IndexType<int>>;

/// One call for each cell of the box, in the tile that is chosen, or else Kokkos' default.
[[nodiscard]] inline CellPolicy cells_of(const ExecSpace& exec, const Box& box,
                                         const CellTile& tile = {}) {
  if (tile.chosen()) {
    return {exec, {box.x0, box.y0, box.z0}, {box.x1, box.y1, box.z1}, {tile.nx, tile.ny, tile.nz}};
  }
  return {exec, {box.x0, box.y0, box.z0}, {box.x1, box.y1, box.z1}};
}

}  // namespace tessera
