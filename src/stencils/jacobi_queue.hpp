// SPDX-License-Identifier: Apache-2.0
// The stream of the scratch-only variants (EBISU 4.2, 4.3.1, 4.3.2): a team streams a tile along s
// and keeps what `levels` time steps need of it in a circular multi-queue of planes in scratch.
//
// Round j: plane p0(j) enters queue 0; then, step by step, the plane of step l that has all it
// needs is made from queue l - 1 and enters queue l, or, after the last step, memory. A policy says
// how queues move on, whether a plane is fetched ahead, and when teams wait.
#pragma once

#include "stencils/jacobi_launcher.hpp"
#include "stencils/jacobi_variant.hpp"
#include "tile/async_copy.hpp"
#include "tile/multi_queue.hpp"
#include "tile/scratch_pointer.hpp"

namespace tessera::jacobi {

/// What the stages of EBISU's ladder differ in (Figure 9).
template <class Stage, class AddressingType, bool Prefetch, bool Lazy, bool DeviceTiling>
struct QueuePolicy {
  using Addressing = AddressingType;
  static constexpr const char* label() { return Stage::kLabel; }
  static constexpr int kMinTeams = Stage::kMinTeams;   ///< on a multiprocessor, for registers
  static constexpr bool kPrefetch = Prefetch;          ///< planes arrive asynchronously, one ahead
  static constexpr bool kLazy = Lazy;                  ///< one barrier a round, none a step
  static constexpr bool kDeviceTiling = DeviceTiling;  ///< teams exchange halos, round by round
};

template <class StencilType, class Real, class TileType, class Policy>
struct QueueKernel {
  using Stencil = StencilType;
  using Tile = TileType;
  static constexpr int kThreads = TileType::kThreads, kMinTeams = Policy::kMinTeams;
  static constexpr bool kDeviceTiling = Policy::kDeviceTiling;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kPitch = TileType::kNx + 2 * kR;
  static constexpr int kPlane = kPitch * (TileType::kNy + 2 * kRy);
  /// Rounds between a plane's step l and step l + 1. R is enough where the step before has just
  /// made the plane's last neighbour; lazily and across teams that one is from the round before.
  static constexpr int kLag = Policy::kLazy || Policy::kDeviceTiling ? kR + 1 : kR;
  /// A lazy step must not write where others may still read; a host has no registers to keep a
  /// plane in until its slot is free.
  static constexpr bool kOwnSlots = Policy::kLazy || !kOnDevice;
  /// Lazily, nobody reads the newest plane in its own round: that is ahead enough.
  static constexpr int kAhead = Policy::kPrefetch && !Policy::kLazy ? 1 : 0;

  using Queue = MultiQueue<typename Policy::Addressing>;
  using Exchanged = std::conditional_t<Policy::kDeviceTiling, Exchange<Real>, NoExchange>;

  Fields<Real> f;
  PlaneCuts cuts;
  int levels;
  Exchanged exchange;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr QueueShape shape(int levels) {
    constexpr int kLength = kLag + kR + 1;
    return {levels, kLength, kOwnSlots ? kLength : kLength - 1, kAhead};
  }
  [[nodiscard]] static const char* label() { return Policy::label(); }
  [[nodiscard]] static int lost(int levels) { return (levels - 1) * kR; }
  /// Scratch traffic of a stored cell, `redundant` being cells computed for each one stored.
  static void count(Plan& plan, double redundant) {
    plan.scratch_loads = redundant * StencilType::kPoints;
    plan.scratch_stores = redundant;
    if (Queue::kMovesValues) {
      const double moves =
          redundant * (Queue::slots(shape(plan.temporal_depth)) - 1) / plan.temporal_depth;
      plan.scratch_loads += moves;
      plan.scratch_stores += moves;
    }
  }
  [[nodiscard]] static std::size_t scratch_bytes(int levels) {
    return Storage::shmem_size(static_cast<std::size_t>(elements(levels)));
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Storage storage(scratch_of(team), elements(levels));
    Real* const scratch = scratch_pointer(storage.data());
    // What lies around a tile after the first step is nobody's, but shall be finite.
    const int stride = kOnDevice ? TileType::kThreads : 1;
    for (int i = kOnDevice ? team.team_rank() : 0; i < elements(levels); i += stride) {
      scratch[i] = Real(0);
    }
    Real* const cells = scratch + kRy * kPitch + kR;
    if constexpr (Policy::kDeviceTiling) {
      unsigned passed = 0;
      for (int i = 0; i < exchange.cuts.count(); ++i) {
        stream(team, exchange.template place<TileType>(i, team.league_rank()), 0, f.ns, cells,
               passed);
      }
    } else {
      unsigned passed = 0;
      for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                     [&](const PlanePlace& place, int s_begin, int s_end) {
                       stream(team, place, s_begin, s_end, cells, passed);
                     });
    }
  }

