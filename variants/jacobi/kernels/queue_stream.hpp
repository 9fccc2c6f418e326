// SPDX-License-Identifier: Apache-2.0
// The multi-queue kernel of the variants that keep all in scratch (EBISU 4.2, 4.3.1, 4.3.2): a team
// streams a tile along s, and what t time steps need of it lies in a multi-queue of planes.
//
//   for each tile of this team               # tiles overlap; device tiling: one of all teams
//     for p0 in planes                       # a round; in 2D it has several planes, which are rows
//       plane p0 enters queue 0              # prefetched: a round ahead
//       for l in 1 ... t                     # a time step, kLag planes behind the one before
//         plane p0 - l kLag is made of queue l - 1, and enters queue l  # l = t: it is stored
//         wait for the team, before and after it enters                 # lazily: not here
//       wait for the team                    # device tiling: for all, and fetch halos
//       every queue moves on by a plane      # values move, or addresses of slots
//
// A policy says which of these a stage of the ladder does.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/device/static_for.hpp"
#include "variants/jacobi/kernels/launcher.hpp"
#include "variants/jacobi/kernels/queue_cells.hpp"
#include "variants/jacobi/kernels/queue_layout.hpp"
#include "variants/jacobi/kernels/queue_rows.hpp"

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
    plan.scratch_loads = redundant * loads();
    plan.scratch_stores = redundant;
    if (Queue::kMovesValues) {
      const int depth = plan.temporal_depth;
      const QueueShape shape = kind == MachineKind::device
                                   ? LayoutOn<MachineKind::device>::shape(depth)
                                   : LayoutOn<MachineKind::host>::shape(depth);
      const double moves = redundant * (Queue::slots(shape) - kPlanes) / (depth * kPlanes);
      plan.scratch_loads += moves;
      plan.scratch_stores += moves;
    }
  }
  /// Of a round, the share of a time step and a plane: planes fetched, if not ahead; a barrier
  /// around each step, but lazily; values moved; device tiling: all teams, and then halos from
  /// memory.
  static void waits(Walk& walk, int steps) {
    walk.trips = (kPolicy.prefetch ? 0 : 1.0) / steps;
    walk.barriers = kLazy ? 1.0 / steps
                          : 2 + (Queue::kMovesValues && !kPolicy.prefetch ? 4.0
                                 : kPolicy.prefetch                       ? 1.0
                                                                          : 2.0) /
                                    steps;
    walk.level_waits = kLazy ? 1.0 / steps : 1;
    if constexpr (kDeviceTiling) {
      walk.trips += 1 - 1.0 / steps;
      walk.exchanges = 1.0 / steps;
    }
    for (double* share : {&walk.trips, &walk.barriers, &walk.exchanges, &walk.level_waits}) {
      *share /= Layout::kPlanes;
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
    // Cells outside the valid region are never stored; zeroed, they cannot produce NaNs.
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
  static constexpr int kPlanes = Layout::kPlanes, kLength = Layout::kLength;
  static constexpr bool kLazy = kPolicy.lazy;

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* cells,
                                          unsigned& passed) const {
    const Planes planes{f, place, exchange, steps, s_begin, s_end};
    Queue queue(Layout::shape(steps));
    const int reach = steps * kR;
    const int first = s_begin - reach > -kR ? s_begin - reach : -kR;
    const int end = s_end + steps * kLag;  // behind p0 in the round that makes plane s_end - 1
    typename Planes::Prefetch prefetched;
    const auto fetch = [&](int p, int position) {
      static_for<kPlanes>([&](auto i) {
        planes.fetch(team, prefetched, i, p + i, cells + queue.slot(0, position + i) * kPlane);
      });
    };
    team.team_barrier();  // a stream before this one may still be reading
    if (kAhead > 0) fetch(first, kLength - kPlanes);
    for (int p0 = first; p0 < end; p0 += kPlanes) {
      const unsigned round = passed;  // of all streams of this launch
      // 1. Planes from memory: this round's, or with `ahead` the next one's.
      if (kAhead > 0) prefetched.land();
      if (kAhead == 0) fetch(p0, kLength - kPlanes);
      if (!kLazy) {
        if (kAhead == 0) prefetched.land();
        team.team_barrier();
      }
      if (kAhead > 0 && p0 + kPlanes < end) fetch(p0 + kPlanes, kLength);
      // 2. Every time step makes its planes, if anything stored depends on them.
      for (int step = 1; step <= steps; ++step) {
        const int p = p0 - step * kLag;
        const int margin = (steps - step) * kR;
        const int begin = first > s_begin - margin ? first : s_begin - margin;
        if (p + kPlanes <= begin || p >= s_end + margin || p >= f.ns + kR) continue;
        typename Layout::Window window;
        static_for<2 * kR + kPlanes>(
            [&](auto i) { window.of[i] = cells + queue.slot(step - 1, i) * kPlane; });
        typename Layout::Made to;
        static_for<kPlanes>([&](auto i) {
          to.of[i] = step == steps ? f.to + f.offset(p + i, place.y0, place.x0)
                                   : cells + queue.slot(step, kLength - kPlanes + i) * kPlane;
        });
        planes.update(team, window, step, p, round, to);
      }
      // 3. What the neighbours have made, and on to the next round.
      if constexpr (kDeviceTiling) {
        if (kLazy) prefetched.land();
        exchange.barrier.arrive_and_wait(team, passed);
        for (int step = 1; step < steps; ++step) {
          collect_halo<TileType, StencilType>(team, f, exchange, place, step, p0 - step * kLag,
                                              round, cells + queue.tail(step) * kPlane,
                                              Layout::kPitch);
        }
        team.team_barrier();
      } else if (kLazy) {
        prefetched.land();
        team.team_barrier();
      } else {
        team.team_barrier();
      }
      if constexpr (Queue::kMovesValues) {
        planes.move_values(team, cells - Layout::kFirst, queue.range());
        team.team_barrier();
      }
      queue.shuffle(kPlanes);
    }
  }

  /// Values that a cell's step loads: of the cells of a thread above each other once.
  [[nodiscard]] static double loads() {
    int count = 0;
    for (int row = -kR; row < kPlanes + kR; ++row) {
      for (int y = -kRy; y <= kRy; ++y) {
        for (int x = -kR; x <= kR; ++x) {
          bool needed = false;
          for (int i = 0; i < kPlanes; ++i) {
            const int s = row - i;
            needed = needed || (s >= -kR && s <= kR && StencilType::has(s, y, x));
          }
          count += needed;
        }
      }
    }
    return static_cast<double>(count) / kPlanes;
  }
};

}  // namespace tessera::jacobi
