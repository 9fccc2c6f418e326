// SPDX-License-Identifier: Apache-2.0
// The stream of redundant register streaming (EBISU 4.3.3): what a thread's own cells need of the
// planes behind lies in its registers, what other threads need in scratch, and each plane is read
// from scratch once.
//
// A plane of a step adds its terms to the sums of 2R + 1 planes of the next step: the one it
// completes, those under way, and the one it begins. So 2R sums a cell stay in registers from round
// to round, and scratch holds two planes a step: the one that is read, and the one that is being
// made. All steps of a round are independent of each other: one barrier a round (lazy streaming).
#pragma once

#include "device/async_copy.hpp"
#include "device/scratch_pointer.hpp"
#include "device/unroll.hpp"
#include "kernels/jacobi/launcher.hpp"
#include "tile/register_window.hpp"

namespace tessera::jacobi {

/// A tile of Nx x Ny cells in which a thread owns `Own` cells: neighbours along y; in a row (Ny =
/// 1) cells as far apart as there are threads, so that a warp's accesses stay together.
template <int Nx, int Ny, int Own>
struct StripTile {
  static constexpr int kNx = Nx, kNy = Ny;
  static constexpr int kThreads = kOnDevice ? Nx * Ny / Own : 1;
  static constexpr int kOwn = kOnDevice ? Own : 1;
  static_assert(Nx * Ny % Own == 0 && (Ny == 1 || Ny % Own == 0));

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int y_of(int rank, int i) {
    return Ny == 1 ? 0 : rank / Nx * kOwn + i;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int x_of(int rank, int i) {
    return Ny == 1 ? rank + i * kThreads : rank % Nx;
  }
};

template <class StencilType, class Real, class TileType, int Levels, class Policy>
struct ColumnKernel {
  using Stencil = StencilType;
  using Tile = TileType;
  static constexpr int kThreads = TileType::kThreads, kMinTeams = 1;
  static constexpr bool kDeviceTiling = Policy::kDeviceTiling;
  static constexpr int kFixedLevels = Levels;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kAround = kR;  ///< cells that are read beside the tile
  static constexpr int kOwn = TileType::kOwn;
  static constexpr int kPitch = TileType::kNx + 2 * kR;
  static constexpr int kPlane = kPitch * (TileType::kNy + 2 * kRy);
  static constexpr int kOpen = 2 * kR;          ///< sums under way a cell
  static constexpr int kArriving = 2;           ///< planes on their way from memory
  static constexpr int kSlots = kArriving + 1;  ///< and one that is read
  static constexpr int kPlanes = kSlots + 2 * (Levels - 1);

  using Exchanged = std::conditional_t<kDeviceTiling, Exchange<Real>, NoExchange>;

  Fields<Real> f;
  PlaneCuts cuts;
  int levels;  ///< always Levels
  Exchanged exchange;

  [[nodiscard]] static const char* label() { return Policy::label(); }
  [[nodiscard]] static int lost_x(int levels) { return (levels - 1) * kR; }
  [[nodiscard]] static int lost_y(int levels) { return (levels - 1) * kRy; }
  [[nodiscard]] static std::size_t scratch_bytes(int /*levels*/) {
    return Planes::shmem_size() + (kOnDevice ? 0 : Sums::shmem_size());
  }
  /// Scratch traffic of a stored cell, `redundant` being cells computed for each one stored: each
  /// column of points is read once, those of a strip's neighbouring rows serve several cells.
  static void count(Plan& plan, double redundant) {
    double rows[2 * kR + 1] = {};
    for (int y = -kRy; y <= kRy; ++y) {
      for (int x = -kR; x <= kR; ++x) {
        bool any = false;
        for (int s = -kR; s <= kR; ++s) any = any || StencilType::has(s, y, x);
        rows[y + kRy] += any ? 1 : 0;
      }
    }
    double loads = rows[kRy];  // the row of the cell itself
    for (int y = 1; y <= kRy; ++y) {
      loads += StencilType::kStar ? (rows[kRy - y] + rows[kRy + y]) / TileType::kOwn
                                  : (rows[kRy - y] + rows[kRy + y]) / 2 * 2 / TileType::kOwn;
    }
    plan.scratch_loads = redundant * loads;
    plan.scratch_stores = redundant;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Real* const planes = scratch_pointer(Planes(scratch_of(team)).data());
    Real* host_sums = nullptr;
    if constexpr (!kOnDevice) host_sums = Sums(scratch_of(team)).data();
    const int stride = kOnDevice ? kThreads : 1;
    for (int i = kOnDevice ? team.team_rank() : 0; i < kPlanes * kPlane; i += stride) {
      planes[i] = Real(0);
    }
    Real* const cells = planes + kRy * kPitch + kR;
    unsigned passed = 0;
    if constexpr (kDeviceTiling) {
      for (int i = 0; i < exchange.cuts.count(); ++i) {
        stream(team, exchange.template place<TileType>(i, team.league_rank()), 0, f.ns, cells,
               host_sums, passed);
      }
    } else {
      for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                     [&](const PlanePlace& place, int s_begin, int s_end) {
                       stream(team, place, s_begin, s_end, cells, host_sums, passed);
                     });
    }
  }

