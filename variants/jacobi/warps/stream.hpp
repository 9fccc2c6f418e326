// SPDX-License-Identifier: Apache-2.0
// The stream of `warps`: redundant register streaming (EBISU 4.3.3) in which neighbours
// are asked and not scratch. A thread owns V cells along x in each of a few rows; x neighbours come
// from the threads beside by shuffles, y neighbours are mostly the thread's own.
//
// A plane of a step adds its terms to the sums of 2R + 1 planes of the next step: the one it
// completes, those under way, and the one it begins. So 2R sums a cell and step stay in registers,
// and the plane that a step completes is handed to the next step, at once or, between stages, a
// round later: then a round's stages do not wait for each other (software pipelining; Lam 1988).
// Two dimensions: a team is a warp and waits for nobody. Three: the warps of a team lie above each
// other, hand their first and last rows on through scratch, and wait for each other once for the
// first steps of all stages, once for the second, and so on.
//
// All tiles run the same code, those at the grid's edge too: that a cell is fixed is a bit of its
// thread's. A team at the edge that takes longer keeps all others waiting at the end.
#pragma once

#include "device/async_copy.hpp"
#include "device/scratch_pointer.hpp"
#include "device/unroll.hpp"
#include "kernels/jacobi/launcher.hpp"
#include "tile/vec.hpp"
#include "variants/jacobi/warps/sums.hpp"

namespace tessera::jacobi {

/// A tile of `Warps` warps, in which a thread owns V neighbouring cells in each of `Rows` rows.
template <int V, int Rows, int Warps>
struct WarpTile {
  static constexpr int kVector = V, kRows = Rows, kWarps = Warps;
  static constexpr int kThreads = kRowLanes * Warps;
  static constexpr int kNx = kRowLanes * V, kNy = Rows * Warps;
};

/// `Levels` steps a pass, in `Stages` stages.
template <class StencilType, class Real, class TileType, int Levels, int Stages, int MinTeams,
          class Policy>
struct WarpKernel {
  using Stencil = StencilType;
  using Tile = TileType;
  static constexpr int kThreads = TileType::kThreads, kMinTeams = MinTeams;
  static constexpr bool kDeviceTiling = false;
  static constexpr int kFixedLevels = Levels;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kV = TileType::kVector, kRows = TileType::kRows;
  static constexpr int kAround = 0;                ///< cells that are read beside the tile
  static constexpr int kLength = Levels / Stages;  ///< steps of a stage
  static constexpr int kArriving = 2;              ///< planes on their way from memory
  /// How far behind the plane that arrives is the one that a step completes.
  [[nodiscard]] static constexpr int behind(int level) {
    return level / kLength + (level + 1) * kR;
  }
  /// Planes from memory that scratch holds: a step, but the last, finds in them the fixed cells of
  /// its own plane.
  static constexpr int kSlots = kArriving + 1 + (Levels > 1 ? behind(Levels - 2) : 0);
  static_assert(Levels % Stages == 0);
  static_assert(kR <= kV && kRy <= kRows && kRows * kV <= 32);
  // In two dimensions a team is a warp: what depends on the team alone, as loops do, is then known
  // to be the same for all lanes, and shuffles need no check of who takes part.
  static_assert(StencilType::kDims == 3 || TileType::kNy == 1);

  Fields<Real> f;
  PlaneCuts cuts;
  int levels;  ///< always Levels
  NoExchange exchange;

  [[nodiscard]] static const char* label() { return Policy::label(); }
  /// All of a tile is read and nothing around it: each step is wrong R cells further in. Tiles
  /// begin with a whole vector.
  [[nodiscard]] static int lost_x(int levels) { return (levels * kR + kV - 1) / kV * kV; }
  [[nodiscard]] static int lost_y(int levels) { return levels * kRy; }
  [[nodiscard]] static std::size_t scratch_bytes(int /*levels*/) { return Storage::shmem_size(); }
  /// Scratch traffic of a stored cell, `redundant` being cells computed for each one stored: planes
  /// that arrive, and rows at the edges of a strip.
  static void count(Plan& plan, double redundant) {
    const double edges = 2.0 * kRy / kRows;
    plan.scratch_loads = redundant * (1.0 / Levels + edges);
    plan.scratch_stores = redundant * (1.0 / Levels + edges);
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Real* const scratch = scratch_pointer(Storage(scratch_of(team)).data());
    for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                   [&](const PlanePlace& place, int s_begin, int s_end) {
                     stream(team, place, s_begin, s_end, scratch);
                   });
  }

 private:
  static constexpr int kPitch = TileType::kNx;
  static constexpr int kRing = kSlots * kRows * kV * kThreads;
  /// First and last rows of every warp, for one stage and for all.
  static constexpr int kEdges = 2 * kRy * TileType::kWarps * kPitch;
  static constexpr int kAllEdges = Stages * kEdges;
  using Storage = Kokkos::View<Real[kRing + 2 * kAllEdges], ScratchSpace, Kokkos::MemoryUnmanaged>;
  using Sums = WarpSums<StencilType, Real, kV, kRows>;
  using Row = typename Sums::Row;
  static constexpr int kPiece = kV * sizeof(Real) > 16 ? 16 / static_cast<int>(sizeof(Real)) : kV;

