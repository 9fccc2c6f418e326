// SPDX-License-Identifier: Apache-2.0
// Tiles and the one place that knows which thread owns which of their cells.
#pragma once

#include "base/device/space.hpp"
#include "base/grid/extents.hpp"

namespace tessera {

/// A cell of a tile: its place in the tile, and its slot, the position in per-tile storage on a
/// host (a device thread owns its cell, and its slot is 0).
struct Cell {
  int z, y, x;
  int slot;
};

/// A tile of Dz x Dy x Dx cells fixed at compile time; one thread a cell on a device.
template <int Dx, int Dy, int Dz = 1>
struct Tile {
  static constexpr int kNx = Dx, kNy = Dy, kNz = Dz;
  static constexpr int kCells = Dx * Dy * Dz;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr int nx() { return Dx; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr int ny() { return Dy; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr int nz() { return Dz; }
};

/// A tile whose extents are known at run time; for a host, where no thread owns a cell.
struct RuntimeTile {
  static constexpr int kCells = 1;  // threads of a team
  int nx_, ny_, nz_;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int nx() const { return nx_; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int ny() const { return ny_; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int nz() const { return nz_; }
};

/// How much of a tile lies in the region: at the region's end a tile is clipped.
struct TileExtent {
  int nz, ny, nx;
};

namespace detail {

/// A function of its own, so that the Cell is no variable of the simd loop: GCC would make a
/// private array of it, in memory, and give up vectorising.
template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void call_with_cell(const Body& f, int z, int y, int x, int slot) {
  f(Cell{z, y, x, slot});
}

}  // namespace detail

/// Host only: calls f(cell) for each cell of the part [z0, z1) x [y0, y1) x [x0, x1) of a tile, in
/// coordinates of the tile. z and y loops and an x loop that the compiler vectorises; iterations
/// must be independent of each other.
template <class TileType, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_cell_in(const TileType& tile, const Box& part,
                                                  const Body& f) {
  for (int z = part.z0; z < part.z1; ++z) {
    for (int y = part.y0; y < part.y1; ++y) {
      const int slot = (z * tile.ny() + y) * tile.nx();
#pragma omp simd
      for (int x = part.x0; x < part.x1; ++x) detail::call_with_cell(f, z, y, x, slot + x);
    }
  }
}

/// Calls f(cell) once for each cell of the tile that lies within `extent`.
///
/// Device: the calling thread's own cell, x fastest over the ranks of the team (team size
/// Tile::kCells), so that neighbouring threads touch neighbouring addresses; ranks count from
/// FirstRank where a team has threads for more than one tile. Host: z and y loops and an x loop
/// that the compiler vectorises; iterations must be independent of each other. No barrier inside f.
template <int FirstRank = 0, class TeamHandle, class TileType, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_cell(const TeamHandle& team, const TileType& tile,
                                               const TileExtent& extent, const Body& f) {
  if constexpr (kOnDevice) {
    const int rank = team.team_rank() - FirstRank;
    if (FirstRank > 0 && rank < 0) return;
    const int x = rank % tile.nx();
    const int y = rank / tile.nx() % tile.ny();
    const int z = rank / (tile.nx() * tile.ny());
    if (x < extent.nx && y < extent.ny && z < extent.nz) f(Cell{z, y, x, 0});
  } else {
    for_each_cell_in(tile, {0, extent.nz, 0, extent.ny, 0, extent.nx}, f);
  }
}

}  // namespace tessera
