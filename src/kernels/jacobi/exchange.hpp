// SPDX-License-Identifier: Apache-2.0
// Device tiling (EBISU 4.1): the tiles of all teams of a resident league together are one tile of
// the device. What a tile's neighbours need of it they find in device memory, after a barrier of
// the whole league.
#pragma once

#include "device/grid_barrier.hpp"
#include "kernels/jacobi/tiles.hpp"

namespace tessera::jacobi {

/// SM tiling: no team waits for another.
struct NoExchange {};

/// The league's tiles lie side by side, teams_x * teams_y of them; `cuts` are those of the device
/// tile. Planes of the device tile, one for each time step and for rounds of either parity, so that
/// one barrier a round is enough; only cells at tiles' edges are ever written.
template <class Real>
struct Exchange {
  PlaneCuts cuts;
  int teams_y, teams_x;
  Real* planes;
  GridBarrier barrier;
  int ny, nx;  ///< cells of a device tile

  /// Elements of `planes` for so many time steps.
  [[nodiscard]] static std::int64_t elements(int steps, int device_ny, int device_nx) {
    return std::int64_t{2} * steps * device_ny * device_nx;
  }

  /// Team `rank`'s tile in device tile i.
  template <class TileType>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION PlanePlace place(int i, int rank) const {
    PlanePlace p = cuts.place(i);
    p.y_in = rank / teams_x * TileType::kNy;
    p.x_in = rank % teams_x * TileType::kNx;
    p.y0 += p.y_in;
    p.x0 += p.x_in;
    return p;
  }

  /// True where cell (y, x) of a team's tile, or beside it, lies in the device tile.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool holds(const PlanePlace& place, int y,
                                                       int x) const {
    return place.y_in + y >= 0 && place.y_in + y < ny && place.x_in + x >= 0 && place.x_in + x < nx;
  }
  /// Where that cell is left after time step `step` in round `round`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real& at(int step, int round, const PlanePlace& place,
                                                     int y, int x) const {
    const std::int64_t plane = 2 * step + (round & 1);
    return planes[(plane * ny + place.y_in + y) * nx + place.x_in + x];
  }
};

}  // namespace tessera::jacobi
