// SPDX-License-Identifier: Apache-2.0
// directional/fused_async with bulk copies: a team streams its tiles one after the other without a
// break, and its warps never meet.
#pragma once

#include "base/device/bulk_copy.hpp"
#include "base/device/pacing.hpp"
#include "base/device/scratch_pointer.hpp"
#include "variants/directional/fused_async/columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tessera::directional {

/// As many teams as are resident share the tiles. One thread of each requests planes with their
/// halo from the copy engine, `ahead` of the current one, the next tile's after the last one's:
/// the stream does not stop at a tile's end. Each slot has a barrier that completes when a plane
/// has arrived, and one that completes when all warps have left it. A tile's first R planes only
/// fill the registers.
template <class Real, int R, Directions D, class ShapeType>
struct FusedBulkKernel {
  static constexpr bool kInPlace = true, kPersistent = true, kCopiesInBulk = true;
  static constexpr std::size_t kScratch = kScratchOfRunTime;
  using TeamHandle = NativeTeam;
  static constexpr const char* kLabel = "tessera::directional::fused_async::bulk";
  static constexpr int V = ShapeType::kV, kRows = ShapeType::kRows;
  using Threads = typename ShapeType::Threads;
  using Columns = FusedColumns<Real, R, ShapeType>;
  static constexpr int kMinTeams = Columns::kMinTeams;
  static constexpr int kS = kSide<R, V>;
  static constexpr int kPitch = ShapeType::kNx + 2 * kS, kBoxRows = ShapeType::kNy + 2 * R;
  static constexpr int kPlane = kPitch * kBoxRows;
  static constexpr int kSlots = ShapeType::kAhead + 1;
  static constexpr int kBytes = kPlane * static_cast<int>(sizeof(Real));
  static constexpr int kAlign = 128;  // of a box in scratch
  static constexpr int kSlot =
      (kBytes + kAlign - 1) / kAlign * kAlign / static_cast<int>(sizeof(Real));
  static constexpr int kHead = 2 * kAlign;  // what lies in front of the planes
  static constexpr int kDrain = 2 * R;      // planes beside its own that a team walks
  [[nodiscard]] static constexpr bool fits(MachineKind kind) {
    return Columns::fits(kind) && kPitch <= 256 && kBoxRows <= 256;  // of a box at most
  }

