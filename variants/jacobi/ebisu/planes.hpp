// SPDX-License-Identifier: Apache-2.0
// EBISU's end point in three dimensions: device tiling. The tiles of all teams are one tile of the
// device, which is streamed along s, a plane a round; a thread owns a strip of cells along y.
//
//   for each device tile
//     for each round: a plane arrives in queue 0          # prefetched a round before
//       for l in 1 ... t                                  # kLag planes behind step l - 1
//         for own cells                                   # of plane p
//           u = sum of w * step l - 1:  own columns from registers, others from queue l - 1
//           queue l = u, registers of step l = u          # l = t: stored in memory
//           record = u, if a neighbour reads the cell
//         half-way: wait until all teams have ended the round before; fetch its halos
//       the halos that were fetched enter the queues
//       wait for the team, and say to all teams: the round has ended
//       queues and registers move on by a plane
//
// So every value lies in two places: in scratch for the threads beside, in registers for the one
// that made it (redundant register streaming of values, EBISU 4.3.3). The barrier of the device is
// lazy too: what a round has left for the neighbours they read a round later, and none waits for
// it while there is something to compute (`apart` = 2). With `apart` = 1 all wait at the end of the
// round, as in the paper: a plane less in each queue.
//
//      queue l - 1 (box, apart 2)   | p-1 | p | p+1 | p+2: halo under way | p+3: being made |
//      queue l - 1 (star, apart 2)        | p | p+1: halo under way | p+2: being made |
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/device/static_for.hpp"
#include "base/device/unroll.hpp"
#include "base/tile/register_window.hpp"
#include "variants/jacobi/ebisu/halos.hpp"
#include "variants/jacobi/ebisu/streams.hpp"
#include "variants/jacobi/kernels/exchange.hpp"
#include "variants/jacobi/kernels/launcher.hpp"

#include <cstddef>
#include <string>

namespace tessera::jacobi {

template <class Label, class StencilType, class Real, PlaneStream kStream>
struct PlaneStreamingKernel {
  using Stencil = StencilType;
  using Layout = PlaneLayout<StencilType, Real, kStream>;
  using Tile = typename Layout::Tile;
  using Exchanged = Exchange<Real>;
  static constexpr const char* kLabel = Label::kLabel;
  static constexpr int kR = Layout::kR, kOwn = Layout::kOwn, kLag = Layout::kLag;
  static constexpr int kThreads = Tile::kThreads, kMinTeams = 1;
  static constexpr bool kDeviceTiling = true;
  static constexpr int kSteps = kStream.steps, kFixedSteps = kSteps;
  static constexpr int kHalo = kR;

  Fields<Real> f;
  PlaneCuts cuts;
  int steps;  ///< always kSteps
  Exchanged exchange;

  [[nodiscard]] static int lost_x(int steps) { return (steps - 1) * kR; }
  [[nodiscard]] static int lost_y(int steps) { return (steps - 1) * kR; }
  [[nodiscard]] static std::size_t scratch_bytes(int /*steps*/, MachineKind /*kind*/ = kThisKind) {
    return Storage::shmem_size();
  }
  /// A team waits once a round: for its own, for all others, and for their halos from memory.
  static void waits(Walk& walk, int steps) {
    walk.trips = walk.barriers = walk.exchanges = walk.level_waits = 1.0 / steps;
  }
  static void count(Plan& plan, double redundant, MachineKind /*kind*/) {
    int loads = Layout::kFresh ? 0 : kOwn;
    for (int s = -kR; s <= kR; ++s) {
      for (int row = -kR; row < kOwn + kR; ++row) {
        for (int x = -kR; x <= kR; ++x) loads += needs(s, row, x) && !own(row, x);
      }
    }
    plan.scratch_loads = redundant * loads / kOwn;
    plan.scratch_stores = redundant;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    run(team, scratch_pointer(Storage(scratch_of(team)).data()));
  }

  /// The team's part of all device tiles, with that scratch.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void run(const TeamHandle& team, Real* scratch) const {
    for (int i = team.team_rank(); i < Layout::kElements; i += kThreads) scratch[i] = Real(0);
    unsigned passed = 0;
    for (int i = 0; i < exchange.cuts.count(); ++i) {
      stream(team, exchange.template place<Tile>(i, team.league_rank()), scratch + Layout::kFirst,
             passed);
    }
  }

 private:
  using Storage = Kokkos::View<Real[Layout::kElements], ScratchSpace, Kokkos::MemoryUnmanaged>;
  using Queue = typename Layout::Queue;
  using Record = typename Layout::Record;
  static constexpr int kPitch = Layout::kPitch, kPlane = Layout::kPlane;

