// SPDX-License-Identifier: Apache-2.0
// The stream of `ebisu` on devices: redundant register streaming (EBISU 4.3.3) in which neighbours
// are asked and not scratch. A thread owns V cells along x in each of a few rows; x neighbours come
// from the threads beside by shuffles, y neighbours are mostly the thread's own.
//
// A plane of a step adds its terms to the sums of 2R + 1 planes of the next step: the one it
// completes, those under way, and the one it begins. So 2R sums a cell and step stay in registers,
// and the plane that a step completes is handed to the next step at once. Two dimensions: a team
// is a warp and waits for nobody. Three: the warps of a team lie above each other, hand their first
// and last rows on through scratch, and wait for each other once a step.
#pragma once

#include "stencils/jacobi_launcher.hpp"
#include "tile/async_copy.hpp"
#include "tile/lanes.hpp"
#include "tile/scratch_pointer.hpp"
#include "tile/unroll.hpp"
#include "tile/vec.hpp"

#include <type_traits>

namespace tessera::jacobi {

/// A tile of `Warps` warps, in which a thread owns V neighbouring cells in each of `Rows` rows.
template <int V, int Rows, int Warps>
struct WarpTile {
  static constexpr int kVector = V, kRows = Rows, kWarps = Warps;
  static constexpr int kThreads = kRowLanes * Warps;
  static constexpr int kNx = kRowLanes * V, kNy = Rows * Warps;
};

template <class StencilType, class Real, class TileType, int Levels, int MinTeams, class Policy>
struct WarpKernel {
  using Stencil = StencilType;
  using Tile = TileType;
  static constexpr int kThreads = TileType::kThreads, kMinTeams = MinTeams;
  static constexpr bool kDeviceTiling = false;
  static constexpr int kFixedLevels = Levels;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kV = TileType::kVector, kRows = TileType::kRows;
  static constexpr int kAround = 0;     ///< cells that are read beside the tile
  static constexpr int kOpen = 2 * kR;  ///< sums under way
  static constexpr int kArriving = 2;   ///< planes on their way from memory
  /// Planes from memory that scratch holds: a step finds in them the fixed cells of its own plane.
  static constexpr int kSlots = kArriving + 1 + Levels * kR;
  static_assert(kR <= kV && kRy <= kRows);
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
    const int rank = team.team_rank();
    for (int i = rank; i < 2 * kEdges; i += kThreads) scratch[kRing + i] = Real(0);
    if constexpr (kRy > 0) team.team_barrier();
    for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                   [&](const PlanePlace& place, int s_begin, int s_end) {
                     stream(team, place, s_begin, s_end, scratch);
                   });
  }

 private:
  static constexpr int kPitch = TileType::kNx;
  static constexpr int kRing = kSlots * kRows * kV * kThreads;
  /// First and last rows of every warp, and rows of zeros before the first warp and behind the
  /// last.
  static constexpr int kEdges = 2 * kRy * (TileType::kWarps + 2) * kPitch;
  using Storage = Kokkos::View<Real[kRing + 2 * kEdges], ScratchSpace, Kokkos::MemoryUnmanaged>;
  using Row = Real[kV];
  static constexpr int kPiece = kV * sizeof(Real) > 16 ? 16 / static_cast<int>(sizeof(Real)) : kV;

  struct Sums {
    Real of[kOpen][kRows][kV];
  };

  /// The thread's place: its first row and column in the grid, its warp in the team.
  struct Own {
    int y, x, warp, lane;
  };

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* scratch) const {
    const int rank = team.team_rank();
    const int warp = rank / kRowLanes, lane = rank % kRowLanes;
    const Own own{place.y0 + warp * kRows, place.x0 + lane * kV, warp, lane};
    const int first = s_begin - Levels * kR > -kR ? s_begin - Levels * kR : -kR;
    const int last = s_end - 1 + Levels * kR;  // the plane that completes the last one stored
    // A tile within the grid: no fixed cells in it.
    const bool inside = place.x0 >= 0 && place.x0 + TileType::kNx <= f.nx && place.y0 >= 0 &&
                        place.y0 + TileType::kNy <= f.ny;
    Sums sums[Levels];
    TESSERA_UNROLL
    for (int i = 0; i < Levels * kOpen * kRows * kV; ++i) (&sums[0].of[0][0][0])[i] = Real(0);
    Real* const mine = scratch + rank * kPiece;
    if constexpr (kRy > 0) team.team_barrier();  // edges of a stream before this one are still read
    TESSERA_UNROLL
    for (int k = 0; k < kArriving; ++k) fetch(own, inside, first + k, mine + k * kSlot);
    int slot = 0, next = kArriving, flip = 0;
    // One plane from memory, and what every step makes of it; some cells of it may be fixed.
    const auto round = [&](int q, auto may_be_fixed) {
      constexpr bool kFixed = decltype(may_be_fixed)::value;
      Row plane[kRows];
      wait_for_copies<kArriving - 1>();
      take(mine + slot * kSlot, plane);
      fetch(own, !kFixed || inside, q + kArriving, mine + next * kSlot);
      static_for<Levels>([&](auto level) {
        Real* const edges = scratch + kRing + flip * kEdges;
        flip = 1 - flip;
        advance(team, own, edges, sums[level], plane);
        const int p = q - (level + 1) * kR;
        if constexpr (level + 1 == Levels) {
          if (p >= s_begin) store(place, own, p, plane);
        } else if constexpr (kFixed) {
          const int past = slot - (level + 1) * kR;
          if (kRy == 0 || !inside || p < 0 || p >= f.ns) {
            put_fixed(own, p, mine + (past < 0 ? past + kSlots : past) * kSlot, plane);
          }
        }
      });
      slot = slot == kSlots - 1 ? 0 : slot + 1;
      next = next == kSlots - 1 ? 0 : next + 1;
    };
    for (int q = first; q <= last; ++q) {
      // Without fixed cells a round is straight code, in which steps overlap. Across barriers they
      // would not, and two bodies take more registers than one.
      if constexpr (kRy == 0) {
        if (inside && q >= (Levels - 1) * kR && q < f.ns + kR) {
          round(q, std::false_type{});
          continue;
        }
      }
      round(q, std::true_type{});
    }
    wait_for_copies<0>();
  }

  static constexpr int kSlot = kRows * kV * kThreads;

  /// Starts to copy the thread's cells of a plane; `whole`: all of them exist.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const Own& own, bool whole, int p, Real* to) const {
    if (p < f.ns + kR) {
      const Real* from = f.from + f.offset(p, own.y, own.x);
      TESSERA_UNROLL
      for (int r = 0; r < kRows; ++r) {
        TESSERA_UNROLL
        for (int k = 0; k < kV; k += kPiece) {
          Real* const at = to + (r * kV + k) * kThreads;
          const auto exists = [&](int i) {
            return f.template exists<kR, kRy>(p, own.y + r, own.x + k + i);
          };
          if (whole || (exists(0) && exists(kPiece - 1))) {
            copy_async<kPiece>(at, from + k);
          } else {
            TESSERA_UNROLL
            for (int i = 0; i < kPiece; ++i) {
              if (exists(i)) {
                copy_async<1>(at + i, from + k + i);
              } else {
                at[i] = Real(0);
              }
            }
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

  /// One step: adds the terms of `plane` to the sums, and leaves in it the plane that they
  /// complete.
  KOKKOS_FORCEINLINE_FUNCTION static void advance(const NativeTeam& team, const Own& own,
                                                  Real* edges, Sums& sums, Row (&plane)[kRows]) {
    Row before[kRy + 1], after[kRy + 1];  // rows of the warps above and below
    if constexpr (kRy > 0) {
      Real* const here = edges + (own.warp + 1) * 2 * kRy * kPitch + own.lane * kV;
      TESSERA_UNROLL
      for (int r = 0; r < kRy; ++r) {
        put(here + r * kPitch, plane[r]);
        put(here + (kRy + r) * kPitch, plane[kRows - kRy + r]);
      }
      team.team_barrier();
      TESSERA_UNROLL
      for (int r = 0; r < kRy; ++r) {
        get(here + (r - kRy) * kPitch, before[r]);
        get(here + (2 * kRy + r) * kPitch, after[r]);
      }
    }
    Row fresh[kRows];
    Row made[kRows];
    TESSERA_UNROLL
    for (int r = -kRy; r < kRows + kRy; ++r) {
      const Row& row = r < 0 ? before[r + kRy] : r < kRows ? plane[r] : after[r - kRows];
      add_row(row, r, sums, fresh);
      const int i = r - kRy;  // the row of cells whose last one this was
      if (i < 0) continue;
      TESSERA_UNROLL
      for (int k = 0; k < kV; ++k) {
        made[i][k] = sums.of[0][i][k];
        TESSERA_UNROLL
        for (int m = 0; m + 1 < kOpen; ++m) sums.of[m][i][k] = sums.of[m + 1][i][k];
        sums.of[kOpen - 1][i][k] = fresh[i][k];
      }
    }
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int k = 0; k < kV; ++k) plane[r][k] = made[r][k];
    }
  }

  /// Whether a point of the stencil lies at (any s, y, any x but 0).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool needs_sides(int r) {
    for (int y = -kRy; y <= kRy; ++y) {
      if (r - y < 0 || r - y >= kRows) continue;
      for (int s = -kR; s <= kR; ++s) {
        for (int x = 1; x <= kR; ++x) {
          if (StencilType::has(s, y, x) || StencilType::has(s, y, -x)) return true;
        }
      }
    }
    return false;
  }

  /// Adds what row r of the strip gives to the sums of its cells. of[m] is the sum of the plane m
  /// behind the one that is completed; `fresh` begins one.
  KOKKOS_FORCEINLINE_FUNCTION static void add_row(const Row& row, int r, Sums& sums,
                                                  Row (&fresh)[kRows]) {
    constexpr Point kFirst = StencilType::points()[0];
    Real value[kV + 2 * kR];
    TESSERA_UNROLL
    for (int k = 0; k < kV; ++k) value[kR + k] = row[k];
    if (needs_sides(r)) {
      TESSERA_UNROLL
      for (int k = 0; k < kR; ++k) {
        value[k] = lane_before(row[kV - kR + k]);
        value[kR + kV + k] = lane_after(row[k]);
      }
    }
    TESSERA_UNROLL
    for (int y = -kRy; y <= kRy; ++y) {
      const int i = r - y;
      if (i < 0 || i >= kRows) continue;
      TESSERA_UNROLL
      for (int s = kR; s >= -kR; --s) {
        TESSERA_UNROLL
        for (int x = -kR; x <= kR; ++x) {
          if (!StencilType::has(s, y, x)) continue;
          const Real weight = weight_at<StencilType, Real>(s, y, x);
          const bool first = s == -kR && y == kFirst.y && x == kFirst.x;
          TESSERA_UNROLL
          for (int k = 0; k < kV; ++k) {
            Real& sum = s == -kR ? fresh[i][k] : sums.of[kR - s][i][k];
            const Real u = value[kR + k + x];
            sum = first ? weight * u : multiply_add(weight, u, sum);
          }
        }
      }
    }
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
  KOKKOS_FORCEINLINE_FUNCTION void put_fixed(const Own& own, int p, const Real* arrived,
                                             Row (&plane)[kRows]) const {
    const bool all = p < 0 || p >= f.ns;
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int k = 0; k < kV; ++k) {
        const int y = own.y + r, x = own.x + k;
        if (all || y < 0 || y >= f.ny || x < 0 || x >= f.nx) {
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