  Cubes<Real> f;
  Box box;
  Tiling tiling;
  Pacer pacer = {};
  PlaneMap map = {};

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const NativeTeam& team) const {
    if constexpr (kHasBulkCopy && fits(kThisKind)) {
      auto* begin =
          static_cast<char*>(team.team_scratch(0).get_shmem(static_cast<int>(scratch_bytes())));
      auto* next = reinterpret_cast<Order*>(begin);
      auto* completes = reinterpret_cast<Completes*>(next + 1);
      auto* arrived = reinterpret_cast<ScratchBarrier*>(completes + kSlots);
      static_assert(sizeof(Order) + kSlots * (sizeof(Completes) + 2 * sizeof(ScratchBarrier)) <=
                    kHead);
      stream(team,
             {reinterpret_cast<Real*>(begin + kHead), next, completes, arrived, arrived + kSlots});
    }
  }

  [[nodiscard]] static Tiling cut(const Box& region, int nw, const MachineLimits& machine) {
    const Tiling whole(region, ShapeType::kNx, ShapeType::kNy, region.nz());
    const int streamed =
        nw > 0 ? nw
               : balanced_stream(region.nz(), whole.league(),
                                 std::int64_t{kMinTeams} * machine.units, 2 * R, region.nz());
    return {region, ShapeType::kNx, ShapeType::kNy, streamed};
  }
  [[nodiscard]] static constexpr std::size_t scratch_bytes(MachineKind = kThisKind) {
    return kHead + kSlots * kSlot * sizeof(Real);
  }
  [[nodiscard]] static PlaneMap map_of(const Cubes<Real>& f, const Box& region) {
    return {f.in + f.offset(region.z0 - R, region.y0 - R, region.x0 - kS),
            f.row,
            f.plane,
            PlaneMap::Seen{region.nz() + 2 * R, region.ny() + 2 * R,
                           (region.nx() + R + V - 1) / V * V + kS},
            kPitch,
            kBoxRows};
  }
  static void count(Plan& plan, const Tiling& tiles) {
    plan.halo_cells = kPlane - ShapeType::kNx * ShapeType::kNy;  // of a plane
    const double halo = static_cast<double>(plan.halo_cells) / (ShapeType::kNx * ShapeType::kNy);
    plan.loads = 1 + halo + 2.0 * R / std::min(tiles.nz, tiles.box.nz());
    plan.planes_per_thread = std::min(tiles.nz, tiles.box.nz());
    plan.scratch_stores = plan.loads;
    plan.scratch_loads = 1 + 2.0 * kS / V + 2.0 * R / kRows;
  }

 private:
  struct Order;
  /// What the plane in a slot completes: a tile's cells from an offset on, none of them (ny = 0)
  /// before plane R; and whether it is the team's last.
  struct Completes {
    std::int64_t first;
    int ny, nx;
    bool last;
  };
  /// Where things lie in scratch. Barriers of a slot: a plane has arrived; all warps have left it.
  struct Scratch {
    Real* planes;
    Order* next;
    Completes* completes;
    ScratchBarrier *arrived, *left;
  };

  /// What the first thread requests next: plane p of a tile, to a slot. In scratch: in registers it
  /// would take as many of every thread.
  struct Order {
    Pacer::Stream pace;
    TilePlace place;
    int tile, p, slot, round;
  };

  KOKKOS_FORCEINLINE_FUNCTION void begin(const NativeTeam& team, int tiles,
                                         const Scratch& at) const {
    for (int slot = 0; slot < kSlots; ++slot) {
      at.arrived[slot].init(1);
      at.left[slot].init(Threads::kCells / 32);
    }
    fence_barriers();
    const int tile = team.league_rank();
    *at.next = {pacer.join(team), tiling.place(tile), tile, -R, 0, 0};
    for (int k = 0; k < kSlots - 1; ++k) fetch(team, tiles, at);
  }

  KOKKOS_FORCEINLINE_FUNCTION void fetch(const NativeTeam& team, int tiles,
                                         const Scratch& at) const {
    Order& next = *at.next;
    if (next.tile >= tiles) return;
    const int slot = next.slot, p = next.p;
    if (next.round > 0) at.left[slot].wait((next.round - 1) & 1);
    const TilePlace& place = next.place;
    const bool end = p + 1 == place.extent.nz + R;
    at.completes[slot] = {f.offset(place.z0 + p - R, place.y0, place.x0),
                          p < R ? 0 : place.extent.ny, place.extent.nx,
                          end && next.tile + team.league_size() >= tiles};
    at.arrived[slot].arrive_and_expect(kBytes);
    map.copy(at.planes + slot * kSlot, place.z0 - box.z0 + p + R, place.y0 - box.y0,
             place.x0 - box.x0, at.arrived[slot]);
    next.pace.next_plane();
    next.slot = slot + 1 == kSlots ? 0 : slot + 1;
    if (slot + 1 == kSlots) ++next.round;
    next.p = p + 1;
    if (end) {
      next.p = -R;
      next.tile += team.league_size();
      if (next.tile < tiles) {
        next.place = tiling.place(next.tile);
      } else {
        next.pace.leave();
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const Scratch& at) const {
    const int tiles = static_cast<int>(tiling.league());
    const int rank = team.team_rank();
    if (rank == 0) begin(team, tiles, at);
    team.team_barrier();
    const Cell c{0, rank / Threads::kNx, rank % Threads::kNx, 0};
    const Real* const mine = scratch_pointer(at.planes) + (c.y * kRows + R) * kPitch + kS + V * c.x;
    Columns columns(team);
    columns.clear(team, {1, Threads::kNy, Threads::kNx});
    int slot = 0, parity = 0;
    bool more = team.league_rank() < tiles;
    while (more) {
      for_each_phase<R>([&](auto phase) {
        at.arrived[slot].wait(parity);
        const Completes done = at.completes[slot];
        columns.template advance<kPitch>(phase, f, c, {1, done.ny, done.nx}, mine + slot * kSlot,
                                         true, f.out + done.first);
        more = !done.last;
        warp_barrier();
        if (rank % 32 == 0) at.left[slot].arrive();
        if (rank == 0) fetch(team, tiles, at);
        if (++slot == kSlots) slot = 0, parity ^= 1;
        return more;
      });
    }
  }
};

}  // namespace tessera::directional