  /// The thread's strip: what is fixed, there and stored, a bit a cell, found once a stream.
  struct Strip {
    int y, x;             ///< of its first cell, in the tile
    std::int64_t memory;  ///< of its first cell in plane 0
    unsigned updated = 0, exists = 0, stored = 0;

    KOKKOS_FORCEINLINE_FUNCTION Strip(const Fields<Real>& f, const PlanePlace& place, int rank)
        : y(rank / Tile::kNx * kOwn),
          x(rank % Tile::kNx),
          memory(f.offset(0, place.y0 + y, place.x0 + x)) {
      TESSERA_UNROLL
      for (int i = 0; i < kOwn; ++i) {
        const int gy = place.y0 + y + i;
        const int gx = place.x0 + x;
        updated |= (f.updated(0, gy, gx) ? 1U : 0U) << i;
        exists |= (f.template exists<kR, kR>(0, gy, gx) ? 1U : 0U) << i;
        stored |= (place.stores(y + i, x) ? 1U : 0U) << i;
      }
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool bit(unsigned mask, int i) {
      return (mask >> i & 1U) != 0;
    }
  };
  /// The thread's strip in one plane.
  struct Cells {
    Real of[kOwn];
  };
  /// Planes p - R ... p + R - 1 of a step, as the next step meets them, in a ring.
  struct Held {
    Cells of[2 * kR];
  };

  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void stream(const TeamHandle& team, const PlanePlace& place,
                                          Real* cells, unsigned& passed) const {
    const Strip strip(f, place, team.team_rank());
    Halos<Layout> halos(f, exchange, place, team.league_rank(), team.team_rank());
    Real* const mine = cells + strip.y * kPitch + strip.x;
    Queue queue(Layout::shape());
    Held held[kSteps] = {};
    Prefetched<Real, kOwn + 2> prefetched;
    constexpr int kFirst = -kR;  // planes
    const int rounds = f.ns - kFirst + kSteps * kLag;
    const auto fetch = [&](int p, int position) {
      if (p >= f.ns + kR) return;
      Real* const slot = cells + queue.slot(0, position) * kPlane;
      Real* const own = slot + strip.y * kPitch + strip.x;
      const Real* const from = f.from + strip.memory + p * f.plane;
      TESSERA_UNROLL
      for (int i = 0; i < kOwn; ++i) {
        if (Strip::bit(strip.exists, i)) prefetched.fetch(i, own + i * kPitch, from + i * f.row);
      }
      halos.fetch(f, p, [&](int i, int offset, std::int64_t source) {
        prefetched.fetch(kOwn + i, slot + offset, f.from + source);
      });
    };
    team.team_barrier();  // a stream before this one may still be reading
    if constexpr (Layout::kAhead > 0) {
      fetch(kFirst, Layout::kMade);
      prefetched.land();
      team.team_barrier();
    }
    for (int begin = 0; begin < rounds; begin += 2 * kR) {
      for_each_phase<2 * kR>([&](auto phase) {
        const int round = begin + phase;
        if (round >= rounds) return false;
        // 1. The next plane is on its way from memory.
        fetch(kFirst + round + Layout::kAhead, Layout::kPrefetched);
        // 2. Every step; in between, the halos of the round before.
        Cells fresh = {};
        static_for<kSteps>([&](auto i) {
          constexpr int kStep = i + 1;
          const int p = kFirst + round - kStep * kLag;
          advance<kStep>(team, queue, strip, phase, p, passed, mine, held[i], fresh);
          if constexpr (kStream.apart > 1 && kStep == (kSteps + 1) / 2) {
            if (passed > 0) {
              exchange.barrier.wait(team, passed);
              halos.fetch_made(f, passed - 1,
                               [&](int step) { return kFirst + round - 1 - step * kLag; });
            }
          }
        });
        // 3. For all to see, and on by a plane.
        if constexpr (kStream.apart > 1) {
          halos.put([&](int step) { return cells + queue.slot(step, Layout::kMade - 1) * kPlane; });
          prefetched.land();
          exchange.barrier.arrive(team, passed);
        } else {
          prefetched.land();
          exchange.barrier.arrive_and_wait(team, passed);
          halos.fetch_made(f, passed - 1, [&](int step) { return kFirst + round - step * kLag; });
          halos.put([&](int step) { return cells + queue.slot(step, Layout::kMade) * kPlane; });
          team.team_barrier();
        }
        queue.shuffle();
        return true;
      });
    }
  }

