// SPDX-License-Identifier: Apache-2.0
// The warp-streaming kernel: redundant register streaming (EBISU 4.3.3) in which a thread gets its
// x neighbours by shuffles and not from scratch. It owns V cells along x in each of a few rows; its
// y neighbours are mostly its own.
//
//   for each tile of this team
//     for q in planes                       # a round; plane q has arrived, two are under way
//       planes[0] = plane q
//       for i in steps of a stage
//         3D: hand first and last rows to the warps above and below, wait for the team
//         for stage in last ... first       # what a stage hands on has been taken
//           add planes[stage] to the 2R + 1 sums of its step; it becomes the complete plane
//           fixed cells keep their values   # the last step stores it
//           at a stage's end: planes[stage + 1] = planes[stage]         # for the next round
//
// 2R sums a cell and time step stay in registers. Stages do not wait for each other within a round
// (software pipelining; Lam 1988): one wait for the first steps of all stages, one for the second,
// and so on. In two dimensions a team is a warp and waits for none.
//
// All tiles run the same code, those at the grid's edge too: that a cell is fixed is a bit of its
// thread's. A team at the edge that takes longer keeps all others waiting at the end.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/device/static_for.hpp"
#include "base/device/unroll.hpp"
#include "variants/jacobi/kernels/launcher.hpp"
#include "variants/jacobi/warps/partial_sums.hpp"
#include "variants/jacobi/warps/tile.hpp"
#include "variants/jacobi/warps/transfers.hpp"

#include <cstddef>

namespace tessera::jacobi {

template <class Label, class StencilType, class Real, WarpStrips kStrips>
struct WarpStreamingKernel {
  using Stencil = StencilType;
  using Tile = WarpTile<kStrips>;
  using Exchanged = NoExchange;
  static constexpr const char* kLabel = Label::kLabel;
  static constexpr int kThreads = Tile::kThreads,
                       kMinTeams = kStrips.min_teams(Stencil::kR, Stencil::kPoints);
  static constexpr bool kDeviceTiling = false;
  static constexpr int kSteps = kStrips.steps, kStages = kStrips.stages, kFixedSteps = kSteps;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kV = Tile::kVector, kRows = Tile::kRows;
  static constexpr int kHalo = 0;  ///< all of a tile is read, and nothing beside it
  static constexpr int kLength = kSteps / kStages;  ///< time steps of a stage
  static constexpr int kPrefetched = 2;             ///< planes on their way from memory
  /// How far behind the plane that arrives is the one that a step, counted from 0, completes.
  [[nodiscard]] static constexpr int behind(int step) { return step / kLength + (step + 1) * kR; }
  /// Planes from memory that scratch holds: a step, but the last, finds in them the fixed cells of
  /// its own plane.
  static constexpr int kSlots = kPrefetched + 1 + (kSteps > 1 ? behind(kSteps - 2) : 0);
  static_assert(kSteps % kStages == 0);
  static_assert(kR <= kV && kRy <= kRows && kRows * kV <= 32);
  // In two dimensions a team is a warp: what depends on the team alone, as loops do, is then known
  // to be the same for all lanes, and shuffles need no check of who takes part.
  static_assert(StencilType::kDims == 3 || Tile::kNy == 1);

  Fields<Real> f;
  PlaneCuts cuts;
  int steps;  ///< always kSteps
  NoExchange exchange;

  /// Nothing beside a tile is read: each step is wrong R cells further in. Tiles begin with a whole
  /// vector.
  [[nodiscard]] static int lost_x(int steps) { return (steps * kR + kV - 1) / kV * kV; }
  [[nodiscard]] static int lost_y(int steps) { return steps * kRy; }
  [[nodiscard]] static std::size_t scratch_bytes(int /*steps*/, MachineKind = kThisKind) {
    return Storage::shmem_size();
  }
  /// Planes that arrive, and rows at the edges of a strip.
  static void count(Plan& plan, double redundant, MachineKind) {
    const double edges = 2.0 * kRy / kRows;
    plan.scratch_loads = redundant * (1.0 / kSteps + edges);
    plan.scratch_stores = redundant * (1.0 / kSteps + edges);
  }
  /// A warp's own rows in two dimensions; rows of its neighbours in three.
  static void waits(Walk& walk, int /*steps*/) {
    walk.trips = 0;
    walk.barriers = Stencil::kDims == 3 ? 1 : 0;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Real* const scratch = scratch_pointer(Storage(scratch_of(team)).data());
    for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                   [&](const PlanePlace& place, int s_begin, int s_end) {
                     stream(team, place, s_begin, s_end, scratch);
                   });
  }

