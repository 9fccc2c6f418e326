// SPDX-License-Identifier: Apache-2.0
// The stream of `ebisu` in two dimensions on a device: a thread owns neighbouring cells of a row
// and keeps all that they need of all steps in registers; scratch holds no planes, but only what
// neighbouring threads need of each other: the first and last R cells of each thread.
//
// Redundant register streaming (EBISU 4.3.3) at its end: of the 2R + 1 loads and one store a cell
// and step that the seed's Table 2 counts for a box, (2R + 2R) / Own are left. As in
// jacobi_columns.hpp, a row adds its terms to 2R + 1 sums a cell; here the row itself waits in
// registers too, for one round, until its edges are there for all.
#pragma once

#include "stencils/jacobi_launcher.hpp"
#include "tile/async_copy.hpp"
#include "tile/scratch_pointer.hpp"
#include "tile/unroll.hpp"
#include "tile/vec.hpp"

namespace tessera::jacobi {

/// A row of Threads x Own cells.
template <int Threads, int Own>
struct RowTile {
  static constexpr int kNx = Threads * Own, kNy = 1;
  static constexpr int kThreads = Threads, kOwn = Own;
};

template <class StencilType, class Real, class TileType, int Levels, class Policy>
struct RowKernel {
  using Stencil = StencilType;
  using Tile = TileType;
  static constexpr int kThreads = TileType::kThreads, kMinTeams = Policy::kMinTeams;
  static constexpr bool kDeviceTiling = false;
  static constexpr int kFixedLevels = Levels;
  static constexpr int kR = StencilType::kR;
  static constexpr int kOwn = TileType::kOwn;
  static constexpr int kOpen = 2 * kR;  ///< sums under way a cell
  static constexpr int kArriving = 3;   ///< rows on their way from memory
  static constexpr int kSlots = kArriving + 1;
  static constexpr int kLanes = 16 / static_cast<int>(sizeof(Real));
  static_assert(kOwn % kLanes == 0 && kOwn >= kR);
  /// Cells lost at a cut: nothing around the tile is loaded, and vectors start on 16 bytes.
  static constexpr int kLost = (Levels * kR + kLanes - 1) / kLanes * kLanes;

  Fields<Real> f;
  PlaneCuts cuts;
  int levels;  ///< always Levels
  NoExchange exchange;

  [[nodiscard]] static const char* label() { return Policy::label(); }
  [[nodiscard]] static int lost(int /*levels*/) { return kLost; }
  [[nodiscard]] static std::size_t scratch_bytes(int /*levels*/) {
    return Ring::shmem_size() + Edges::shmem_size();
  }
  static void count(Plan& plan, double redundant) {
    plan.scratch_loads = redundant * 2 * kR / kOwn;
    plan.scratch_stores = redundant * 2 * kR / kOwn;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Real* const ring = scratch_pointer(reinterpret_cast<Real*>(Ring(scratch_of(team)).data()));
    Real* const edges = scratch_pointer(Edges(scratch_of(team)).data());
    for (int i = team.team_rank(); i < kEdges; i += kThreads) edges[i] = Real(0);
    for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                   [&](const PlanePlace& place, int s_begin, int s_end) {
                     stream(team, place, s_begin, s_end, ring + team.team_rank() * kOwn,
                            edges + team.team_rank() + 1);
                   });
  }

 private:
  /// A thread's own cells of the rows that arrive; nobody else reads them.
  using Ring = Kokkos::View<Vec<Real, kLanes>[kSlots * TileType::kNx / kLanes], ScratchSpace,
                            Kokkos::MemoryUnmanaged>;
  // Edges of a row: R first and R last cells of each thread, of rounds of either parity.
  static constexpr int kSide = kThreads + 2;
  static constexpr int kRow = 2 * kR * kSide;
  static constexpr int kEdges = 2 * Levels * kRow;
  using Edges = Kokkos::View<Real[kEdges], ScratchSpace, Kokkos::MemoryUnmanaged>;

