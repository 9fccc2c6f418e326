// SPDX-License-Identifier: Apache-2.0
// The stream of the scratch-only variants (EBISU 4.2, 4.3.1, 4.3.2): a team streams a tile along s
// and keeps what `levels` time steps need of it in a circular multi-queue of planes in scratch.
//
// Round j: plane p0(j) enters queue 0; then, step by step, the plane of step l that has all it
// needs is made from queue l - 1 and enters queue l, or, after the last step, memory. A policy says
// how queues move on, whether a plane is fetched ahead, and when teams wait.
#pragma once

#include "device/async_copy.hpp"
#include "device/prefetch.hpp"
#include "device/scratch_pointer.hpp"
#include "device/streaming_row.hpp"
#include "kernels/jacobi/launcher.hpp"
#include "kernels/jacobi/variant.hpp"
#include "tile/multi_queue.hpp"

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
  static constexpr int kAround = kR;  ///< cells that are read beside the tile
  /// Host: every row begins on a cache line, or most vectors would straddle two.
  static constexpr int kLine = kOnDevice ? 1 : kHostLine<Real>;
  static constexpr int kLead = (kR + kLine - 1) / kLine * kLine;
  static constexpr int kPitch = kLead + (TileType::kNx + kR + kLine - 1) / kLine * kLine;
  static constexpr int kPlane = kPitch * (TileType::kNy + 2 * kRy);
  static constexpr int kFirst = kRy * kPitch + kLead;  ///< of a plane: the tile's first cell
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
  [[nodiscard]] static int lost_x(int levels) { return (levels - 1) * kR; }
  [[nodiscard]] static int lost_y(int levels) { return (levels - 1) * kRy; }
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
    return Storage::shmem_size(static_cast<std::size_t>(elements(levels) + kLine - 1));
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Storage storage(scratch_of(team), elements(levels) + kLine - 1);
    Real* scratch = scratch_pointer(storage.data());
    if constexpr (!kOnDevice) {
      while (reinterpret_cast<std::uintptr_t>(scratch) % kHostLineBytes != 0) ++scratch;
    }
    // What lies around a tile after the first step is nobody's, but shall be finite.
    const int stride = kOnDevice ? TileType::kThreads : 1;
    for (int i = kOnDevice ? team.team_rank() : 0; i < elements(levels); i += stride) {
      scratch[i] = Real(0);
    }
    Real* const cells = scratch + kFirst;
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
    if constexpr (!kOnDevice) streaming_fence();
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

  /// Host: rows, of which only what a stored cell depends on. Fixed cells are copied. Beside each
  /// step's rows a share of the plane that comes next from memory is asked for, and what the last
  /// step makes leaves past the caches.
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
      if (y % levels == level - 1) prefetch_row(place, p + level * kLag + 1, y);
      Real* const row = to + y * (stores ? f.row : kPitch);
      const Real* const old = window[kR] + y * kPitch;
      if (!f.updated(p, place.y0 + y, 0)) {
        if (!stores) copy_row(row, old, x_begin, x_end);
        continue;
      }
      if (!stores) copy_row(row, old, x_begin, inner_begin);
      const Real* rows[2 * kR + 1];
      static_for<2 * kR + 1>([&](auto i) { rows[i] = window[i] + y * kPitch; });
      if (stores) {
        alignas(kHostLineBytes) Real made[TileType::kNx];
#pragma omp simd
        for (int x = inner_begin; x < inner_end; ++x) made[x] = value(rows, x);
        store_row_streaming(row + inner_begin, made + inner_begin, inner_end - inner_begin);
      } else {
#pragma omp simd
        for (int x = inner_begin; x < inner_end; ++x) row[x] = value(rows, x);
        copy_row(row, old, inner_end, x_end);
      }
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

  /// Host: asks for row y of the tile in plane p. Inline, or GCC takes a function that only asks
  /// for one that does nothing.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_row(const PlanePlace& place, int p, int y) const {
    const int gy = place.y0 + y;
    if (p >= f.ns + kR || gy < -kRy || gy >= f.ny + kRy) return;
    const int x_begin = place.x0 < 0 ? 0 : place.x0;
    const int x_end = place.x0 + TileType::kNx < f.nx ? place.x0 + TileType::kNx : f.nx;
    const Real* const from = f.from + f.offset(p, gy, 0);
    for (int x = x_begin; x < x_end; x += kLine) prefetch_to_l2(from + x);
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
    Real* const scratch = cells - kFirst;
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

}  // namespace tessera::jacobi
