// SPDX-License-Identifier: Apache-2.0
// Cells that a team reads beside its tile.
#pragma once

#include <cstdint>

namespace tessera {

/// Cells beside the faces of a tile, without edges and corners: what a star reads, so many cells
/// along each axis (0: none). Extents and radii along x, y, z.
[[nodiscard]] constexpr std::int64_t halo_of_faces(const int (&tile)[3], const int (&radius)[3]) {
  const std::int64_t nx = tile[0], ny = tile[1], nz = tile[2];
  return 2 * (radius[0] * ny * nz + radius[1] * nx * nz + radius[2] * nx * ny);
}

/// The same with one radius along all axes.
[[nodiscard]] constexpr std::int64_t halo_of_faces(const int (&tile)[3], int radius) {
  return halo_of_faces(tile, {radius, radius, radius});
}

}  // namespace tessera
