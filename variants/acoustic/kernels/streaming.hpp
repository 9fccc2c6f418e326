// SPDX-License-Identifier: Apache-2.0
// What the acoustic variants that stream xy planes along z share (Sai IV.5 to IV.7).
#pragma once

#include "base/registry/plan.hpp"
#include "base/tile/for_each_cell.hpp"
#include "base/tile/tiling.hpp"
#include "variants/acoustic/formula.hpp"

namespace tessera::acoustic {

/// Values along z that the update of a plane needs.
inline constexpr int kColumn = 2 * kR + 1;

/// Teams that should be resident on a multiprocessor where the column lies in registers: 1024
/// threads have 64 registers each, as in the paper's Table III. They hold the column in float; in
/// double they would spill, so that only a team of 1024 is capped.
template <class Real, class TileType>
inline constexpr int kColumnTeams = sizeof(Real) == 4 && TileType::kCells <= kDeviceTeamSize
                                        ? 1024 / TileType::kCells
                                        : 1;

/// Calls stream(z_begin, z_end) for the planes of the tile that kUpdate covers: all of them, but
/// over the hole of a shell only the layers above and below it. A team streams one part after the
/// other; `stream` must end with a barrier if it leaves scratch behind that its next call reuses.
template <Update kUpdate, class Stream>
KOKKOS_FORCEINLINE_FUNCTION void for_each_stream(const TilePlace& place, const Box& hole,
                                                 const Stream& stream) {
  const int z_end = place.z0 + place.extent.nz;
  const bool split = kUpdate == Update::shell && place.x0 >= hole.x0 &&
                     place.x0 + place.extent.nx <= hole.x1 && place.y0 >= hole.y0 &&
                     place.y0 + place.extent.ny <= hole.y1;
  for (int part = 0; part < (split ? 2 : 1); ++part) {
    const int begin = part == 1 && hole.z1 > place.z0 ? hole.z1 : place.z0;
    const int end = split && part == 0 && hole.z0 < z_end ? hole.z0 : z_end;
    if (begin < end) stream(begin, end);
  }
}

/// Traffic of a cell where plane and halo go through scratch: u once and its halo's share, u- and
/// vp; in the PML phi and eta: 7 points.
template <class TileType>
void count_streaming(Plan& plan, double pml) {
  plan.halo_cells = 2LL * kR * (TileType::kNx + TileType::kNy);  // of a plane
  const double halo = static_cast<double>(plan.halo_cells) / TileType::kCells;
  plan.loads = 3 + halo + 8 * pml;
  plan.stores = 1 + pml;
  plan.scratch_stores = 1 + halo;
  // A plane arrives, then u- and vp are waited for, then phi and eta; scratch is free after both.
  plan.walk.trips = pml > 0.5 ? 3 : 2;
  plan.walk.barriers = 2;
  plan.walk.scratch_pitch = TileType::kNx + 2 * kR;
  plan.loops.rows = 3;  // own cells, the halo's, the update
}

}  // namespace tessera::acoustic
