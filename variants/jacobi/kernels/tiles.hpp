// SPDX-License-Identifier: Apache-2.0
// How temporally blocked kernels cut the grid: tiles of a plane that overlap where they must, and
// the share of a team in the planes of all tiles.
#pragma once

#include "base/device/space.hpp"
#include "base/registry/configuration_text.hpp"
#include "base/tile/for_each_cell.hpp"
#include "variants/jacobi/formula.hpp"

#include <string>

namespace tessera::jacobi {

/// One axis of n cells in tiles of `tile` computed cells, of which those up to `lost` cells from a
/// cut are wrong after the last time step: neighbouring tiles overlap by 2 lost.
struct Cut {
  int n = 1, tile = 1, lost = 0;
  bool alone = false;  ///< one tile holds the axis, and what lies beside it is dealt with

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int step() const { return alone ? n : tile - 2 * lost; }
  /// Tiles along the axis; meaningless where step() is not positive.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int count() const { return (n + step() - 1) / step(); }
  /// First computed cell of tile i; may lie before the grid.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int first(int i) const {
    return alone ? 0 : i * step() - lost;
  }
  /// The cells that tile i stores: [begin, end).
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int begin(int i) const { return i * step(); }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int end(int i) const {
    return (i + 1) * step() < n ? (i + 1) * step() : n;
  }
};

/// Where a team's tile lies and what it stores, in cells of the grid.
struct PlanePlace {
  int y0, x0;                          ///< first computed cell
  int y_begin, y_end, x_begin, x_end;  ///< stored

  /// Whether the tile's cell (y, x) is stored.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool stores(int y, int x) const {
    return y0 + y >= y_begin && y0 + y < y_end && x0 + x >= x_begin && x0 + x < x_end;
  }
};

/// The tiles of a plane.
struct PlaneCuts {
  Cut y, x;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int count() const { return y.count() * x.count(); }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION PlanePlace place(int i) const {
    const int iy = i / x.count();
    const int ix = i % x.count();
    return {y.first(iy), x.first(ix), y.begin(iy), y.end(iy), x.begin(ix), x.end(ix)};
  }
};

/// Calls stream(place, s_begin, s_end) for team `rank`'s share. As long as there is a tile for each
/// team, each takes a whole one: neighbours are then streamed side by side, and what two of them
/// read comes from memory once. The planes of the tiles that are left, tile after tile, are dealt
/// out evenly, so that every team is busy to the end whatever the sizes.
template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_share(const PlaneCuts& cuts, int ns, int rank, int league,
                                                const Body& stream) {
  const int whole = cuts.count() / league * league;
  const std::int64_t rest = static_cast<std::int64_t>(cuts.count() - whole) * ns;
  int next = rank;
  std::int64_t at = rest * rank / league;
  const std::int64_t end = rest * (rank + 1) / league;
  while (next < whole || at < end) {
    int tile = next, s_begin = 0, s_end = ns;
    if (next < whole) {
      next += league;
    } else {
      tile = whole + static_cast<int>(at / ns);
      s_begin = static_cast<int>(at % ns);
      const std::int64_t left = end - at;
      if (left < ns - s_begin) s_end = s_begin + static_cast<int>(left);
      at += s_end - s_begin;
    }
    stream(cuts.place(tile), s_begin, s_end);
  }
}

/// A tile of nx x ny cells of a plane, of which a round makes `planes` at a time; each thread of a
/// device's team owns `own` cells of these. In two dimensions planes are rows.
struct TileShape {
  int nx = 1, ny = 1;
  int own = 1;
  int planes = 1;

  [[nodiscard]] constexpr int dims() const { return ny == 1 ? 2 : 3; }
  /// Of a device's team; on a host one thread makes all of a tile.
  [[nodiscard]] constexpr int threads() const { return nx * ny * planes / own; }
  /// "32x32,t=4"; "256x4,t=4": in two dimensions the rows of a round.
  [[nodiscard]] std::string text(int steps) const {
    return extents_text({nx, ny * planes}) + parameter_text("t", steps);
  }
};

/// A tile whose neighbouring cells are owned by neighbouring threads.
template <TileShape kShape>
struct SharedTile {
  static constexpr int kNx = kShape.nx, kNy = kShape.ny, kThreads = kShape.threads();
  static constexpr int kPlanes = kShape.planes;      ///< a round
  static constexpr int kOwn = kShape.own / kPlanes;  ///< cells of a thread in each of them
  static_assert(kNx * kNy == kOwn * kThreads && (kNy == 1 || kPlanes == 1));
  static_assert(kThreads % kNx == 0 || (kNy == 1 && kNx % kThreads == 0));

  /// Cell i, 0 <= i < kOwn, of a thread.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int y_of(int rank, int i) {
    return kNy == 1 ? 0 : rank / kNx + i * (kThreads / kNx);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int x_of(int rank, int i) {
    return kNy == 1 ? rank + i * kThreads : rank % kNx;
  }
};

/// Cells of a tile's halo, Ry rows and R columns wide.
template <class TileType, int R, int Ry>
inline constexpr int kHaloCells = 2 * Ry*(TileType::kNx + 2 * R) + 2 * R* TileType::kNy;

/// Calls f(y, x) for cell i of a tile's halo: whole rows above and below, then left and right.
template <class TileType, int R, int Ry, class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_halo_cell(int i, const Body& f) {
  constexpr int kPitch = TileType::kNx + 2 * R;
  constexpr int kRows = 2 * Ry * kPitch;
  if (i < kRows) {
    const int row = i / kPitch;
    f(row < Ry ? row - Ry : TileType::kNy + row - Ry, i % kPitch - R);
  } else {
    const int k = (i - kRows) % (2 * R);
    f((i - kRows) / (2 * R), k < R ? k - R : TileType::kNx + k - R);
  }
}

/// Calls f(y, x) for each cell of a tile's halo, spread over the threads of the team.
template <class TileType, int R, int Ry, class TeamHandle, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_halo_cell(const TeamHandle& team, const Body& f) {
  const int stride = kOnDevice ? TileType::kThreads : 1;
  for (int i = kOnDevice ? team.team_rank() : 0; i < kHaloCells<TileType, R, Ry>; i += stride) {
    with_halo_cell<TileType, R, Ry>(i, f);
  }
}

}  // namespace tessera::jacobi
