// SPDX-License-Identifier: Apache-2.0
// The inner region by planes that the bulk copy engine brings: what acoustic/st_bulk is.
//
//   for each plane p of the tile, 2 kR more than it has:
//     one thread: until all warps have left plane p - 1, then request plane p + 3 in its place
//     all:        until plane p has arrived
//     x and y terms of p, both rows; p is added to the sums along z of p - 4 ... p + 4 (Column)
//     u+ of plane p - 4, whose sum is complete now
#pragma once

#include "base/device/bulk_copy.hpp"
#include "base/device/pacing.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/tile/tiling.hpp"
#include "variants/acoustic/kernels/column.hpp"
#include "variants/acoustic/kernels/vectors.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera::acoustic {

/// A team of Columns x Rows threads, each with vectors of four cells in two adjacent rows. `Kept`:
/// Real, Linear16 where vp is read in equal steps, or a format of 16 bits (ReadAs).
template <class Real, class Kept, int Columns, int Rows>
struct BulkStreamKernel {
  static constexpr bool kInPlace = true;  // the engine reads its maps from the launch
  static constexpr const char* kLabel = "tessera::acoustic::st_bulk::step";
  using Format = typename ReadAs<Real, Kept>::Format;
  using Wave = typename ReadAs<Real, Kept>::Wave;
  using Vp = typename ReadAs<Real, Kept>::Vp;
  using Table = VpTable<Real, Kept>;

  static constexpr int V = 4, kOwnRows = 2, kSlots = 4, kAhead = 3;
  using Value = Pack<Real, V>;
  static constexpr int kThreads = Columns * Rows, kNx = V * Columns, kNy = kOwnRows * Rows;
  static constexpr int kCorner = 8;  // the maps begin at cell (-kR, -kR, -kCorner)
  static constexpr int kLead = 16 / static_cast<int>(sizeof(Wave));  // a copy begins on 16 bytes
  static constexpr int kPitch = kNx + 2 * kLead;
  static constexpr int kPlane = kPitch * (kNy + 2 * kR), kOwn = kNx * kNy;
  static_assert(kThreads % 32 == 0 && kLead >= kR && kPlane * sizeof(Wave) % 128 == 0);

  Fields<Real, Format> f;
  Box box;
  Tiling tiling;
  Pacer pacer;
  PlaneMap u_map, kept_map, vp_map;  // u, u- or the difference, vp

  BulkStreamKernel(const Fields<Real, Format>& fields, const Box& region, const Tiling& tiles,
                   const Pacer& paced)
      : f(fields), box(region), tiling(tiles), pacer(paced) {
    const auto map = [&](const auto* origin, int nx, int ny) {
      return PlaneMap(origin - f.offset(kR, kR, kCorner), f.row, f.plane,
                      {box.z1 + kR + kR, f.plane / f.row, f.row}, nx, ny);
    };
    u_map = map(raw(f.u), kPitch, kNy + 2 * kR);
    kept_map = map(raw(f.u_minus), kNx, kNy);
    vp_map = map(vp_of(f, Vp{}), kNx, kNy);
  }

  [[nodiscard]] static constexpr std::size_t scratch_bytes() {
    return kSlots *
               ((kPlane + kOwn) * sizeof(Wave) + kOwn * sizeof(Vp) + 2 * sizeof(ScratchBarrier)) +
           Table::scratch_bytes();
  }

