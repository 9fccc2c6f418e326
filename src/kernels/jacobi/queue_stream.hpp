// SPDX-License-Identifier: Apache-2.0
// The multi-queue kernel of the variants that keep all in scratch (EBISU 4.2, 4.3.1, 4.3.2): a team
// streams a tile along s, and what t time steps need of it lies in a multi-queue of planes.
//
//   for each tile of this team               # tiles overlap; device tiling: one of all teams
//     for p0 in planes                       # a round
//       plane p0 enters queue 0              # prefetched: a round ahead
//       for l in 1 ... t                     # a time step, kLag planes behind the one before
//         plane p0 - l kLag is made of queue l - 1, and enters queue l  # l = t: it is stored
//         wait for the team, before and after it enters                 # lazily: not here
//       wait for the team                    # device tiling: for all, and fetch halos
//       every queue moves on by a plane      # values move, or addresses of slots
//
// A policy says which of these a stage of the ladder does.
#pragma once

#include "device/async_copy.hpp"
#include "device/native_launch.hpp"
#include "device/scratch_pointer.hpp"
#include "device/static_for.hpp"
#include "kernels/jacobi/launcher.hpp"
#include "kernels/jacobi/queue_cells.hpp"
#include "kernels/jacobi/queue_layout.hpp"
#include "kernels/jacobi/queue_rows.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera::jacobi {

template <class Label, class StencilType, class Real, class TileType, QueuePolicy kPolicy>
struct MultiQueueKernel {
  using Stencil = StencilType;
  using Tile = TileType;
  template <MachineKind kKind>
  using LayoutOn = QueueLayout<StencilType, Real, TileType, kPolicy, kKind>;
  using Layout = LayoutOn<kThisKind>;
  using Exchanged = typename Layout::Exchanged;
  static constexpr const char* kLabel = Label::kLabel;
  static constexpr int kThreads = TileType::kThreads, kMinTeams = kPolicy.min_teams;
  static constexpr bool kDeviceTiling = kPolicy.device_tiling;
  static constexpr int kFixedSteps = 0;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kHalo = kR;

  Fields<Real> f;
  PlaneCuts cuts;
  int steps;  ///< of this pass
  Exchanged exchange;