 private:
  using Storage = Kokkos::View<Real*, ScratchSpace, Kokkos::MemoryUnmanaged>;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static int elements(int levels) {
    return Queue::slots(shape(levels)) * kPlane;
  }

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* cells,
                                          unsigned& passed) const {
    Queue queue(shape(levels));
    const int reach = levels * kR;
    const int first = s_begin - reach > -kR ? s_begin - reach : -kR;
    const int last = s_end - 1 + levels * kLag;  // p0 in the round that makes plane s_end - 1
    team.team_barrier();                         // a stream before this one may still be reading
    if (kAhead > 0) fetch(team, place, first, cells + queue.tail(0) * kPlane);
    for (int p0 = first; p0 <= last; ++p0) {
      // 1. A plane from memory: this round's, or with `ahead` the next one's.
      if (kAhead > 0) wait_for_copies<0>();
      if (kAhead == 0) fetch(team, place, p0, cells + queue.tail(0) * kPlane);
      if (!Policy::kLazy) {
        if (kAhead == 0) wait_for_copies<0>();
        team.team_barrier();
      }
      if (kAhead > 0 && p0 < last) {
        fetch(team, place, p0 + 1, cells + queue.slot(0, shape(1).length) * kPlane);
      }
      // 2. Every step makes a plane, if anything stored depends on it.
      for (int level = 1; level <= levels; ++level) {
        const int p = p0 - level * kLag;
        const int margin = (levels - level) * kR;
        if (p < first || p < s_begin - margin || p >= s_end + margin || p >= f.ns + kR) continue;
        update(team, place, queue, level, p, p0 - first, cells);
      }
      // 3. What the neighbours have made, and on to the next round.
      if constexpr (Policy::kDeviceTiling) {
        if (Policy::kLazy) wait_for_copies<0>();
        exchange.barrier.arrive_and_wait(team, passed);
        for (int level = 1; level < levels; ++level) {
          collect(team, place, level, p0 - level * kLag, p0 - first,
                  cells + queue.tail(level) * kPlane);
        }
        team.team_barrier();
      } else if (Policy::kLazy) {
        wait_for_copies<0>();
        team.team_barrier();
      } else {
        team.team_barrier();
      }
      if constexpr (Queue::kMovesValues) {
        move_values(team, cells, queue.range());
        team.team_barrier();
      }
      queue.shuffle();
    }
  }

  /// Starts to copy a plane, with what lies around the tile, to its slot.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const NativeTeam& team, const PlanePlace& place, int p,
                                         Real* slot) const {
    if (p < f.ns + kR) {
      const Real* from = f.from + f.offset(p, place.y0, place.x0);
      if constexpr (kOnDevice) {
        const auto fetch_cell = [&](int y, int x) {
          if (f.template exists<kR, kRy>(p, place.y0 + y, place.x0 + x)) {
            copy_async<1>(slot + y * kPitch + x, from + y * f.row + x);
          }
        };
        static_for<TileType::kOwn>([&](auto i) {
          fetch_cell(TileType::y_of(team.team_rank(), i), TileType::x_of(team.team_rank(), i));
        });
        for_each_cell_around<TileType, kR, kRy>(team, fetch_cell);
      } else {
        const int x_begin = clip(-kR - place.x0, -kR, TileType::kNx + kR);
        const int x_end = clip(f.nx + kR - place.x0, -kR, TileType::kNx + kR);
        const int y_begin = clip(-kRy - place.y0, -kRy, TileType::kNy + kRy);
        const int y_end = clip(f.ny + kRy - place.y0, -kRy, TileType::kNy + kRy);
        for (int y = y_begin; y < y_end; ++y) {
          copy_row(slot + y * kPitch, from + y * f.row, x_begin, x_end);
        }
      }
    }
    commit_copies();
  }

  /// Step `level`: plane p, from the queue before into the queue or into memory.
  KOKKOS_FORCEINLINE_FUNCTION void update(const NativeTeam& team, const PlanePlace& place,
                                          const Queue& queue, int level, int p, int round,
                                          Real* cells) const {
    const Real* window[2 * kR + 1];
    static_for<2 * kR + 1>([&](auto i) { window[i] = cells + queue.slot(level - 1, i) * kPlane; });
    const bool stores = level == levels;
    Real* const to =
        stores ? f.to + f.offset(p, place.y0, place.x0) : cells + queue.tail(level) * kPlane;
    if constexpr (kOnDevice) {
      update_own(team, place, window, stores, level, p, round, to);
    } else {
      update_rows(place, window, stores, level, p, round, to);
    }
  }

  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION Real
  value(const Real* const (&window)[2 * kR + 1], int i) {
    return point_value<StencilType, Real>(
        [&](auto s, auto y, auto x) { return window[s + kR][i + y * kPitch + x]; });
  }

  /// Device: the thread's own cells, kept in registers until their slot is free.
  KOKKOS_FORCEINLINE_FUNCTION void update_own(const NativeTeam& team, const PlanePlace& place,
                                              const Real* const (&window)[2 * kR + 1], bool stores,
                                              int level, int p, int round, Real* to) const {
    const int rank = team.team_rank();
    Real made[TileType::kOwn];
    static_for<TileType::kOwn>([&](auto i) {
      const int y = TileType::y_of(rank, i);
      const int x = TileType::x_of(rank, i);
      const Real sum = value(window, y * kPitch + x);
      made[i] = f.updated(p, place.y0 + y, place.x0 + x) ? sum : window[kR][y * kPitch + x];
    });
    if (stores) {
      static_for<TileType::kOwn>([&](auto i) {
        const int y = TileType::y_of(rank, i);
        const int x = TileType::x_of(rank, i);
        if (p >= 0 && p < f.ns && stored(place, y, x)) to[y * f.row + x] = made[i];
      });
      return;
    }
    if (!Policy::kLazy) team.team_barrier();  // all have read the slot that is written now
    static_for<TileType::kOwn>([&](auto i) {
      const int y = TileType::y_of(rank, i);
      const int x = TileType::x_of(rank, i);
      to[y * kPitch + x] = made[i];
      if constexpr (Policy::kDeviceTiling) {
        if (at_edge(y, x)) exchange.at(level, round, place, y, x) = made[i];
      }
    });
    if (!Policy::kLazy) team.team_barrier();
  }

  /// Host: rows, of which only what a stored cell depends on. Fixed cells are copied.
  void update_rows(const PlanePlace& place, const Real* const (&window)[2 * kR + 1], bool stores,
                   int level, int p, int round, Real* to) const {
    const int margin = levels - level;
    const int y_begin = clip(place.y_begin - margin * kRy - place.y0, 0, TileType::kNy);
    const int y_end = clip(place.y_end + margin * kRy - place.y0, 0, TileType::kNy);
    const int x_begin = clip(place.x_begin - margin * kR - place.x0, 0, TileType::kNx);
    const int x_end = clip(place.x_end + margin * kR - place.x0, 0, TileType::kNx);
    const int inner_begin = clip(-place.x0, x_begin, x_end);
    const int inner_end = clip(f.nx - place.x0, inner_begin, x_end);
    for (int y = y_begin; y < y_end; ++y) {
      Real* const row = to + y * (stores ? f.row : kPitch);
      const Real* const old = window[kR] + y * kPitch;
      if (!f.updated(p, place.y0 + y, 0)) {
        if (!stores) copy_row(row, old, x_begin, x_end);
        continue;
      }
      if (!stores) copy_row(row, old, x_begin, inner_begin);
      const Real* rows[2 * kR + 1];
      static_for<2 * kR + 1>([&](auto i) { rows[i] = window[i] + y * kPitch; });
#pragma omp simd
      for (int x = inner_begin; x < inner_end; ++x) row[x] = value(rows, x);
      if (!stores) copy_row(row, old, inner_end, x_end);
    }
    if constexpr (Policy::kDeviceTiling) {
      for (int y = 0; y < TileType::kNy && !stores; ++y) {
        const bool whole = y < kRy || y >= TileType::kNy - kRy;
        for (int x = 0; x < TileType::kNx;
             x += !whole && x == kR - 1 ? TileType::kNx - 2 * kR + 1 : 1) {
          exchange.at(level, round, place, y, x) = to[y * kPitch + x];
        }
      }
    }
  }

  /// Device tiling: the cells around the tile in the newest plane of a queue, from the neighbours'
  /// tiles or, where they are fixed, from memory.
  KOKKOS_FORCEINLINE_FUNCTION void collect(const NativeTeam& team, const PlanePlace& place,
                                           int level, int p, int round, Real* slot) const {
    if constexpr (Policy::kDeviceTiling) {
      for_each_cell_around<TileType, kR, kRy>(team, [&](int y, int x) {
        const int gy = place.y0 + y;
        const int gx = place.x0 + x;
        if (f.updated(p, gy, gx)) {
          if (exchange.holds(place, y, x))
            slot[y * kPitch + x] = exchange.at(level, round, place, y, x);
        } else if (f.template exists<kR, kRy>(p, gy, gx)) {
          slot[y * kPitch + x] = f.from[f.offset(p, gy, gx)];
        }
      });
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void move_values(const NativeTeam& team, Real* cells,
                                               int range) const {
    Real* const scratch = cells - kRy * kPitch - kR;
    if constexpr (kOnDevice) {
      for (int i = team.team_rank(); i < kPlane; i += TileType::kThreads) {
        for (int slot = 0; slot < range - 1; ++slot) {
          scratch[slot * kPlane + i] = scratch[(slot + 1) * kPlane + i];
        }
      }
    } else {
      for (int slot = 0; slot < range - 1; ++slot) {
        copy_row(scratch + slot * kPlane, scratch + (slot + 1) * kPlane, 0, kPlane);
      }
    }
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool stored(const PlanePlace& place, int y,
                                                               int x) {
    return place.y0 + y >= place.y_begin && place.y0 + y < place.y_end &&
           place.x0 + x >= place.x_begin && place.x0 + x < place.x_end;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool at_edge(int y, int x) {
    return y < kRy || y >= TileType::kNy - kRy || x < kR || x >= TileType::kNx - kR;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int clip(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
  }
  static void copy_row(Real* to, const Real* from, int begin, int end) {
#pragma omp simd
    for (int x = begin; x < end; ++x) to[x] = from[x];
  }
};

/// The tiles of the ladder: 256 threads, four cells each (EBISU 6.1). In two dimensions the seed's
/// four rows of 256 cells are one of 1024 here: the same parallelism, and less of it lost at cuts.
using LadderTile2d = SharedTile<1024, 1, kOnDevice ? 256 : 1>;
using LadderTile3d = std::conditional_t<kOnDevice, SharedTile<32, 32, 256>, SharedTile<128, 32, 1>>;

/// Offers a stage of the ladder in `depth` steps a pass for stencils of TileType's dimensions.
template <class Policy, class TileType>
void offer_queue(JacobiVariant& variant, const Configuration& configuration, int depth,
                 DeviceTile device_tile = {}) {
  constexpr int kDims = TileType::kNy == 1 ? 2 : 3;
  variant.offer(configuration, [=](auto stencil, auto real) {
    using StencilType = decltype(stencil);
    using Real = decltype(real);
    if constexpr (StencilType::kDims == kDims) {
      return StreamLauncher<QueueKernel<StencilType, Real, TileType, Policy>, Real>{depth,
                                                                                    device_tile};
    } else {
      return Unsupported{fmt::format("a tile for stencils of {} dimensions", kDims)};
    }
  });
}

/// The configurations of a stage: Table 1's SM tiling in two dimensions, device tiling in three.
template <class Policy2d, class Policy3d>
void offer_ladder(JacobiVariant& variant) {
  const std::string tile = kOnDevice ? "32x32" : "128x32";
  const auto offer_2d = [&](int depth) {
    offer_queue<Policy2d, LadderTile2d>(
        variant, {fmt::format("1024x1,t={}", depth), Origin::seed, "256 x 4 threads x cells"},
        depth);
  };
  const auto offer_3d = [&](int depth) {
    offer_queue<Policy3d, LadderTile3d>(
        variant, {fmt::format("{},t={}", tile, depth), Origin::seed, "device tile"}, depth);
  };
  offer_2d(2);
  offer_2d(4);
  offer_3d(2);
  offer_3d(4);
  if constexpr (!kFewConfigurations) {
    offer_2d(7);
    offer_2d(12);
    offer_3d(6);
    offer_queue<Policy3d, LadderTile3d>(
        variant, {tile + ",t=4,teams=12x9", Origin::seed, "the seed's device tile"}, 4, {9, 12});
  }
}

}  // namespace tessera::jacobi
