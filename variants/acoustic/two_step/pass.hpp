// SPDX-License-Identifier: Apache-2.0
// Two time steps of a box of inner cells in one pass along z.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/pacing.hpp"
#include "base/device/scratch_pointer.hpp"
#include "variants/acoustic/kernels/column.hpp"
#include "variants/acoustic/kernels/pass.hpp"
#include "variants/acoustic/two_step/tile.hpp"

#include <cstdint>

namespace tessera::acoustic {

/// Streams the tile of a team. Iteration `it` takes plane p = z0 - 2 kR + it of step n, completes
/// plane p - kR of step n + 1 (stage one, kR cells wider than the core) and, from the plane of step
/// n + 1 completed before, plane p - 2 kR - 1 of step n + 2 (stage two). Step n + 1 is zero outside
/// the grid: there u, u- and vp are. Wavefields in a format are rounded where they are stored;
/// stage two goes on from what stage one has in float.
template <class Real, class Tile>
struct PassKernel {
  static constexpr bool kInPlace = true;
  static constexpr const char* kLabel = "tessera::acoustic::two_step::pass";
  static constexpr int V = Tile::kV;
  using Value = Pack<Real, V>;
  using Format = typename ReadAs<Real, typename Tile::Kept>::Format;
  using Wave = typename Tile::Wave;
  using Vp = typename Tile::Vp;
  using Fields = PassFields<Real, Format>;
  using Scratch = PassScratch<Real, Tile>;

  /// The maps begin at cell (-kR, -kR, -kCorner): on 16 bytes for 16 bits, too.
  static constexpr int kCorner = 8;

  Fields f;
  PassTiling tiling;
  PassPacer pacer;
  PlaneMap u_map, minus_map, vp_map;

  PassKernel(const Fields& fields, const PassTiling& tiles, const PassPacer& paced)
      : f(fields), tiling(tiles), pacer(paced) {
    if constexpr (Tile::kBulk) {
      const auto& one = f.first;
      const auto map = [&](const auto* origin, int nx, int ny) {
        return PlaneMap(origin - one.offset(kR, kR, kCorner), one.row, one.plane,
                        {f.n.nz + 2 * kR, one.plane / one.row, one.row}, nx, ny);
      };
      u_map = map(raw(one.u), Tile::kPitch, Tile::kNy + 2 * kR);
      minus_map = map(raw(one.u_minus), Tile::kOwnPitch, Tile::kNy);
      vp_map = map(vp_of(one, Vp{}), Tile::kVpPitch, Tile::kNy);
    }
  }

  /// A NativeTeam; or what has the same members.
  template <class TeamHandle>
  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const Box core = tiling.core(team.league_rank());
    const int bytes = static_cast<int>(Tile::scratch_bytes());
    const Scratch at(scratch_pointer(static_cast<Wave*>(team.team_scratch(0).get_shmem(bytes))));
    if (team.team_rank() == 0) begin_copies(core, at, pacer.join(team));
    team.team_barrier();
    if (!core.empty()) stream(team, core, at);
    if (team.team_rank() == 0) at.copier->pace.leave();
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
             it < (is(kStoreBelow) ? planes : planes - kR);
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool stores_second(int it) const {
      return is(kStore) && it >= 4 * kR + 1 && it <= planes;
    }
  };