 private:
  using Planes = Kokkos::View<Real[kPlanes * kPlane], ScratchSpace, Kokkos::MemoryUnmanaged>;
  /// Host: the sums of all cells, which stay in L1 or L2.
  using Sums = Kokkos::View<Real[Levels * kOpen * TileType::kNx * TileType::kNy], ScratchSpace,
                            Kokkos::MemoryUnmanaged>;

  /// Device: the sums of the thread's own cells, in registers. On a host there are none.
  struct OwnSums {
    Real of[Levels][kOpen][kOwn];
  };

  /// A plane in scratch around a cell.
  struct Around {
    const Real* cell;
    template <class Y, class X>
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(Y y, X x) const {
      return cell[static_cast<int>(y) * kPitch + static_cast<int>(x)];
    }
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real* made_plane(Real* cells, int level,
                                                                    int parity) {
    return cells + (kSlots + 2 * (level - 1) + parity) * kPlane;
  }

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* cells, Real* host_sums,
                                          unsigned& passed) const {
    const int first = s_begin - Levels * kR > -kR ? s_begin - Levels * kR : -kR;
    const int rounds = s_end - first + (Levels - 1) * (kR + 1) + kR;
    OwnSums sums;
    if constexpr (kOnDevice) {
      TESSERA_UNROLL
      for (int i = 0; i < Levels * kOpen * kOwn; ++i) (&sums.of[0][0][0])[i] = Real(0);
    }
    // A tile within the grid: no fixed cells in it, and all around it exists.
    const bool inside = place.x0 >= 0 && place.x0 + TileType::kNx <= f.nx && place.y0 >= 0 &&
                        place.y0 + TileType::kNy <= f.ny;
    team.team_barrier();  // a stream before this one may still be reading
    TESSERA_UNROLL
    for (int k = 0; k < kArriving; ++k) fetch(team, place, inside, first + k, cells + k * kPlane);
    int slot = 0;
    for (int begin = 0; begin < rounds; begin += kOpen) {
      for_each_phase<kOpen>([&](auto phase) {
        const int round = begin + phase;
        if (round >= rounds) return false;
        // 1. The plane that step 1 reads has arrived, for all; the one that it left makes room.
        wait_for_copies<kArriving - 1>();
        team.team_barrier();
        fetch(team, place, inside, first + round + kArriving,
              cells + (slot == 0 ? kSlots - 1 : slot - 1) * kPlane);
        // 2. Every step reads what the step before made in the round before.
        static_for<Levels>([&](auto i) {
          constexpr int kLevel = Levels - i;
          const Real* const from =
              kLevel == 1 ? cells + slot * kPlane : made_plane(cells, kLevel - 1, 1 - (phase & 1));
          const int p = first + round - (kLevel - 1) * (kR + 1) - kR;
          if constexpr (kOnDevice) {
            advance(team, place, inside, p >= s_begin, kLevel, phase, p, round, from, cells, sums);
          } else {
            advance_rows(place, p >= s_begin, kLevel, phase, p, round, from, cells, host_sums);
          }
        });
        // 3. What the neighbours have made.
        if constexpr (kDeviceTiling) {
          exchange.barrier.arrive_and_wait(team, passed);
          for (int level = 1; level < Levels; ++level) {
            collect(team, place, level, first + round - (level - 1) * (kR + 1) - kR, round,
                    made_plane(cells, level, phase & 1));
          }
        }
        slot = slot == kSlots - 1 ? 0 : slot + 1;
        return true;
      });
    }
    wait_for_copies<0>();
  }

