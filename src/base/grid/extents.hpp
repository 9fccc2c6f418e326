// SPDX-License-Identifier: Apache-2.0
// Sizes of a grid and boxes of cells in it. Axes are z (slow), y, x (fast, contiguous).
#pragma once

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// Number of updated cells along each axis, halos not counted.
struct Extents {
  int nz = 0;
  int ny = 0;
  int nx = 0;

  /// Total number of cells; 64-bit, since 1300 cells an axis already pass 2^31.
  [[nodiscard]] std::int64_t cells() const { return std::int64_t{nz} * ny * nx; }
  /// Position of cell (z, y, x) in an array of the cells without halos, x fastest.
  [[nodiscard]] std::size_t index(int z, int y, int x) const {
    return (static_cast<std::size_t>(z) * ny + y) * nx + x;
  }
};

/// Half-open box of cells [z0, z1) x [y0, y1) x [x0, x1).
struct Box {
  int z0 = 0, z1 = 0;
  int y0 = 0, y1 = 0;
  int x0 = 0, x1 = 0;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int nz() const { return z1 - z0; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int ny() const { return y1 - y0; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int nx() const { return x1 - x0; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool empty() const {
    return z1 <= z0 || y1 <= y0 || x1 <= x0;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool contains(int z, int y, int x) const {
    return z >= z0 && z < z1 && y >= y0 && y < y1 && x >= x0 && x < x1;
  }
  [[nodiscard]] std::int64_t cells() const {
    return empty() ? 0 : std::int64_t{nz()} * ny() * nx();
  }
  friend bool operator==(const Box&, const Box&) = default;
};

/// The box of all cells of a grid.
[[nodiscard]] inline Box whole(const Extents& n) { return {0, n.nz, 0, n.ny, 0, n.nx}; }

/// Common part of two boxes; may be empty.
[[nodiscard]] inline Box intersect(const Box& a, const Box& b) {
  return {std::max(a.z0, b.z0), std::min(a.z1, b.z1), std::max(a.y0, b.y0),
          std::min(a.y1, b.y1), std::max(a.x0, b.x0), std::min(a.x1, b.x1)};
}

}  // namespace tessera
