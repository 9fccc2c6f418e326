// SPDX-License-Identifier: Apache-2.0
// EBISU's end point in two dimensions: SM tiling. A team streams a strip of the plane along s, a
// few rows a round; a thread owns neighbouring columns of it.
//
//   for each strip of this team                        # strips overlap by 2 t R columns
//     for each round: H rows arrive in queue 0         # prefetched a round before
//       for l in 1 ... t                               # kLag rows behind step l - 1
//         for own cells (h, x), h = 0 ... H - 1        # rows p ... p + H - 1
//           u = sum of w * step l - 1:  own columns from registers, others from queue l - 1
//           queue l [h, x] = u, registers of step l [h, x] = u         # l = t: stored in memory
//       wait for the team                              # once a round: lazy streaming
//       queues and registers move on by H rows
//
// So every value lies in two places: in scratch for the threads beside, in registers for the one
// that made it (redundant register streaming of values, EBISU 4.3.3). A slot of the multi-queue is
// a group of H rows. What a step reads of it has been there since the barrier; what it needs of
// rows ahead in its own columns may also come from the step before in the same round: a star waits
// H rows, a box, whose rows ahead have neighbours, 2 H.
//
//      queue l - 1 (box)   | p-H .. p-1 | p .. p+H-1 | p+H .. | being made |
//                           (last R rows)             (first R)
//      queue l - 1 (star)               | p .. p+H-1 | being made |
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/device/static_for.hpp"
#include "base/device/unroll.hpp"
#include "variants/jacobi/ebisu/streams.hpp"
#include "variants/jacobi/kernels/exchange.hpp"
#include "variants/jacobi/kernels/launcher.hpp"

#include <cstddef>
#include <type_traits>

namespace tessera::jacobi {

template <class Label, class StencilType, class Real, RowStream kStream>
struct RowStreamingKernel {
  using Stencil = StencilType;
  using Layout = RowLayout<StencilType, Real, kStream>;
  using Exchanged = NoExchange;
  static constexpr const char* kLabel = Label::kLabel;
  static constexpr int kR = Layout::kR, kH = Layout::kH, kC = Layout::kC, kLag = Layout::kLag;
  static constexpr int kThreads = Layout::kThreads, kMinTeams = 1;
  static constexpr bool kDeviceTiling = false;
  static constexpr int kSteps = kStream.steps, kFixedSteps = kSteps;
  static constexpr int kHalo = 0;  ///< the strip's own outermost columns are its halo
  struct Tile {
    static constexpr int kNx = kStream.nx, kNy = 1;
  };

  Fields<Real> f;
  PlaneCuts cuts;
  int steps;  ///< always kSteps
  Exchanged exchange;

  [[nodiscard]] static int lost_x(int steps) { return steps * kR; }
  [[nodiscard]] static int lost_y(int /*steps*/) { return 0; }
  [[nodiscard]] static std::size_t scratch_bytes(int /*steps*/, MachineKind /*kind*/ = kThisKind) {
    return Storage::shmem_size();
  }
  /// A team waits once a round, whose rows were prefetched.
  static void waits(Walk& walk, int steps) {
    walk.trips = 0;
    walk.barriers = walk.level_waits = 1.0 / (steps * kH);
  }
  static void count(Plan& plan, double redundant, MachineKind /*kind*/) {
    int loads = 0;
    for (int row = -kR; row < kH + kR; ++row) {
      for (int x = -kR; x < kC + kR; ++x) loads += from_scratch(row, x);
    }
    plan.scratch_loads = redundant * loads / (kH * kC);
    plan.scratch_stores = redundant;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    run(team, scratch_pointer(Storage(scratch_of(team)).data()));
  }