  /// What is computed before the first planes are complete, and after the last one, is stored
  /// nowhere.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void stream(const TeamHandle& team, const Box& core,
                                          const Scratch& at) const {
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
    if constexpr (!Tile::kBulk) {
      for (int it = 0; it < Tile::kAhead; ++it) fetch(p, at, it, it, it);
    }
    Column<Value> one, two;
    int vp_slot = 0, kept_slot = 0;
    for (int begin = 0; begin <= p.planes; begin += kR) {
      static_for<kR>([&](auto phase) {
        const int it = begin + phase, parity = begin / kR & 1;
        wait_for_plane(team, p, at, phase, it, parity, vp_slot);
        stage_one<phase()>(p, at, one, it, vp_slot, kept_slot);
        kept_slot = kept_slot == Tile::kKeptSlots - 1 ? 0 : kept_slot + 1;
        meet(p, at, phase, it, parity);
        if (p.is(kCoreRow)) stage_two<phase()>(p, at, two, it, vp_slot, kept_slot);
        vp_slot = vp_slot == Tile::kVpSlots - 1 ? 0 : vp_slot + 1;
      });
    }
  }

  /// u(n + 1) of plane it - kR, counted from the first plane of step n.
  template <int Phase>
  KOKKOS_FORCEINLINE_FUNCTION void stage_one(const Place& p, const Scratch& at, Column<Value>& one,
                                             int it, int vp_slot, int kept_slot) const {
    const auto here = values_at<Format>(at.u + Phase * Tile::kPlane + (p.y + kR) * Tile::kPitch +
                                        Tile::kLead + p.x);
    const int own = p.rank * V;
    const Value centre = load_pack<V>(here);
    Value u;
    const Value l = one.template take<Phase>(
        f.first.k, centre, plane_terms<V, Tile::kPitch>(f.first.k, here, centre), u);
    const Value u_minus = values_of<Format, V>(load_pack<V>(
        at.minus + Phase * Tile::kMinus + p.y * Tile::kOwnPitch + Tile::kOwnLead + p.x));
    const Value next = inner_value(u, u_minus, vp_of_cells(p, at, vp_slot), l);
    next.store(at.mid + Phase % Tile::kMidSlots * Tile::kOwn + own);
    if (p.stores_first(it)) {
      const std::int64_t cell = p.first + std::int64_t{it - 3 * kR} * f.first.plane;
      store_lanes<V>(f.first.next + cell, next, kAllLanes<V>);
    }
    if (p.is(kCoreRow)) {
      const Value kept = multiply_add(Real(2), next, -u);
      kept.store(at.kept + kept_slot * Tile::kKept + own - kR * Tile::kNx);
    }
  }

  /// u(n + 2) of plane it - 2 kR - 1. `kept_slot` is the one of that plane.
  template <int Phase>
  KOKKOS_FORCEINLINE_FUNCTION void stage_two(const Place& p, const Scratch& at, Column<Value>& two,
                                             int it, int vp_slot, int kept_slot) const {
    constexpr int kBefore = (Phase + kR - 1) % kR;
    const int own = p.rank * V;
    const Real* here = at.mid + kBefore % Tile::kMidSlots * Tile::kOwn + own;
    const Value centre = load_pack<V>(here);
    Value u;
    const Value l = two.template take<Phase>(f.first.k, centre,
                                             plane_terms<V, Tile::kNx>(f.first.k, here, centre), u);
    const int slot = vp_slot > kR ? vp_slot - kR - 1 : vp_slot - kR - 1 + Tile::kVpSlots;
    const Value kept = load_pack<V>(at.kept + kept_slot * Tile::kKept + own - kR * Tile::kNx);
    const Value next = multiply_add(vp_of_cells(p, at, slot), l, kept);
    if (p.stores_second(it)) {
      const std::int64_t cell = p.first + std::int64_t{it - 4 * kR - 1} * f.first.plane;
      store_lanes<V>(f.after + cell, next, kAllLanes<V>);
    }
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value vp_of_cells(const Place& p, const Scratch& at,
                                                              int slot) const {
    const Vp* here = at.vp + slot * Tile::kVpPlane + p.y * Tile::kVpPitch + Tile::kVpLead + p.x;
    if constexpr (std::is_same_v<typename Tile::Kept, Real>) {
      return load_pack<V>(here);
    } else {
      const auto bits = load_pack<V>(here);
      Linear16 steps{nullptr, f.first.vp_step};
      if constexpr (!std::is_same_v<Format, Plain>) steps = f.first.vp;
      return make_pack<Real, V>([&](int v) { return Real(steps.decode(lane(bits, v))); });
    }
  }

  /// One thread: what it keeps in scratch, since registers of one are registers of all, and with
  /// bulk copies the barriers and the first planes.
  KOKKOS_FORCEINLINE_FUNCTION void begin_copies(const Box& core, const Scratch& at,
                                                const PassPacer::Stream& pace) const {
    *at.copier = {pace, core, core.nz() + 4 * kR, 0, 0};
    if constexpr (Tile::kBulk) {
      for (int slot = 0; slot < Tile::kSlots; ++slot) {
        at.arrived[slot].init(1);
        at.made[slot].init(Tile::kThreads / kWarp);
      }
      fence_barriers();
      if (core.empty()) return;
      for (int it = 0; it < Tile::kAhead; ++it) request(at);
    }
  }

  /// One thread: the next plane of step n, and u- and vp of what it completes, on their way.
  KOKKOS_FORCEINLINE_FUNCTION void request(const Scratch& at) const {
    PassCopier& copier = *at.copier;
    const int it = copier.it, slot = it % Tile::kSlots;
    if (it >= copier.planes) return;
    constexpr int kWave = static_cast<int>(sizeof(Wave)), kVp = static_cast<int>(sizeof(Vp));
    const bool completes = it >= 2 * kR;
    ScratchBarrier& barrier = at.arrived[slot];
    barrier.arrive_and_expect(kWave * Tile::kPlane +
                              (completes ? kWave * Tile::kMinus + kVp * Tile::kVpPlane : 0));
    const int z = copier.core.z0 - kR + it, y = copier.core.y0, x = copier.core.x0 - kR + kCorner;
    u_map.copy(at.u + slot * Tile::kPlane, z, y - kR, x - Tile::kLead, barrier);
    if (completes) {
      minus_map.copy(at.minus + slot * Tile::kMinus, z - kR, y, x - Tile::kOwnLead, barrier);
      vp_map.copy(at.vp + copier.vp_slot * Tile::kVpPlane, z - kR, y, x - Tile::kVpLead, barrier);
    }
    copier.it = it + 1;
    copier.vp_slot = copier.vp_slot == Tile::kVpSlots - 1 ? 0 : copier.vp_slot + 1;
  }

  /// The same of plane `it` by all threads, each a part.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const Place& p, const Scratch& at, int slot, int it,
                                         int vp_slot) const {
    if (it < p.planes) {
      const int z = p.z0 - 2 * kR + it;
      const bool here = z >= -kR && z < f.n.nz + kR;
      const std::int64_t plane = f.first.offset(z, p.y0, p.x0);
      constexpr int kRow = Tile::kPitch / V;
      Wave* u = at.u + slot * Tile::kPlane;
      for (int i = p.rank; i < kRow * (Tile::kNy + 2 * kR); i += Tile::kThreads) {
        const int y = i / kRow - kR, x = i % kRow * V - kR;
        copy_inside(p, u + (y + kR) * Tile::kPitch + x + kR, raw(f.first.u) + plane, here, y, x);
      }
      if (it >= 2 * kR) {
        const std::int64_t behind = plane - std::int64_t{kR} * f.first.plane;
        const int own = p.rank * V;
        copy_inside(p, at.minus + slot * Tile::kMinus + own, raw(f.first.u_minus) + behind, true,
                    p.y, p.x);
        copy_inside(p, at.vp + vp_slot * Tile::kVpPlane + own, vp_of(f.first, Vp{}) + behind, true,
                    p.y, p.x);
      }
    }
    commit_copies();
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

  /// Until plane `it` has arrived. With copies by threads the team meets here, and requests more.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void wait_for_plane(const TeamHandle& team, const Place& p,
                                                  const Scratch& at, int phase, int it, int parity,
                                                  int vp_slot) const {
    if constexpr (Tile::kBulk) {
      if (it < p.planes) at.arrived[phase].wait(parity);
    } else {
      wait_for_copies<Tile::kAhead - 1>();
      if (p.rank == 0) at.copier->pace.next_plane();
      team.team_barrier();
      const int vp = vp_slot + Tile::kAhead;
      fetch(p, at, (phase + Tile::kAhead) % Tile::kSlots, it + Tile::kAhead,
            vp >= Tile::kVpSlots ? vp - Tile::kVpSlots : vp);
    }
  }

  /// Between the stages: all have done stage one of the iteration before, and stage two of the one
  /// before that. With bulk copies a thread then requests more.
  KOKKOS_FORCEINLINE_FUNCTION void meet(const Place& p, const Scratch& at, int phase, int it,
                                        int parity) const {
    if constexpr (Tile::kBulk) {
      warp_barrier();
      if (p.rank % kWarp == 0) at.made[phase].arrive();
      if (it > 0) at.made[(phase + kR - 1) % kR].wait(phase == 0 ? parity ^ 1 : parity);
      if (p.rank == 0) {
        request(at);
        at.copier->pace.next_plane();
      }
    }
  }
};

}  // namespace tessera::acoustic