 private:
  static constexpr int kPitch = Tile::kNx;
  static constexpr int kSlot = kRows * kV * kThreads;  ///< a plane of the ring
  static constexpr int kRing = kSlots * kSlot;
  /// First and last rows of every warp, for one stage and for all.
  static constexpr int kEdges = 2 * kRy * Tile::kWarps * kPitch;
  static constexpr int kAllEdges = kStages * kEdges;
  using Storage = Kokkos::View<Real[kRing + 2 * kAllEdges], ScratchSpace, Kokkos::MemoryUnmanaged>;
  using Sums = PartialSums<StencilType, Real, Tile>;
  using Row = typename Sums::Row;
  using Moves = Transfers<Real, Tile>;
  static constexpr int kPiece = Moves::kPiece;

  /// Whether a warp branches on any of its threads having a fixed cell, or all do without a branch
  /// what those with one must: less code between steps that overlap, and more registers, which
  /// more than 8 warps have not.
  static constexpr bool kBranchOnFixed = Tile::kWarps > 8;

  /// The thread's place: its first row and column in the grid, its warp in the team; a bit for each
  /// of its cells that is fixed, and one for each piece that memory has.
  struct Own {
    int y, x, warp, lane;
    unsigned fixed, present;
  };

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* scratch) const {
    const int rank = team.team_rank();
    const int warp = rank / kRowLanes, lane = rank % kRowLanes;
    const int first = s_begin - kSteps * kR > -kR ? s_begin - kSteps * kR : -kR;
    const int last = s_end - 1 + behind(kSteps - 1);  // completes the last plane stored
    const bool inside = place.x0 >= 0 && place.x0 + Tile::kNx <= f.nx && place.y0 >= 0 &&
                        place.y0 + Tile::kNy <= f.ny;
    Real* const mine = scratch + rank * kPiece;
    Own own{place.y0 + warp * kRows, place.x0 + lane * kV, warp, lane, 0, ~0U};
    if (!inside) find_edges(own, mine);
    Sums sums[kSteps];
    TESSERA_UNROLL
    for (int i = 0; i < kSteps; ++i) sums[i].clear();
    Row planes[kStages][kRows];  // what each stage takes
    TESSERA_UNROLL
    for (int i = 0; i < kStages * kRows * kV; ++i) (&planes[0][0][0])[i] = Real(0);
    if constexpr (kRy > 0) team.team_barrier();  // edges of a stream before this one are still read
    TESSERA_UNROLL
    for (int k = 0; k < kPrefetched; ++k) fetch(own, first + k, mine + k * kSlot);
    int slot = 0, next = kPrefetched, flip = 0;
    // A round: one plane from memory, and what every step makes of the one that it takes.
    for (int q = first; q <= last; ++q) {
      wait_for_copies<kPrefetched - 1>();
      Moves::take(mine + slot * kSlot, planes[0]);
      fetch(own, q + kPrefetched, mine + next * kSlot);
      static_for<kLength>([&](auto i) {
        Real* const edges =
            scratch + kRing + flip * kAllEdges + warp * 2 * kRy * kPitch + lane * kV;
        flip = 1 - flip;
        if constexpr (kRy > 0) {
          static_for<kStages>(
              [&](auto stage) { put_edges(edges + stage * kEdges, planes[stage]); });
          team.team_barrier();
        }
        // From the last stage to the first: what a stage hands on has then been taken.
        static_for<kStages>([&](auto from_last) {
          constexpr int kStage = kStages - 1 - decltype(from_last)::value;
          constexpr int kStep = kStage * kLength + decltype(i)::value;
          constexpr int kBehind = behind(kStep);
          Row(&plane)[kRows] = planes[kStage];
          advance(own, edges + kStage * kEdges, sums[kStep], plane);
          const int p = q - kBehind;
          if constexpr (kStep + 1 == kSteps) {
            if (p >= s_begin) store(place, own, p, plane);
          } else {
            const unsigned fixed = p < 0 || p >= f.ns ? ~0U : own.fixed;
            if (!kBranchOnFixed || fixed != 0) {
              const int past = slot - kBehind;
              Moves::put_fixed(fixed, mine + (past < 0 ? past + kSlots : past) * kSlot, plane);
            }
            if constexpr (decltype(i)::value + 1 == kLength) Sums::copy(plane, planes[kStage + 1]);
          }
        });
      });
      slot = slot == kSlots - 1 ? 0 : slot + 1;
      next = next == kSlots - 1 ? 0 : next + 1;
    }
    wait_for_copies<0>();
  }

  /// Sets what `own` says of a tile's edges, and to 0 what never arrives. What lies beyond the
  /// fixed cells is never read by an updated one, and keeps no value.
  KOKKOS_FORCEINLINE_FUNCTION void find_edges(Own& own, Real* mine) const {
    own.present = 0;
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const int y = own.y + r;
      TESSERA_UNROLL
      for (int k = 0; k < kV; k += kPiece) {
        const int x = own.x + k;
        // One that is there in part is copied as a whole: rows are padded to whole lines.
        const bool present = y >= -kRy && y < f.ny + kRy && x + kPiece > -kR && x < f.nx + kR;
        if (present) {
          own.present |= 1U << (r * kV + k);
        } else {
          for (int slot = 0; slot < kSlots; ++slot) {
            TESSERA_UNROLL
            for (int i = 0; i < kPiece; ++i) {
              mine[slot * kSlot + (r * kV + k) * kThreads + i] = Real(0);
            }
          }
        }
        TESSERA_UNROLL
        for (int i = 0; i < kPiece; ++i) {
          const bool updated = y >= 0 && y < f.ny && x + i >= 0 && x + i < f.nx;
          if (present && !updated) own.fixed |= 1U << (r * kV + k + i);
        }
      }
    }
  }

  /// Starts to copy the thread's cells of a plane.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const Own& own, int p, Real* to) const {
    if (p < f.ns + kR) {
      const Real* from = f.from + f.offset(p, own.y, own.x);
      TESSERA_UNROLL
      for (int r = 0; r < kRows; ++r) {
        TESSERA_UNROLL
        for (int k = 0; k < kV; k += kPiece) {
          if ((own.present >> (r * kV + k) & 1U) != 0) {
            copy_async<kPiece>(to + (r * kV + k) * kThreads, from + k);
          }
        }
        from += f.row;
      }
    }
    commit_copies();
  }

  /// Leaves the warp's first and last rows where the warps above and below find them.
  KOKKOS_FORCEINLINE_FUNCTION static void put_edges(Real* here, const Row (&plane)[kRows]) {
    TESSERA_UNROLL
    for (int r = 0; r < kRy; ++r) {
      Moves::put(here + r * kPitch, plane[r]);
      Moves::put(here + (kRy + r) * kPitch, plane[kRows - kRy + r]);
    }
  }

  /// One step: adds the terms of `plane` to the sums, and leaves in it the plane that they
  /// complete.
  KOKKOS_FORCEINLINE_FUNCTION static void advance(const Own& own, const Real* here, Sums& sums,
                                                  Row (&plane)[kRows]) {
    Row before[kRy + 1], after[kRy + 1];  // rows of the warps above and below
    if constexpr (kRy > 0) {
      // At the tile's ends the warp's own: cells that are lost there anyway.
      const Real* const above = here + (own.warp == 0 ? 0 : -kRy) * kPitch;
      const Real* const below = here + (own.warp == Tile::kWarps - 1 ? 0 : 2 * kRy) * kPitch;
      TESSERA_UNROLL
      for (int r = 0; r < kRy; ++r) {
        Moves::get(above + r * kPitch, before[r]);
        Moves::get(below + r * kPitch, after[r]);
      }
    }
    sums.advance(before, after, plane);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const PlanePlace& place, const Own& own, int p,
                                         const Row (&plane)[kRows]) const {
    if (own.x < place.x_begin || own.x >= place.x_end) return;
    Real* to = f.to + f.offset(p, own.y, own.x);
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const int y = own.y + r;
      if (y >= place.y_begin && y < place.y_end) {
        if (own.x + kV <= place.x_end) {
          Moves::put(to, plane[r]);
        } else {
          TESSERA_UNROLL
          for (int k = 0; k < kV; ++k) {
            if (own.x + k < place.x_end) to[k] = plane[r][k];
          }
        }
      }
      to += f.row;
    }
  }
};

}  // namespace tessera::jacobi