  /// A NativeTeam; or what has the same members.
  template <class TeamHandle>
  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const int bytes = static_cast<int>(scratch_bytes());
    const Scratch at(scratch_pointer(static_cast<Wave*>(team.team_scratch(0).get_shmem(bytes))));
    Pacer::Stream pace = pacer.join(team);
    stream(team, place, at, pace);
    pace.leave();
  }

 private:
  struct Scratch {
    Wave *u, *kept;
    Vp* vp;
    ScratchBarrier *arrived, *left;
    Real* values;  // of a VpTable

    explicit KOKKOS_FORCEINLINE_FUNCTION Scratch(Wave* scratch)
        : u(scratch),
          kept(u + kSlots * kPlane),
          vp(reinterpret_cast<Vp*>(kept + kSlots * kOwn)),
          arrived(reinterpret_cast<ScratchBarrier*>(vp + kSlots * kOwn)),
          left(arrived + kSlots),
          values(reinterpret_cast<Real*>(left + kSlots)) {}
  };

  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void stream(const TeamHandle& team, const TilePlace& place,
                                          const Scratch& at, Pacer::Stream& pace) const {
    const int rank = team.team_rank();
    const int x = rank % Columns * V, y = rank / Columns * kOwnRows;
    const int planes = place.extent.nz + 2 * kR;
    int lanes[kOwnRows];
    for (int r = 0; r < kOwnRows; ++r)
      lanes[r] = lanes_in<V>(box, box.z0, place.y0 + y + r, place.x0 + x);
    const Table table(team, f, at.values);
    if (rank == 0) {
      for (int slot = 0; slot < kSlots; ++slot) {
        at.arrived[slot].init(1);
        at.left[slot].init(kThreads / kWarp);
      }
      fence_barriers();
    }
    team.team_barrier();
    if (rank == 0) {
      for (int it = 0; it < kAhead; ++it) fetch(place, at, it, it, planes);
    }
    Column<Value> column[kOwnRows];
    std::int64_t out = f.offset(place.z0 - 2 * kR, place.y0 + y, place.x0 + x);
    for (int begin = 0; begin < planes; begin += kSlots) {
      const int parity = begin / kSlots & 1;
      static_for<kSlots>([&](auto phase) {
        const int it = begin + phase;
        if (it >= planes) return;
        if (rank == 0) {
          constexpr int kBefore = (phase + kSlots - 1) % kSlots;
          if (it > 0) at.left[kBefore].wait(phase == 0 ? parity ^ 1 : parity);
          pace.next_plane();
          fetch(place, at, kBefore, it + kAhead, planes);
        }
        at.arrived[phase].wait(parity);
        advance<phase()>(at, table, column, x, y, out, it >= 2 * kR, lanes);
        warp_barrier();
        if (rank % kWarp == 0) at.left[phase].arrive();
        out += f.plane;
      });
    }
  }

  /// Takes the plane in slot Phase; stores u+ of the plane kR before where `complete`.
  template <int Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Scratch& at, const Table& table,
                                           Column<Value> (&column)[kOwnRows], int x, int y,
                                           std::int64_t out, bool complete,
                                           const int (&lanes)[kOwnRows]) const {
    const auto here = values_at<Format>(at.u + Phase * kPlane + (y + kR) * kPitch + kLead + x);
    Value centre[kOwnRows], sum[kOwnRows];
    static_for<kOwnRows>([&](auto r) {
      centre[r] = load_pack<V>(here + r * kPitch);
      sum[r] = x_terms(here + r * kPitch, centre[r]);
    });
    // Each row beside the two is read once, for both.
    static_for<kOwnRows + 2 * kR>([&](auto i) {
      constexpr int kRow = decltype(i)::value - kR;
      Value row;
      if constexpr (kRow >= 0 && kRow < kOwnRows) {
        row = centre[kRow];
      } else {
        row = load_pack<V>(here + kRow * kPitch);
      }
      static_for<kOwnRows>([&](auto r) {
        constexpr int kM =
            kRow > decltype(r)::value ? kRow - decltype(r)::value : decltype(r)::value - kRow;
        if constexpr (kM >= 1 && kM <= kR) sum[r] = multiply_add(f.k.cy[kM - 1], row, sum[r]);
      });
    });
    static_for<kOwnRows>([&](auto r) {
      Value u;
      const Value l = column[r].template take<Phase>(f.k, centre[r], sum[r], u);
      if (!complete || lanes[r] == 0) return;
      const int own = Phase * kOwn + (y + r) * kNx + x;
      const Value kept = values_of<Format, V>(load_pack<V>(at.kept + own));
      const Value vp = table.values(load_pack<V>(at.vp + own));
      store_next<V>(f, out + r * f.row, u, inner_value(u, u_minus_of<Format>(u, kept), vp, l),
                    lanes[r]);
    });
  }

  /// c0 and the x terms of L(u).
  template <class Address>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value x_terms(const Address& here,
                                                          const Value& centre) const {
    const Value before = load_pack<V>(here - V), after = load_pack<V>(here + V);
    const auto at = [&](int i) {  // cell i of the vector, from -kR to V - 1 + kR
      return i < 0 ? before[V + i] : i < V ? centre[i] : after[i - V];
    };
    return make_pack<Real, V>([&](int v) {
      Real sum = f.k.c0 * centre[v];
      static_for<kR>([&](auto i) {
        constexpr int kM = decltype(i)::value + 1;
        sum = multiply_add(f.k.cx[kM - 1], at(v - kM) + at(v + kM), sum);
      });
      return sum;
    });
  }

  /// One thread: plane `it` of u, and what its arrival completes, on their way.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const TilePlace& place, const Scratch& at, int slot,
                                         int it, int planes) const {
    if (it >= planes) return;
    constexpr int kWave = static_cast<int>(sizeof(Wave)), kVp = static_cast<int>(sizeof(Vp));
    const bool completes = it >= 2 * kR;
    ScratchBarrier& barrier = at.arrived[slot];
    barrier.arrive_and_expect(kPlane * kWave + (completes ? kOwn * (kWave + kVp) : 0));
    const int z = place.z0 + it, y = place.y0 + kR, x = place.x0 + kCorner;
    u_map.copy(at.u + slot * kPlane, z, y - kR, x - kLead, barrier);
    if (!completes) return;
    kept_map.copy(at.kept + slot * kOwn, z - kR, y, x, barrier);
    vp_map.copy(at.vp + slot * kOwn, z - kR, y, x, barrier);
  }
};

}  // namespace tessera::acoustic