  [[nodiscard]] static int lost_x(int steps) { return (steps - 1) * kR; }
  [[nodiscard]] static int lost_y(int steps) { return (steps - 1) * kRy; }
  static void count(Plan& plan, double redundant, MachineKind kind) {
    plan.scratch_loads = redundant * StencilType::kPoints;
    plan.scratch_stores = redundant;
    if (Queue::kMovesValues) {
      const int depth = plan.temporal_depth;
      const QueueShape shape = kind == MachineKind::device
                                   ? LayoutOn<MachineKind::device>::shape(depth)
                                   : LayoutOn<MachineKind::host>::shape(depth);
      const double moves = redundant * (Queue::slots(shape) - 1) / depth;
      plan.scratch_loads += moves;
      plan.scratch_stores += moves;
    }
  }
  /// Of a round, a time step's share: a plane fetched, if not ahead; a barrier around each step,
  /// but lazily; values moved; device tiling: all teams, and then halos from memory.
  static void waits(Walk& walk, int steps) {
    walk.trips = (kPolicy.prefetch ? 0 : 1.0) / steps;
    walk.barriers = kLazy ? 1.0 / steps
                          : 2 + (Queue::kMovesValues && !kPolicy.prefetch ? 4.0
                                 : kPolicy.prefetch                       ? 1.0
                                                                          : 2.0) /
                                    steps;
    if constexpr (kDeviceTiling) {
      walk.trips += 1 - 1.0 / steps;
      walk.exchanges = 1.0 / steps;
    }
  }
  [[nodiscard]] static std::size_t scratch_bytes(int steps, MachineKind kind = kThisKind) {
    const auto bytes = [steps](auto layout) {
      using Chosen = decltype(layout);
      return Storage::shmem_size(
          static_cast<std::size_t>(Chosen::elements(steps) + Chosen::kLine - 1));
    };
    return kind == MachineKind::device ? bytes(LayoutOn<MachineKind::device>{})
                                       : bytes(LayoutOn<MachineKind::host>{});
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Storage storage(scratch_of(team), Layout::elements(steps) + Layout::kLine - 1);
    Real* scratch = scratch_pointer(storage.data());
    if constexpr (!kOnDevice) {
      while (reinterpret_cast<std::uintptr_t>(scratch) % kHostLineBytes != 0) ++scratch;
    }
    // What lies around a tile after the first step is nobody's, but shall be finite.
    const int stride = kOnDevice ? TileType::kThreads : 1;
    for (int i = kOnDevice ? team.team_rank() : 0; i < Layout::elements(steps); i += stride) {
      scratch[i] = Real(0);
    }
    Real* const cells = scratch + Layout::kFirst;
    unsigned passed = 0;
    if constexpr (kDeviceTiling) {
      for (int i = 0; i < exchange.cuts.count(); ++i) {
        stream(team, exchange.template place<TileType>(i, team.league_rank()), 0, f.ns, cells,
               passed);
      }
    } else {
      for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                     [&](const PlanePlace& place, int s_begin, int s_end) {
                       stream(team, place, s_begin, s_end, cells, passed);
                     });
    }
    if constexpr (!kOnDevice) streaming_fence();
  }

 private:
  using Storage = Kokkos::View<Real*, ScratchSpace, Kokkos::MemoryUnmanaged>;
  using Queue = typename Layout::Queue;
  using Planes = std::conditional_t<kOnDevice, QueueCells<Layout>, QueueRows<Layout>>;
  static constexpr int kLag = Layout::kLag, kAhead = Layout::kAhead, kPlane = Layout::kPlane;
  static constexpr bool kLazy = kPolicy.lazy;

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* cells,
                                          unsigned& passed) const {
    const Planes planes{f, place, exchange, steps};
    Queue queue(Layout::shape(steps));
    const int reach = steps * kR;
    const int first = s_begin - reach > -kR ? s_begin - reach : -kR;
    const int last = s_end - 1 + steps * kLag;  // p0 in the round that makes plane s_end - 1
    team.team_barrier();                        // a stream before this one may still be reading
    if (kAhead > 0) planes.fetch(team, first, cells + queue.tail(0) * kPlane);
    for (int p0 = first; p0 <= last; ++p0) {
      // 1. A plane from memory: this round's, or with `ahead` the next one's.
      if (kAhead > 0) wait_for_copies<0>();
      if (kAhead == 0) planes.fetch(team, p0, cells + queue.tail(0) * kPlane);
      if (!kLazy) {
        if (kAhead == 0) wait_for_copies<0>();
        team.team_barrier();
      }
      if (kAhead > 0 && p0 < last) {
        planes.fetch(team, p0 + 1, cells + queue.slot(0, Layout::shape(1).length) * kPlane);
      }
      // 2. Every time step makes a plane, if anything stored depends on it.
      for (int step = 1; step <= steps; ++step) {
        const int p = p0 - step * kLag;
        const int margin = (steps - step) * kR;
        if (p < first || p < s_begin - margin || p >= s_end + margin || p >= f.ns + kR) continue;
        const Real* window[2 * kR + 1];
        static_for<2 * kR + 1>(
            [&](auto i) { window[i] = cells + queue.slot(step - 1, i) * kPlane; });
        planes.update(team, window, step, p, p0 - first,
                      step == steps ? f.to + f.offset(p, place.y0, place.x0)
                                    : cells + queue.tail(step) * kPlane);
      }
      // 3. What the neighbours have made, and on to the next round.
      if constexpr (kDeviceTiling) {
        if (kLazy) wait_for_copies<0>();
        exchange.barrier.arrive_and_wait(team, passed);
        for (int step = 1; step < steps; ++step) {
          collect(team, place, step, p0 - step * kLag, p0 - first,
                  cells + queue.tail(step) * kPlane);
        }
        team.team_barrier();
      } else if (kLazy) {
        wait_for_copies<0>();
        team.team_barrier();
      } else {
        team.team_barrier();
      }
      if constexpr (Queue::kMovesValues) {
        planes.move_values(team, cells - Layout::kFirst, queue.range());
        team.team_barrier();
      }
      queue.shuffle();
    }
  }

  /// Device tiling: the halo of the newest plane of a queue, from the neighbours' tiles or, where
  /// its cells are fixed, from memory.
  KOKKOS_FORCEINLINE_FUNCTION void collect(const NativeTeam& team, const PlanePlace& place,
                                           int step, int p, int round, Real* slot) const {
    if constexpr (kDeviceTiling) {
      constexpr int kPitch = Layout::kPitch;
      for_each_halo_cell<TileType, kR, kRy>(team, [&](int y, int x) {
        const int gy = place.y0 + y;
        const int gx = place.x0 + x;
        if (f.updated(p, gy, gx)) {
          if (exchange.holds(place, y, x))
            slot[y * kPitch + x] = exchange.at(step, round, place, y, x);
        } else if (f.template exists<kR, kRy>(p, gy, gx)) {
          slot[y * kPitch + x] = f.from[f.offset(p, gy, gx)];
        }
      });
    }
  }
};

}  // namespace tessera::jacobi
