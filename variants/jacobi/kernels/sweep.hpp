// SPDX-License-Identifier: Apache-2.0
// One sweep a launch, every point read through the cache: the variant `step`, and what finishes a
// run where a kernel of fixed depth has too few steps left.
#pragma once

#include "base/device/native_launch.hpp"
#include "base/registry/plan.hpp"
#include "base/tile/for_each_cell.hpp"
#include "base/tile/tiling.hpp"
#include "variants/jacobi/formula.hpp"

#include <type_traits>

namespace tessera::jacobi {

template <class StencilType, class Real, class TileType, class TeamHandle>
struct SweepKernel {
  Fields<Real> f;
  Tiling tiling;  ///< z is s
  TileType tile;

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Real* const from = f.from + first;
    Real* const to = f.to + first;
    const std::int64_t plane = f.plane;
    const int row = f.row;
    for_each_cell(team, tile, place.extent, [&](const Cell& c) {
      const Real* const u = from + (c.z * plane + c.y * row + c.x);
      to[c.z * plane + c.y * row + c.x] = point_value<StencilType, Real>(
          [&](auto s, auto y, auto x) { return u[s * plane + y * row + x]; });
    });
  }
};

/// Enqueues one step. Tiles of a host have extents of their own choice; kLaunch is a device's.
template <class StencilType, Launch kLaunch = Launch::native, class Real, class TileType>
void sweep(const ExecSpace& exec, const char* label, const Fields<Real>& f, const TileType& tile) {
  using TeamHandle = std::conditional_t<kLaunch == Launch::native, NativeTeam, Team>;
  const Tiling tiling({0, f.ns, 0, f.ny, 0, f.nx}, tile.nx(), tile.ny(), tile.nz());
  launch_with<TeamHandle, TileType::kCells>(
      exec, label, static_cast<int>(tiling.league()), 0,
      SweepKernel<StencilType, Real, TileType, TeamHandle>{f, tiling, tile});
}

/// Tiles of `rows` rows: on a device of kNx cells in whole warps; on a host of the whole grid's
/// rows. These sweep well: a host's 16 or 32 rows keep the planes around in L2.
template <class StencilType, int kNx = 64, int kRows = 4>
using DeviceSweepTile =
    std::conditional_t<StencilType::kDims == 2, Tile<kNx, 1, kRows>, Tile<kNx, kRows, 1>>;
template <class StencilType>
[[nodiscard]] RuntimeTile host_sweep_tile(const Extents& n, int rows = 0) {
  if (rows == 0) rows = StencilType::kDims == 2 ? 32 : 16;
  return StencilType::kDims == 2 ? RuntimeTile{n.nx, 1, rows} : RuntimeTile{n.nx, rows, n.nz};
}
/// This binary's.
template <class StencilType, int kNx = 64, int kRows = 4>
[[nodiscard]] auto sweep_tile([[maybe_unused]] const Extents& n, [[maybe_unused]] int rows = 0) {
  if constexpr (kOnDevice) {
    return DeviceSweepTile<StencilType, kNx, kRows>{};
  } else {
    return host_sweep_tile<StencilType>(n, rows);
  }
}

}  // namespace tessera::jacobi