  struct Registers {
    Real sums[Levels][kOpen][kOwn];
    Real held[Levels][kOwn];  ///< the row that step l + 1 reads next
  };

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* ring, Real* edges) const {
    const int first = s_begin - Levels * kR > -kR ? s_begin - Levels * kR : -kR;
    const int rounds = s_end - first + (Levels - 1) * (kR + 1) + kR;
    const int x = place.x0 + team.team_rank() * kOwn;  // the thread's first cell
    const bool inside = x >= 0 && x + kOwn <= f.nx;
    const bool exists = x + kOwn > -kR && x < f.nx + kR;
    Registers r;
    TESSERA_UNROLL
    for (int i = 0; i < Levels * kOpen * kOwn; ++i) (&r.sums[0][0][0])[i] = Real(0);
    TESSERA_UNROLL
    for (int i = 0; i < Levels * kOwn; ++i) (&r.held[0][0])[i] = Real(0);
    const Real* source = f.from + f.offset(first, 0, x);
    int arriving = first;
    const auto fetch = [&](int slot) {
      if (exists && arriving < f.ns + kR) {
        TESSERA_UNROLL
        for (int i = 0; i < kOwn; i += kLanes) {
          copy_async<kLanes>(ring + slot * TileType::kNx + i, source + i);
        }
      }
      commit_copies();
      source += f.plane;
      ++arriving;
    };
    team.team_barrier();  // a stream before this one may still be reading
    TESSERA_UNROLL
    for (int k = 0; k < kArriving; ++k) fetch(k);
    wait_for_copies<kArriving - 1>();
    take_row(ring, edges, 1, r);
    fetch(kArriving);
    int slot = 1;
    for (int begin = 0; begin < rounds; begin += kOpen) {
      TESSERA_UNROLL
      for (int phase = 0; phase < kOpen; ++phase) {
        const int round = begin + phase;
        if (round >= rounds) break;
        const int parity = phase & 1;
        team.team_barrier();  // the edges of the round before are there for all
        TESSERA_UNROLL
        for (int level = Levels; level >= 1; --level) {
          const int p = first + round - (level - 1) * (kR + 1) - kR;
          Real made[kOwn];
          add(edges + (2 * (level - 1) + (1 - parity)) * kRow, r.held[level - 1], r.sums[level - 1],
              phase, made);
          const bool row_updated = p >= 0 && p < f.ns;
          if (level == Levels) {
            if (p >= s_begin && p < s_end) store(place, x, p, made);
          } else {
            if (!inside || !row_updated) keep_fixed(p, x, made);
            leave(edges + (2 * level + parity) * kRow, made);
            TESSERA_UNROLL
            for (int i = 0; i < kOwn; ++i) r.held[level][i] = made[i];
          }
        }
        wait_for_copies<kArriving - 1>();
        take_row(ring + slot * TileType::kNx, edges, parity, r);
        fetch(slot);
        slot = slot == kSlots - 1 ? 0 : slot + 1;
      }
    }
    wait_for_copies<0>();
  }

  /// The row that has arrived becomes the one that step 1 reads in the next round.
  KOKKOS_FORCEINLINE_FUNCTION void take_row(const Real* own, Real* edges, int parity,
                                            Registers& r) const {
    TESSERA_UNROLL
    for (int i = 0; i < kOwn; i += kLanes) {
      const auto v = Vec<Real, kLanes>::load(own + i);
      TESSERA_UNROLL
      for (int k = 0; k < kLanes; ++k) r.held[0][i + k] = v[k];
    }
    leave(edges + parity * kRow, r.held[0]);
  }

  /// Leaves a row's first and last R cells for the neighbouring threads.
  KOKKOS_FORCEINLINE_FUNCTION static void leave(Real* edges, const Real (&row)[kOwn]) {
    TESSERA_UNROLL
    for (int m = 0; m < kR; ++m) {
      edges[m * kSide] = row[m];
      edges[(kR + m) * kSide] = row[kOwn - kR + m];
    }
  }

  /// Adds a row's terms to the sums; `made` are those that are complete.
  KOKKOS_FORCEINLINE_FUNCTION static void add(const Real* edges, const Real (&held)[kOwn],
                                              Real (&sums)[kOpen][kOwn], int phase,
                                              Real (&made)[kOwn]) {
    Real row[kOwn + 2 * kR];
    TESSERA_UNROLL
    for (int m = 0; m < kR; ++m) {
      row[m] = edges[(kR + m) * kSide - 1];       // the last cells of the thread before
      row[kR + kOwn + m] = edges[m * kSide + 1];  // the first cells of the next
    }
    TESSERA_UNROLL
    for (int i = 0; i < kOwn; ++i) row[kR + i] = held[i];
    TESSERA_UNROLL
    for (int m = 0; m < kOpen; ++m) {
      TESSERA_UNROLL
      for (int i = 0; i < kOwn; ++i) add_terms(row + i, kR - m, sums[(phase + m) % kOpen][i]);
    }
    TESSERA_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      made[i] = sums[phase % kOpen][i];
      add_terms(row + i, -kR, sums[phase % kOpen][i]);
    }
  }

  /// The terms of one row; the first of all begins the sum.
  KOKKOS_FORCEINLINE_FUNCTION static void add_terms(const Real* row, int s, Real& sum) {
    bool first = s == -kR;
    TESSERA_UNROLL
    for (int x = -kR; x <= kR; ++x) {
      if (!StencilType::has(s, 0, x)) continue;
      const Real weight = weight_at<StencilType, Real>(s, 0, x);
      sum = first ? weight * row[kR + x] : multiply_add(weight, row[kR + x], sum);
      first = false;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const PlanePlace& place, int x, int p,
                                         const Real (&made)[kOwn]) const {
    Real* const to = f.to + f.offset(p, 0, x);
    if (x >= place.x_begin && x + kOwn <= place.x_end) {
      TESSERA_UNROLL
      for (int i = 0; i < kOwn; i += kLanes) {
        Vec<Real, kLanes> v;
        TESSERA_UNROLL
        for (int k = 0; k < kLanes; ++k) v[k] = made[i + k];
        v.store(to + i);
      }
    } else {
      TESSERA_UNROLL
      for (int i = 0; i < kOwn; ++i) {
        if (x + i >= place.x_begin && x + i < place.x_end) to[i] = made[i];
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void keep_fixed(int p, int x, Real (&made)[kOwn]) const {
    TESSERA_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      if (f.updated(p, 0, x + i)) continue;
      made[i] = f.template exists<kR, 0>(p, 0, x + i) ? f.from[f.offset(p, 0, x + i)] : Real(0);
    }
  }
};

}  // namespace tessera::jacobi
