// SPDX-License-Identifier: Apache-2.0
// A tile streamed along z by vectors of cells, planes arriving asynchronously: what
// acoustic/st_async is, and what acoustic/two_step updates its layers with.
#pragma once

#include "base/device/pacing.hpp"
#include "base/tile/float24_ring.hpp"
#include "base/tile/plane_ring.hpp"
#include "base/tile/register_window.hpp"
#include "base/tile/wrapped_slot.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/streaming.hpp"
#include "variants/acoustic/kernels/vector_launcher.hpp"
#include "variants/acoustic/kernels/vectors.hpp"

#include <algorithm>

namespace tessera::acoustic {

/// `Kept`: what a cell reads (ReadAs).
template <class Real, class Threads, int V, Update kUpdate, class Kept>
struct VectorStreamKernel {
  using Format = typename ReadAs<Real, Kept>::Format;
  using Wave = typename ReadAs<Real, Kept>::Wave;
  using Vp = typename ReadAs<Real, Kept>::Vp;
  static constexpr int kAhead = 2;  // planes on their way while one is computed
  static constexpr int kPlanes = kR + 1 + kAhead;
  using Value = Pack<Real, V>;
  static constexpr bool kInTwo = std::is_same_v<Format, StoredFloat24>;
  using Ring = std::conditional_t<kInTwo, Float24Ring<V, Threads, kR, kPlanes>,
                                  PlaneRing<Wave, V, Threads, kR, kPlanes>>;
  using Own = std::conditional_t<kInTwo, Float24Ahead<V, Threads, kAhead + 1>,
                                 FetchedAhead<Wave, V, Threads, kAhead + 1>>;
  using OwnVp = FetchedAhead<Vp, V, Threads, kAhead + 1>;
  using OwnPhi = FetchedAhead<Real, V, Threads, kAhead + 1>;
  using Table = VpTable<Real, Kept>;
  using Behind = RegisterWindow<Value, kR, Threads>;

  /// In blocks a host first makes the cells of a plane; on a device the threads of a block, 8 of
  /// four cells, store it together.
  static constexpr int kNx = V * Threads::kNx;
  static constexpr std::size_t kMade =
      Format::kBlocks && V == 1 ? sizeof(Real) * kNx * Threads::kNy : 0;
  static_assert(!Format::kBlocks || kNx % kBlockCells == 0);

  Fields<Real, Format> f;
  Box box, hole;
  Tiling tiling;
  Pacer pacer = {};

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Ring ring(team, f.row, place.extent);
    const Own u_minus(team);
    const OwnVp vp(team);
    const OwnPhi phi = phi_of(team, u_minus);
    Behind behind(team);
    Real* const room = static_cast<Real*>(scratch_of(team).get_shmem(Table::scratch_bytes()));
    const Table table(team, f, room);
    constexpr std::size_t kRoom = kMade;
    Real* const made =
        kRoom == 0 ? nullptr : static_cast<Real*>(scratch_of(team).get_shmem(std::size_t{kRoom}));
    Pacer::Stream pace = pacer.join(team);
    for_each_stream<kUpdate>(place, hole, [&](int z_begin, int z_end) {
      stream(team, place, ring, {u_minus, vp, phi, table, made}, behind, pace, z_begin, z_end);
    });
    pace.leave();
  }