  /// The team's share, with that scratch.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void run(const TeamHandle& team, Real* scratch) const {
    for (int i = team.team_rank(); i < Layout::kElements; i += kThreads) scratch[i] = Real(0);
    Real* const mine = scratch + kR + team.team_rank();
    for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                   [&](const PlanePlace& place, int s_begin, int s_end) {
                     stream(team, place, s_begin, s_end, mine);
                   });
  }

 private:
  using Storage = Kokkos::View<Real[Layout::kElements], ScratchSpace, Kokkos::MemoryUnmanaged>;
  using Queue = typename Layout::Queue;

  /// The thread's columns: what is fixed, there and stored, found once a stream.
  struct Columns {
    int x0;
    bool updated[kC], exists[kC], stored[kC];

    KOKKOS_FORCEINLINE_FUNCTION Columns(const Fields<Real>& f, const PlanePlace& place, int rank)
        : x0(place.x0 + rank * kC) {
      TESSERA_UNROLL
      for (int c = 0; c < kC; ++c) {
        const int x = x0 + c;
        updated[c] = x >= 0 && x < f.nx;
        exists[c] = x >= -kR && x < f.nx + kR;
        stored[c] = x >= place.x_begin && x < place.x_end;
      }
    }
  };
  /// Of the thread's own columns: rows of one step.
  template <int Rows>
  struct Block {
    Real of[kC][Rows];
  };
  using Fresh = Block<kH>;
  /// Rows p - R ... p + kLag - 1 of each step, as its next step meets them; of step 0, which
  /// arrives, the first R + H.
  using Held = Block<kR + kLag>;

  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void stream(const TeamHandle& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* mine) const {
    const Columns columns(f, place, team.team_rank());
    Queue queue(Layout::shape());
    const int first = s_begin - kSteps * kR > -kR ? s_begin - kSteps * kR : -kR;
    const int rounds = (s_end - first + kLag * (kSteps - 1) + kH - 1) / kH + 1;
    Held held[kSteps] = {};
    team.team_barrier();  // a stream before this one may still be reading
    Prefetched<Real, kH * kC> prefetched;
    const auto fetch = [&](int s, int group) {
      Real* const slot = mine + queue.slot(0, group) * Layout::kGroup;
      TESSERA_UNROLL
      for (int h = 0; h < kH; ++h) {
        const bool row_exists = s + h >= -kR && s + h < f.ns + kR;
        TESSERA_UNROLL
        for (int c = 0; c < kC; ++c) {
          if (row_exists && columns.exists[c]) {
            prefetched.fetch(h * kC + c, slot + Layout::at(h, c),
                             f.from + f.offset(s + h, 0, columns.x0 + c));
          }
        }
      }
    };
    fetch(first, Layout::kArrived);
    prefetched.land();
    team.team_barrier();
    for (int round = 0; round < rounds; ++round) {
      // 1. The next rows are on their way; of those that have arrived, the own columns.
      const int arrived = first + kH * round;
      fetch(arrived + kH, Layout::kPrefetched);
      Fresh fresh;
      const Real* const group = mine + queue.slot(0, Layout::kArrived) * Layout::kGroup;
      for_each_own([&](int h, int c) { fresh.of[c][h] = group[Layout::at(h, c)]; });
      // 2. Every step, from what the step before has made in earlier rounds.
      static_for<kSteps>([&](auto i) {
        constexpr int kStep = i + 1;
        advance<kStep>(queue, columns, s_begin, s_end, arrived - kH - (kStep - 1) * kLag, mine,
                       held[i], fresh);
      });
      // 3. For all to see, and on by H rows.
      prefetched.land();
      team.team_barrier();
      queue.shuffle();
    }
  }

  /// Rows p ... p + H - 1 of time step kStep. `held`, `fresh`: own columns of the step before, of
  /// earlier rounds and of this one; `fresh` is then what has been made here.
  template <int kStep>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Queue& queue, const Columns& columns, int s_begin,
                                           int s_end, int p, Real* mine, Held& held,
                                           Fresh& fresh) const {
    constexpr int kOld = kR + (kStep == 1 ? kH : kLag);  // rows held: p - R ...
    constexpr Point kFirst = StencilType::points()[0];
    const Real* groups[3] = {nullptr, nullptr, nullptr};  // rows before p, from p on, from p + H on
    TESSERA_UNROLL
    for (int g = StencilType::kStar ? 1 : 0; g <= (StencilType::kStar ? 1 : 2); ++g) {
      groups[g] = mine + queue.slot(kStep - 1, Layout::kHere + g - 1) * Layout::kGroup;
    }
    Real sums[kC][kH] = {};
    TESSERA_UNROLL
    for (int row = -kR; row < kH + kR; ++row) {
      Real value[kC + 2 * kR] = {};
      TESSERA_UNROLL
      for (int x = -kR; x < kC + kR; ++x) {
        if (x >= 0 && x < kC) {
          value[x + kR] = row + kR < kOld ? held.of[x][row + kR] : fresh.of[x][row + kR - kOld];
        } else if (from_scratch(row, x)) {
          const int g = row < 0 ? 0 : row < kH ? 1 : 2;
          value[x + kR] = groups[g][Layout::at(row - (g - 1) * kH, x)];
        }
      }
      TESSERA_UNROLL
      for (int h = 0; h < kH; ++h) {
        const int s = row - h;
        if (s < -kR || s > kR) continue;
        TESSERA_UNROLL
        for (int c = 0; c < kC; ++c) {
          TESSERA_UNROLL
          for (int x = -kR; x <= kR; ++x) {
            if (!StencilType::has(s, 0, x)) continue;
            const Real weight = weight_at<StencilType, Real>(s, 0, x);
            Real& sum = sums[c][h];
            const bool starts = s == kFirst.s && x == kFirst.x;
            sum =
                starts ? weight * value[c + x + kR] : multiply_add(weight, value[c + x + kR], sum);
          }
        }
      }
    }
    Fresh made;
    for_each_own([&](int h, int c) {
      const bool updated = columns.updated[c] && p + h >= 0 && p + h < f.ns;
      made.of[c][h] = updated ? sums[c][h] : held.of[c][h + kR];
    });
    if constexpr (kStep < kSteps) {
      Real* const to = mine + queue.slot(kStep, Layout::kMade) * Layout::kGroup;
      for_each_own([&](int h, int c) { to[Layout::at(h, c)] = made.of[c][h]; });
    } else {
      for_each_own([&](int h, int c) {
        if (columns.stored[c] && p + h >= s_begin && p + h < s_end) {
          f.to[f.offset(p + h, 0, columns.x0 + c)] = made.of[c][h];
        }
      });
    }
    TESSERA_UNROLL
    for (int c = 0; c < kC; ++c) {
      TESSERA_UNROLL
      for (int i = 0; i < kOld - kH; ++i) held.of[c][i] = held.of[c][i + kH];
      TESSERA_UNROLL
      for (int h = 0; h < kH; ++h) held.of[c][kOld - kH + h] = fresh.of[c][h];
    }
    fresh = made;
  }

  /// Whether a thread's cells need the value x columns beside its first one in the row that many
  /// behind p, and do not have it in its own columns.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool from_scratch(int row, int x) {
    bool needed = false;
    if (x >= 0 && x < kC) return false;
    TESSERA_UNROLL
    for (int h = 0; h < kH; ++h) {
      TESSERA_UNROLL
      for (int c = 0; c < kC; ++c) {
        const int s = row - h;
        const int away = x - c;
        needed = needed ||
                 (s >= -kR && s <= kR && away >= -kR && away <= kR && StencilType::has(s, 0, away));
      }
    }
    return needed;
  }

  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_own(const Body& body) {
    TESSERA_UNROLL
    for (int h = 0; h < kH; ++h) {
      TESSERA_UNROLL
      for (int c = 0; c < kC; ++c) body(h, c);
    }
  }
};

}  // namespace tessera::jacobi
