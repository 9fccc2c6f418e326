// SPDX-License-Identifier: Apache-2.0
// Two time steps of a box of inner cells in one pass along z.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/pacing.hpp"
#include "variants/acoustic/kernels/column.hpp"
#include "variants/acoustic/kernels/pass.hpp"
#include "variants/acoustic/two_step/tile.hpp"

#include <cstdint>

namespace tessera::acoustic {

/// Streams the tile of a team. Iteration `it` takes plane p = z0 - 2 kR + it of step n, completes
/// plane p - kR of step n + 1 (stage one, kR cells wider than the core) and, from the plane of step
/// n + 1 completed before, plane p - 2 kR - 1 of step n + 2 (stage two). Step n + 1 is zero outside
/// the grid: there u, u- and vp are.
template <class Real, class Tile>
struct PassKernel {
  static constexpr bool kInPlace = true;
  static constexpr const char* kLabel = "tessera::acoustic::two_step::pass";
  static constexpr int V = Tile::kV;
  using Value = Pack<Real, V>;
  using Vp = typename Tile::Vp;
  using Scratch = PassScratch<Real, Tile>;
  using Table = VpTable<Real, Vp>;

  /// The maps begin at cell (-kR, -kR, -kCorner): on 16 bytes for indices too.
  static constexpr int kCorner = 8;

  PassFields<Real> f;
  PassTiling tiling;
  Pacer pacer;
  PlaneMap u_map, minus_map, vp_map;

  PassKernel(const PassFields<Real>& fields, const PassTiling& tiles, const Pacer& paced)
      : f(fields), tiling(tiles), pacer(paced) {
    if constexpr (Tile::kBulk) {
      const Fields<Real>& one = f.first;
      const auto map = [&](const auto* origin, int nx, int ny) {
        return PlaneMap(origin - one.offset(kR, kR, kCorner), one.row, one.plane,
                        {f.n.nz + 2 * kR, one.plane / one.row, one.row}, nx, ny);
      };
      u_map = map(one.u, Tile::kPitch, Tile::kNy + 2 * kR);
      minus_map = map(one.u_minus, Tile::kNx, Tile::kNy);
      vp_map = map(vp_of(one, Vp{}), Tile::kVpPitch, Tile::kNy);
    }
  }

  /// A NativeTeam; or what has the same members.
  template <class TeamHandle>
  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const Box core = tiling.core(team.league_rank());
    const Scratch at(team.team_scratch(0).get_shmem(static_cast<int>(Tile::scratch_bytes())));
    const Table table(team, f.first, at.values);
    Pacer::Stream pace = pacer.join(team);
    if (!core.empty()) stream(team, core, at, table, pace);
    pace.leave();
  }

 private:
  /// What a thread does with its cells; bits, since a register each would be too many.
  enum Role : int {
    kStoreFirst = 1,  // step n + 1 of them is stored, in the core's planes
    kStoreAbove = 2,  // and in the kR planes above
    kStoreBelow = 4,  // and below these
    kCoreRow = 8,     // stage two computes them
    kStore = 16,      // and they are stored
  };