  static constexpr const char* kLabel = "tessera::acoustic::st_async::step";

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return Ring::scratch_bytes() + Own::scratch_bytes(kind) +
           (kUpdate == Update::inner ? 0 : OwnPhi::scratch_bytes(kind)) +
           OwnVp::scratch_bytes(kind) + Behind::scratch_bytes(kind) + Table::scratch_bytes() +
           kMade;
  }
  static void count(Plan& plan) {
    plan.scratch_loads = 2 * kR + 2.0 * kR / V + 3 + kR;  // y, x by vectors, u- and vp, z ahead
    plan.scratch_stores += 2;                             // u- and vp
    plan.walk.trips = 1.0 / kAhead;
    plan.walk.barriers = 1;
    plan.loops.rows = 1;
  }

 private:
  struct OwnValues {
    Own u_minus;
    OwnVp vp;
    OwnPhi phi;
    Table table;
    Real* made;  // u+ of a plane of blocks, on a host
  };

  /// Room for phi where it is read.
  KOKKOS_FORCEINLINE_FUNCTION static OwnPhi phi_of(const NativeTeam& team,
                                                   [[maybe_unused]] const Own& unused) {
    if constexpr (kUpdate == Update::inner && std::is_same_v<Own, OwnPhi>) {
      return unused;
    } else {
      return OwnPhi(team);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const TilePlace& place,
                                          const Ring& ring, const OwnValues& own, Behind& behind,
                                          Pacer::Stream& pace, int z_begin, int z_end) const {
    const Threads threads;
    constexpr int kWhole = Format::kBlocks && V > 1 ? kBlockCells : V;
    const int cells = (place.extent.nx + kWhole - 1) / kWhole * kWhole;
    const TileExtent vectors{1, place.extent.ny, cells / V};
    std::int64_t first = f.offset(z_begin, place.y0, place.x0);
    // Copies of plane z + R, and of what only plane z needs: a group.
    const auto fetch = [&](int z, std::int64_t at, int plane, int slot) {
      if (z < z_end) {
        ring.load(plane, raw(f.u + at + kR * f.plane));
        for_each_cell(team, threads, vectors, [&](const Cell& c) {
          const int x = place.x0 + V * c.x;
          const std::int64_t i = at + c.y * f.row + V * c.x;
          if (V > 1 && x + V <= box.x0) return;
          own.u_minus.fetch(slot, raw(f.u_minus + i));
          own.vp.fetch(slot, vp_of(f, Vp{}) + i);
          if (kUpdate == Update::inner || lanes_in<V>(hole, z, place.y0 + c.y, x) == kAllLanes<V>)
            return;
          own.phi.fetch(slot, f.phi + i);
        });
      }
      commit_copies();
    };
    // 1. The planes behind, and the first that the ring holds.
    team.team_barrier();  // a stream before this one may still be reading the ring
    for_each_cell(team, threads, vectors, [&](const Cell& c) {
      const auto u = f.u + first + c.y * f.row + V * c.x;
      static_for<kR>([&](auto j) { behind.at(c, j) = load_pack<V>(u + (j - kR) * f.plane); });
    });
    for (int k = 0; k < kR; ++k) ring.load(k, raw(f.u + first + k * f.plane));
    for (int k = 0; k < kAhead; ++k) fetch(z_begin + k, first + k * f.plane, kR + k, k);
    // 2. Stream. The slots that plane z - 1 has left are filled again.
    int plane = 0, slot = 0;
    for (int z = z_begin; z < z_end; ++z) {
      wait_for_copies<kAhead - 1>();
      pace.next_plane();
      team.team_barrier();
      fetch(z + kAhead, first + kAhead * f.plane, plane == 0 ? kPlanes - 1 : plane - 1,
            slot == 0 ? kAhead : slot - 1);
      for_each_cell_by_update<kUpdate>(
          team, threads, {z, place.y0, place.x0, vectors}, hole, [&](auto update, const Cell& c) {
            if (V > 1 && place.x0 + V * (c.x + 1) <= box.x0) return;
            advance(update, place, ring, own, behind, c, z, first, plane, slot);
          });
      for_each_cell(team, threads, vectors, [&](const Cell& c) {
        behind.shift(c);
        behind.at(c, Constant<kR - 1>{}) = load_pack<V>(
            values_at<Format>(ring.at(plane, c.y, V * c.x), f.u + (first + c.y * f.row + V * c.x)));
      });
      if constexpr (kMade > 0) {
        for (int y = 0; y < place.extent.ny; ++y) {
          for (int x = 0; x < place.extent.nx; x += kBlockCells)
            put_block(f.next + (first + y * f.row + x), own.made + y * kNx + x,
                      std::min(place.extent.nx - x, kBlockCells));
        }
      }
      first += f.plane;
      plane = plane == kPlanes - 1 ? 0 : plane + 1;
      slot = slot == kAhead ? 0 : slot + 1;
    }
  }

  /// Updates the vector of cell c in plane z.
  template <class UpdateTag>
  KOKKOS_FORCEINLINE_FUNCTION void advance(UpdateTag, const TilePlace& place, const Ring& ring,
                                           const OwnValues& own, Behind& behind, const Cell& c,
                                           int z, std::int64_t first, int plane, int slot) const {
    const int y = place.y0 + c.y;
    const int x = place.x0 + V * c.x;
    const std::int64_t i = first + c.y * f.row + V * c.x;
    const auto here = values_at<Format>(ring.at(plane, c.y, V * c.x), f.u + i);
    const auto row = load_row<V, kR>(here);
    const auto along_x = [&](auto m) {
      return make_pack<Real, V>([&](int v) { return row[kR + m + v]; });
    };
    const auto along_y = [&](auto m) {
      return load_pack<V>(rows_on(here, m, Ring::kPitch, f.row));
    };
    const auto along_z = [&](auto m) {
      if constexpr (m < 0) {
        return behind.at(c, Constant<kR + m>{});
      } else {
        return load_pack<V>(values_at<Format>(
            ring.at(wrapped_slot<kPlanes>(plane + m), c.y, V * c.x), f.u + (i + m * f.plane)));
      }
    };
    const auto put = [&](const Value& u, const Value& next, int lanes) {
      if constexpr (!Format::kBlocks) {
        store_next<V>(f, i, u, next, lanes);
      } else if constexpr (kMade > 0) {
        own.made[c.y * kNx + c.x] = next;
      } else {
        put_block_by_lanes<V>(f.next + i, next, lanes, c.y * Threads::kNx + c.x);
      }
    };
    update_vector<UpdateTag::value, V>(
        f, box, hole, z, y, x, i, along_x, along_y, along_z,
        [&] {
          const auto kept = own.u_minus.take(slot, raw(f.u_minus + i));
          return InnerValues<Value>{values_of<Format, V>(kept, f.u_minus + i),
                                    own.table.values(own.vp.take(slot, vp_of(f, Vp{}) + i))};
        },
        [&] { return own.phi.take(slot, f.phi + i); }, put);
  }
};

}  // namespace tessera::acoustic