  /// Plane p of time step kStep. `fresh`: the own cells that the step before has made in this
  /// round, then those made here.
  template <int kStep, class TeamHandle, class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const TeamHandle& team, const Queue& queue,
                                           const Strip& strip, Phase phase, int p, unsigned round,
                                           Real* mine, Held& held, Cells& fresh) const {
    constexpr Point kFirst = StencilType::points()[0];
    constexpr int kNear = Layout::kNear;
    const Real* planes[2 * kNear + 1];
    TESSERA_UNROLL
    for (int s = -kNear; s <= kNear; ++s) {
      planes[kNear + s] = mine + queue.slot(kStep - 1, Layout::kHere + s) * kPlane;
    }
    Cells newest = fresh;  // plane p + R
    if constexpr (!Layout::kFresh || kStep == 1) {
      const Real* const plane = mine + queue.slot(kStep - 1, Layout::kHere + kR) * kPlane;
      TESSERA_UNROLL
      for (int i = 0; i < kOwn; ++i) newest.of[i] = plane[i * kPitch];
    }
    Real sums[kOwn] = {};
    TESSERA_UNROLL
    for (int s = -kR; s <= kR; ++s) {
      TESSERA_UNROLL
      for (int row = -kR; row < kOwn + kR; ++row) {
        Real value[2 * kR + 1] = {};
        TESSERA_UNROLL
        for (int x = -kR; x <= kR; ++x) {
          if (!needs(s, row, x)) continue;
          if (own(row, x)) {
            value[kR + x] = s == kR ? newest.of[row] : held.of[(phase + s + kR) % (2 * kR)].of[row];
          } else {
            value[kR + x] = planes[s + kNear][row * kPitch + x];
          }
        }
        TESSERA_UNROLL
        for (int i = 0; i < kOwn; ++i) {
          const int y = row - i;
          if (y < -kR || y > kR) continue;
          TESSERA_UNROLL
          for (int x = -kR; x <= kR; ++x) {
            if (!StencilType::has(s, y, x)) continue;
            const Real weight = weight_at<StencilType, Real>(s, y, x);
            const bool starts = s == kFirst.s && y == kFirst.y && x == kFirst.x;
            sums[i] =
                starts ? weight * value[kR + x] : multiply_add(weight, value[kR + x], sums[i]);
          }
        }
      }
    }
    const bool plane_updated = p >= 0 && p < f.ns;
    TESSERA_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      const bool updated = plane_updated && Strip::bit(strip.updated, i);
      fresh.of[i] = updated ? sums[i] : held.of[(phase + kR) % (2 * kR)].of[i];
    }
    held.of[phase % (2 * kR)] = newest;  // plane p - R has been read for the last time
    if constexpr (kStep < kSteps) {
      Real* const to = mine + queue.slot(kStep, Layout::kMade) * kPlane;
      TESSERA_UNROLL
      for (int i = 0; i < kOwn; ++i) to[i * kPitch] = fresh.of[i];
      leave(exchange.template record<Record>(team.league_rank(), kStep, round), strip, fresh);
    } else if (plane_updated) {
      Real* const to = f.to + strip.memory + p * f.plane;
      TESSERA_UNROLL
      for (int i = 0; i < kOwn; ++i) {
        if (Strip::bit(strip.stored, i)) to[i * f.row] = fresh.of[i];
      }
    }
  }

  /// Leaves what the neighbours read of a strip.
  KOKKOS_FORCEINLINE_FUNCTION static void leave(Real* record, const Strip& strip,
                                                const Cells& made) {
    TESSERA_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      if (i < kR && strip.y == 0) record[i * Tile::kNx + strip.x] = made.of[i];
      if (i >= kOwn - kR && strip.y == Tile::kNy - kOwn) {
        record[Record::kDown + (i - (kOwn - kR)) * Tile::kNx + strip.x] = made.of[i];
      }
    }
    const bool left = strip.x < kR;
    if (!left && strip.x < Tile::kNx - kR) return;
    Real* const column =
        record + (left ? Record::kLeft + strip.x * Tile::kNy
                       : Record::kRight + (strip.x - (Tile::kNx - kR)) * Tile::kNy);
    TESSERA_UNROLL
    for (int i = 0; i < kOwn; ++i) column[strip.y + i] = made.of[i];
  }

  /// Whether a value x columns beside a strip, in its row `row`, is the thread's own.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool own(int row, int x) {
    return x == 0 && row >= 0 && row < kOwn;
  }
  /// Whether the cells of a strip need the value s planes and x columns beside it in its row `row`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool needs(int s, int row, int x) {
    bool needed = false;
    TESSERA_UNROLL
    for (int y = -kR; y <= kR; ++y) {
      needed = needed || (row - y >= 0 && row - y < kOwn && StencilType::has(s, y, x));
    }
    return needed;
  }
};

}  // namespace tessera::jacobi