  /// Whether a warp asks first if any of its threads has a fixed cell, or all do without a branch
  /// what those with one must: less code between steps that overlap, and more registers, which
  /// more than 8 warps have not.
  static constexpr bool kAskFirst = TileType::kWarps > 8;

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
    const int first = s_begin - Levels * kR > -kR ? s_begin - Levels * kR : -kR;
    const int last = s_end - 1 + behind(Levels - 1);  // completes the last plane stored
    const bool inside = place.x0 >= 0 && place.x0 + TileType::kNx <= f.nx && place.y0 >= 0 &&
                        place.y0 + TileType::kNy <= f.ny;
    Real* const mine = scratch + rank * kPiece;
    Own own{place.y0 + warp * kRows, place.x0 + lane * kV, warp, lane, 0, ~0U};
    if (!inside) find_edges(own, mine);
    Sums sums[Levels];
    TESSERA_UNROLL
    for (int i = 0; i < Levels; ++i) sums[i].clear();
    Row planes[Stages][kRows];  // what each stage takes
    TESSERA_UNROLL
    for (int i = 0; i < Stages * kRows * kV; ++i) (&planes[0][0][0])[i] = Real(0);
    if constexpr (kRy > 0) team.team_barrier();  // edges of a stream before this one are still read
    TESSERA_UNROLL
    for (int k = 0; k < kArriving; ++k) fetch(own, first + k, mine + k * kSlot);
    int slot = 0, next = kArriving, flip = 0;
    // A round: one plane from memory, and what every step makes of the one that it takes.
    for (int q = first; q <= last; ++q) {
      wait_for_copies<kArriving - 1>();
      take(mine + slot * kSlot, planes[0]);
      fetch(own, q + kArriving, mine + next * kSlot);
      static_for<kLength>([&](auto i) {
        Real* const edges =
            scratch + kRing + flip * kAllEdges + warp * 2 * kRy * kPitch + lane * kV;
        flip = 1 - flip;
        if constexpr (kRy > 0) {
          static_for<Stages>([&](auto stage) { put_edges(edges + stage * kEdges, planes[stage]); });
          team.team_barrier();
        }
        // From the last stage to the first: what a stage hands on has then been taken.
        static_for<Stages>([&](auto from_last) {
          constexpr int kStage = Stages - 1 - decltype(from_last)::value;
          constexpr int kLevel = kStage * kLength + decltype(i)::value;
          constexpr int kBehind = behind(kLevel);
          Row(&plane)[kRows] = planes[kStage];
          advance(own, edges + kStage * kEdges, sums[kLevel], plane);
          const int p = q - kBehind;
          if constexpr (kLevel + 1 == Levels) {
            if (p >= s_begin) store(place, own, p, plane);
          } else {
            const unsigned fixed = p < 0 || p >= f.ns ? ~0U : own.fixed;
            if (!kAskFirst || fixed != 0) {
              const int past = slot - kBehind;
              put_fixed(fixed, mine + (past < 0 ? past + kSlots : past) * kSlot, plane);
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

  static constexpr int kSlot = kRows * kV * kThreads;

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

  KOKKOS_FORCEINLINE_FUNCTION static void take(const Real* from, Row (&plane)[kRows]) {
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int k = 0; k < kV; k += kPiece) {
        const auto piece = Vec<Real, kPiece>::load(from + (r * kV + k) * kThreads);
        TESSERA_UNROLL
        for (int i = 0; i < kPiece; ++i) plane[r][k + i] = piece[i];
      }
    }
  }

  /// Leaves the warp's first and last rows where the warps above and below find them.
  KOKKOS_FORCEINLINE_FUNCTION static void put_edges(Real* here, const Row (&plane)[kRows]) {
    TESSERA_UNROLL
    for (int r = 0; r < kRy; ++r) {
      put(here + r * kPitch, plane[r]);
      put(here + (kRy + r) * kPitch, plane[kRows - kRy + r]);
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
      const Real* const below = here + (own.warp == TileType::kWarps - 1 ? 0 : 2 * kRy) * kPitch;
      TESSERA_UNROLL
      for (int r = 0; r < kRy; ++r) {
        get(above + r * kPitch, before[r]);
        get(below + r * kPitch, after[r]);
      }
    }
    sums.advance(before, after, plane);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void put(Real* to, const Row& row) {
    TESSERA_UNROLL
    for (int k = 0; k < kV; k += kPiece) {
      Vec<Real, kPiece> piece;
      TESSERA_UNROLL
      for (int i = 0; i < kPiece; ++i) piece[i] = row[k + i];
      piece.store(to + k);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void get(const Real* from, Row& row) {
    TESSERA_UNROLL
    for (int k = 0; k < kV; k += kPiece) {
      const auto piece = Vec<Real, kPiece>::load(from + k);
      TESSERA_UNROLL
      for (int i = 0; i < kPiece; ++i) row[k + i] = piece[i];
    }
  }

  /// Fixed cells keep their values: those that `arrived` from memory.
  KOKKOS_FORCEINLINE_FUNCTION static void put_fixed(unsigned fixed, const Real* arrived,
                                                    Row (&plane)[kRows]) {
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int k = 0; k < kV; ++k) {
        if ((fixed >> (r * kV + k) & 1U) != 0) {
          plane[r][k] = arrived[(r * kV + k / kPiece * kPiece) * kThreads + k % kPiece];
        }
      }
    }
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
          put(to, plane[r]);
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