  /// What a thread knows of its cells.
  struct Place {
    int rank, x, y;      // of the thread; of its first cell in the tile
    int z0, y0, x0;      // first cell of the tile that stage one computes
    int planes;          // of step n
    int role;            // bits of Role
    std::int64_t first;  // offset of its first cell in plane z0
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is(Role bit) const { return (role & bit) != 0; }
    /// Whether the plane of step n + 1 that iteration `it` completes is stored of them. The core
    /// has at least kR planes between it and a face of the grid, or none.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool stores_first(int it) const {
      return is(kStoreFirst) && it >= (is(kStoreAbove) ? 2 * kR : 3 * kR) &&
             (it < planes - kR || is(kStoreBelow));
    }
  };

  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void stream(const TeamHandle& team, const Box& core,
                                          const Scratch& at, const Table& table,
                                          Pacer::Stream& pace) const {
    Place p;
    p.rank = team.team_rank();
    p.x = p.rank % Tile::kColumns * V;
    p.y = p.rank / Tile::kColumns;
    p.z0 = core.z0, p.y0 = core.y0 - kR, p.x0 = core.x0 - kR;
    p.planes = core.nz() + 4 * kR;
    const int y = p.y0 + p.y, x = p.x0 + p.x;
    const Box first = tiling.first(core, f.n);
    const bool core_row = p.y >= kR && p.y < Tile::kNy - kR;
    const auto bit = [](Role role, bool set) { return set ? static_cast<int>(role) : 0; };
    p.role = bit(kStoreFirst, y >= first.y0 && y < first.y1 && x >= first.x0 && x < first.x1) |
             bit(kStoreAbove, first.z0 < core.z0) | bit(kStoreBelow, first.z1 > core.z1) |
             bit(kCoreRow, core_row) |
             bit(kStore, core_row && y < core.y1 && x >= core.x0 && x < core.x1);
    p.first = f.first.offset(p.z0, y, x);
    begin_copies(team, p, at);
    Column<Value> one, two;
    int vp_slot = 0, kept_slot = 0;
    for (int begin = 0; begin <= p.planes; begin += kR) {
      static_for<kR>([&](auto phase) {
        const int it = begin + phase, parity = begin / kR & 1;
        wait_for_plane(team, p, at, pace, phase, it, parity, vp_slot);
        if (it < p.planes) stage_one<phase()>(p, at, table, one, it, vp_slot, kept_slot);
        kept_slot = kept_slot == Tile::kKeptSlots - 1 ? 0 : kept_slot + 1;
        meet(p, at, pace, phase, it, parity, vp_slot);
        if (p.is(kCoreRow) && it > 2 * kR && it <= p.planes)
          stage_two<phase()>(p, at, table, two, it, vp_slot, kept_slot);
        vp_slot = vp_slot == Tile::kVpSlots - 1 ? 0 : vp_slot + 1;
      });
    }
  }

  /// u(n + 1) of plane it - kR, counted from the first plane of step n.
  template <int Phase>
  KOKKOS_FORCEINLINE_FUNCTION void stage_one(const Place& p, const Scratch& at, const Table& table,
                                             Column<Value>& one, int it, int vp_slot,
                                             int kept_slot) const {
    const Real* here = at.u + Phase * Tile::kPlane + (p.y + kR) * Tile::kPitch + kR + p.x;
    const int own = p.rank * V;
    const Value centre = load_pack<V>(here);
    Value u;
    const Value l = one.template take<Phase>(
        f.first.k, centre, plane_terms<V, Tile::kPitch>(f.first.k, here, centre), u);
    const Value u_minus = load_pack<V>(at.minus + Phase * Tile::kOwn + own);
    // Before plane 2 kR nothing is complete, and vp is not there.
    const Value vp = it >= 2 * kR ? vp_of_cells(p, at, table, vp_slot) : Value{};
    const Value next = inner_value(u, u_minus, vp, l);
    next.store(at.mid + Phase % Tile::kMidSlots * Tile::kOwn + own);
    if (p.stores_first(it)) {
      next.store_streaming(f.first.next + p.first + std::int64_t{it - 3 * kR} * f.first.plane);
    }
    if (p.is(kCoreRow)) {
      const Value kept = multiply_add(Real(2), next, -u);
      kept.store(at.kept + kept_slot * Tile::kKept + own - kR * Tile::kNx);
    }
  }

  /// u(n + 2) of plane it - 2 kR - 1. `kept_slot` is the one of that plane.
  template <int Phase>
  KOKKOS_FORCEINLINE_FUNCTION void stage_two(const Place& p, const Scratch& at, const Table& table,
                                             Column<Value>& two, int it, int vp_slot,
                                             int kept_slot) const {
    constexpr int kBefore = (Phase + kR - 1) % kR;
    const int own = p.rank * V;
    const Real* here = at.mid + kBefore % Tile::kMidSlots * Tile::kOwn + own;
    const Value centre = load_pack<V>(here);
    Value u;
    const Value l = two.template take<Phase>(f.first.k, centre,
                                             plane_terms<V, Tile::kNx>(f.first.k, here, centre), u);
    if (p.is(kStore) && it > 4 * kR) {
      const int slot = vp_slot > kR ? vp_slot - kR - 1 : vp_slot - kR - 1 + Tile::kVpSlots;
      const Value vp = vp_of_cells(p, at, table, slot);
      const Value kept = load_pack<V>(at.kept + kept_slot * Tile::kKept + own - kR * Tile::kNx);
      const Value next = multiply_add(vp, l, kept);
      next.store_streaming(f.after + p.first + std::int64_t{it - 4 * kR - 1} * f.first.plane);
    }
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value vp_of_cells(const Place& p, const Scratch& at,
                                                              const Table& table, int slot) const {
    const Vp* plane = at.vp + slot * Tile::kVpPlane;
    return table.values(load_pack<V>(plane + p.y * Tile::kVpPitch + Tile::kVpLead + p.x));
  }

  /// Plane `it` of step n, and u- and vp of what it completes, on their way.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const Place& p, const Scratch& at, int slot, int it,
                                         int vp_slot) const {
    if (it >= p.planes) return;
    const bool completes = it >= 2 * kR;
    Real* u = at.u + slot * Tile::kPlane;
    Real* minus = at.minus + slot * Tile::kOwn;
    Vp* vp = at.vp + vp_slot * Tile::kVpPlane;
    if constexpr (Tile::kBulk) {
      constexpr int kBytes = static_cast<int>(sizeof(Real));
      ScratchBarrier& barrier = at.arrived[slot];
      barrier.arrive_and_expect(kBytes * (Tile::kPlane + (completes ? Tile::kOwn : 0)) +
                                (completes ? Tile::kVpPlane * static_cast<int>(sizeof(Vp)) : 0));
      const int z = p.z0 - 2 * kR + it + kR, y = p.y0 + kR, x = p.x0 + kCorner;
      u_map.copy(u, z, y - kR, x - kR, barrier);
      if (completes) {
        minus_map.copy(minus, z - kR, y, x, barrier);
        vp_map.copy(vp, z - kR, y, x - Tile::kVpLead, barrier);
      }
    } else {
      const int z = p.z0 - 2 * kR + it;
      const bool here = z >= -kR && z < f.n.nz + kR;
      const std::int64_t plane = f.first.offset(z, p.y0, p.x0);
      constexpr int kRow = Tile::kPitch / V;
      for (int i = p.rank; i < kRow * (Tile::kNy + 2 * kR); i += Tile::kThreads) {
        const int y = i / kRow - kR, x = i % kRow * V - kR;
        copy_inside(p, u + (y + kR) * Tile::kPitch + x + kR, f.first.u + plane, here, y, x);
      }
      if (!completes) return;
      const std::int64_t behind = plane - std::int64_t{kR} * f.first.plane;
      const int own = p.rank * V;
      copy_inside(p, minus + own, f.first.u_minus + behind, true, p.y, p.x);
      copy_inside(p, vp + own, vp_of(f.first, Vp{}) + behind, true, p.y, p.x);
    }
  }

  /// A vector of the tile; zeros where it or its plane lies past the grid's halo.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void copy_inside(const Place& p, T* to, const T* plane, bool here,
                                               int y, int x) const {
    const int at_y = p.y0 + y, at_x = p.x0 + x;
    if (here && at_y >= -kR && at_y < f.n.ny + kR && at_x >= -kR && at_x < f.n.nx + kR) {
      copy_async<V>(to, plane + (std::int64_t{y} * f.first.row + x));
    } else {
      for (int v = 0; v < V; ++v) to[v] = T(0);
    }
  }

  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void begin_copies(const TeamHandle& team, const Place& p,
                                                const Scratch& at) const {
    if constexpr (Tile::kBulk) {
      if (p.rank == 0) {
        for (int slot = 0; slot < Tile::kSlots; ++slot) {
          at.arrived[slot].init(1);
          at.made[slot].init(Tile::kThreads / kWarp);
        }
        fence_barriers();
      }
      team.team_barrier();
      if (p.rank == 0) {
        for (int it = 0; it < Tile::kAhead; ++it) fetch(p, at, it, it, it);
      }
    } else {
      for (int it = 0; it < Tile::kAhead; ++it) {
        fetch(p, at, it, it, it);
        commit_copies();
      }
    }
  }

  /// Until plane `it` has arrived. With copies by threads the team meets here, and requests more.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void wait_for_plane(const TeamHandle& team, const Place& p,
                                                  const Scratch& at, Pacer::Stream& pace, int phase,
                                                  int it, int parity, int vp_slot) const {
    if constexpr (Tile::kBulk) {
      if (it < p.planes) at.arrived[phase].wait(parity);
    } else {
      wait_for_copies<Tile::kAhead - 1>();
      pace.next_plane();
      team.team_barrier();
      fetch_ahead(p, at, phase, it, vp_slot);
      commit_copies();
    }
  }

  /// Between the stages: all have done stage one of the iteration before, and stage two of the one
  /// before that. With bulk copies a thread then requests more.
  KOKKOS_FORCEINLINE_FUNCTION void meet(const Place& p, const Scratch& at, Pacer::Stream& pace,
                                        int phase, int it, int parity, int vp_slot) const {
    if constexpr (Tile::kBulk) {
      warp_barrier();
      if (p.rank % kWarp == 0) at.made[phase].arrive();
      if (it > 0) at.made[(phase + kR - 1) % kR].wait(phase == 0 ? parity ^ 1 : parity);
      if (p.rank == 0) {
        pace.next_plane();
        fetch_ahead(p, at, phase, it, vp_slot);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fetch_ahead(const Place& p, const Scratch& at, int phase, int it,
                                               int vp_slot) const {
    const int vp = vp_slot + Tile::kAhead;
    fetch(p, at, (phase + Tile::kAhead) % Tile::kSlots, it + Tile::kAhead,
          vp >= Tile::kVpSlots ? vp - Tile::kVpSlots : vp);
  }
};

}  // namespace tessera::acoustic