  /// Starts to copy a plane with what lies around the tile; `whole`: all of it exists.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const NativeTeam& team, const PlanePlace& place,
                                         bool whole, int p, Real* slot) const {
    if (p < f.ns + kR) {
      const Real* const from = f.from + f.offset(p, place.y0, place.x0);
      const auto fetch_cell = [&](int y, int x) {
        if (whole || f.template exists<kR, kRy>(p, place.y0 + y, place.x0 + x)) {
          copy_async<1>(slot + y * kPitch + x, from + y * f.row + x);
        }
      };
      if constexpr (kOnDevice) {
        const int y = TileType::y_of(team.team_rank(), 0);
        const int x = TileType::x_of(team.team_rank(), 0);
        if (whole) {
          const Real* source = from + y * f.row + x;
          Real* target = slot + y * kPitch + x;
          TESSERA_UNROLL
          for (int i = 0; i < kOwn; ++i) {
            copy_async<1>(target, source);
            source += TileType::kNy == 1 ? kThreads : f.row;
            target += TileType::kNy == 1 ? kThreads : kPitch;
          }
        } else {
          for (int i = 0; i < kOwn; ++i) {
            fetch_cell(TileType::y_of(team.team_rank(), i), TileType::x_of(team.team_rank(), i));
          }
        }
        for_each_cell_around<TileType, kR, kRy>(team, fetch_cell);
      } else {
        for (int y = -kRy; y < TileType::kNy + kRy; ++y) {
          for (int x = -kR; x < TileType::kNx + kR; ++x) fetch_cell(y, x);
        }
      }
    }
    commit_copies();
  }

  /// Adds a plane's terms to a cell's sums, and returns the one that is complete. `sum(m)`, m <
  /// 2R, is the sum of the plane m behind the one that is completed; sum(0) then begins a new one.
  template <class Sum>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real add(const Around& around, const Sum& sum) {
    Real complete = sum(0);
    add_plane<StencilType, kR>(complete, around);
    static_for<kOpen - 1>([&](auto m) {
      Real& open = sum(m + 1);
      add_plane<StencilType, kR - 1 - m>(open, around);
    });
    Real fresh = Real(0);
    add_plane<StencilType, -kR>(fresh, around);
    sum(0) = fresh;
    return complete;
  }

  /// Device: plane p of step `level`, from the plane R above it and the sums. A thread walks along
  /// its strip and loads each value of the plane once. `own_plane`: the stream is to store it;
  /// before are planes whose sums it has not seen from the beginning.
  KOKKOS_FORCEINLINE_FUNCTION void advance(const NativeTeam& team, const PlanePlace& place,
                                           bool inside, bool own_plane, int level, int phase, int p,
                                           int round, const Real* from, Real* cells,
                                           OwnSums& sums) const {
    constexpr int kNextRow = TileType::kNy == 1 ? kThreads : kPitch;
    const int y0 = TileType::y_of(team.team_rank(), 0);
    const int x0 = TileType::x_of(team.team_rank(), 0);
    const int here = y0 * kPitch + x0;
    const bool plane_updated = p >= 0 && p < f.ns;
    const bool stores = level == Levels;
    Real* const made = stores ? f.to + f.offset(p, place.y0 + y0, place.x0 + x0)
                              : made_plane(cells, level, phase & 1) + here;
    Real fresh[kOwn];
    TESSERA_UNROLL
    for (int r = -kRy; r < kOwn + kRy; ++r) {
      add_row(from + here + r * kNextRow, r, phase, sums.of[level - 1], fresh);
      const int i = r - kRy;  // the cell whose last row this was
      if (i < 0) continue;
      Real& sum = sums.of[level - 1][phase % kOpen][i];
      if (!stores) {
        made[i * kNextRow] = sum;
      } else if (own_plane && stored(place, TileType::y_of(team.team_rank(), i),
                                     TileType::x_of(team.team_rank(), i))) {
        made[TileType::kNy == 1 ? i * kThreads : i * f.row] = sum;
      }
      sum = fresh[i];
    }
    if (stores) return;
    if (!inside || !plane_updated) {
      for (int i = 0; i < kOwn; ++i) {
        const int y = place.y0 + TileType::y_of(team.team_rank(), i);
        const int x = place.x0 + TileType::x_of(team.team_rank(), i);
        if (!f.updated(p, y, x)) made[i * kNextRow] = fixed(p, y, x);
      }
    }
    if constexpr (kDeviceTiling) {
      for (int i = 0; i < kOwn; ++i) {
        const int y = TileType::y_of(team.team_rank(), i);
        const int x = TileType::x_of(team.team_rank(), i);
        if (at_edge(y, x)) exchange.at(level, round, place, y, x) = made[i * kNextRow];
      }
    }
  }

  /// Adds what row r of the strip gives to the sums of its cells. Sum m of a cell is that of the
  /// plane m behind the one that is completed; `fresh` begins one.
  KOKKOS_FORCEINLINE_FUNCTION static void add_row(const Real* row, int r, int phase,
                                                  Real (&sums)[kOpen][kOwn], Real (&fresh)[kOwn]) {
    constexpr Point kFirst = StencilType::points()[0];
    Real value[2 * kR + 1];
    TESSERA_UNROLL
    for (int x = -kR; x <= kR; ++x) {
      bool wanted = false;
      TESSERA_UNROLL
      for (int y = -kRy; y <= kRy; ++y) {
        TESSERA_UNROLL
        for (int s = -kR; s <= kR; ++s) {
          wanted = wanted || (r - y >= 0 && r - y < kOwn && StencilType::has(s, y, x));
        }
      }
      if (wanted) value[kR + x] = row[x];
    }
    TESSERA_UNROLL
    for (int y = -kRy; y <= kRy; ++y) {
      const int i = r - y;
      if (i < 0 || i >= kOwn) continue;
      TESSERA_UNROLL
      for (int s = kR; s >= -kR; --s) {
        TESSERA_UNROLL
        for (int x = -kR; x <= kR; ++x) {
          if (!StencilType::has(s, y, x)) continue;
          const Real weight = weight_at<StencilType, Real>(s, y, x);
          Real& sum = s == -kR ? fresh[i] : sums[(phase + kR - s) % kOpen][i];
          const bool first = s == -kR && y == kFirst.y && x == kFirst.x;
          sum = first ? weight * value[kR + x] : multiply_add(weight, value[kR + x], sum);
        }
      }
    }
  }

  /// Host: the same, row by row.
  void advance_rows(const PlanePlace& place, bool own_plane, int level, int phase, int p, int round,
                    const Real* from, Real* cells, Real* host_sums) const {
    const bool stores = level == Levels;
    constexpr int kCells = TileType::kNx * TileType::kNy;
    for (int y = 0; y < TileType::kNy; ++y) {
      Real* open[kOpen];
      for (int m = 0; m < kOpen; ++m) {
        open[m] =
            host_sums + ((level - 1) * kOpen + (phase + m) % kOpen) * kCells + y * TileType::kNx;
      }
      const Real* const row = from + y * kPitch;
      // The completed sums stay where the last step has left a plane, or go to memory.
      Real* const made = made_plane(cells, stores ? 1 : level, phase & 1) + y * kPitch;
      Real* const out = stores ? f.to + f.offset(p, place.y0 + y, place.x0) : made;
      const bool row_stored =
          own_plane && place.y0 + y >= place.y_begin && place.y0 + y < place.y_end;
      const int x_begin =
          stores ? (row_stored ? clip(place.x_begin - place.x0) : TileType::kNx) : 0;
      const int x_end = stores ? clip(place.x_end - place.x0) : TileType::kNx;
      const auto update = [&](int begin, int end, auto keeps) {
#pragma omp simd
        for (int x = begin; x < end; ++x) {
          const Real complete = add(Around{row + x}, [&](int m) -> Real& { return open[m][x]; });
          if constexpr (keeps) out[x] = complete;
        }
      };
      update(0, x_begin, std::false_type{});
      update(x_begin, x_end, std::true_type{});
      update(x_end > x_begin ? x_end : x_begin, TileType::kNx, std::false_type{});
      if (stores) continue;
      for (int x = 0; x < TileType::kNx; ++x) {
        if (!f.updated(p, place.y0 + y, place.x0 + x))
          made[x] = fixed(p, place.y0 + y, place.x0 + x);
        if constexpr (kDeviceTiling) {
          if (at_edge(y, x)) exchange.at(level, round, place, y, x) = made[x];
        }
      }
    }
  }

  /// The cells around the tile in a plane just made: the neighbours' or fixed ones.
  KOKKOS_FORCEINLINE_FUNCTION void collect(const NativeTeam& team, const PlanePlace& place,
                                           int level, int p, int round, Real* plane) const {
    for_each_cell_around<TileType, kR, kRy>(team, [&](int y, int x) {
      if (f.updated(p, place.y0 + y, place.x0 + x)) {
        if (exchange.holds(place, y, x)) {
          plane[y * kPitch + x] = exchange.at(level, round, place, y, x);
        }
      } else {
        plane[y * kPitch + x] = fixed(p, place.y0 + y, place.x0 + x);
      }
    });
  }

  /// A fixed cell, or zero where there is none.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real fixed(int p, int y, int x) const {
    return f.template exists<kR, kRy>(p, y, x) ? f.from[f.offset(p, y, x)] : Real(0);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool stored(const PlanePlace& place, int y,
                                                               int x) {
    return place.y0 + y >= place.y_begin && place.y0 + y < place.y_end &&
           place.x0 + x >= place.x_begin && place.x0 + x < place.x_end;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool at_edge(int y, int x) {
    return y < kRy || y >= TileType::kNy - kRy || x < kR || x >= TileType::kNx - kR;
  }
  [[nodiscard]] static int clip(int x) { return x < 0 ? 0 : std::min(x, TileType::kNx); }
};

}  // namespace tessera::jacobi
