// SPDX-License-Identifier: Apache-2.0
// The register-streaming kernel of partial sums (beside EBISU 4.3.3): what a thread's own
// cells need of the planes behind lies in its registers, what other threads need in scratch, and
// each plane is read from scratch once.
//
//   for each tile of this team             # tiles overlap; device tiling: one of all teams
//     for p in planes                      # a round; plane p has arrived, two are under way
//       for l in t ... 1                   # a time step, R + 1 planes behind the one before
//         for own cells                    # q: the newest plane of step l - 1
//           sums[l] of planes q - R ... q + R += w * q       # each value of q is loaded once
//           plane q - R is complete        # in scratch step l + 1 reads it, a round later
//       wait for the team                  # device tiling: for all, and fetch halos
//
// So 2R sums a cell and time step stay in registers from round to round, and scratch holds two
// planes a step: the one that is read, and the one that is made. All steps of a round are
// independent of each other: one barrier a round (lazy streaming).
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/device/static_for.hpp"
#include "base/device/unroll.hpp"
#include "base/tile/register_window.hpp"
#include "variants/jacobi/kernels/launcher.hpp"
#include "variants/jacobi/partial_sums/cells.hpp"
#include "variants/jacobi/partial_sums/layout.hpp"
#include "variants/jacobi/partial_sums/rows.hpp"

#include <cstddef>

namespace tessera::jacobi {

template <class Label, class StencilType, class Real, RegisterStream kStream>
struct RegisterStreamingKernel {
  using Stencil = StencilType;
  using Layout = StripLayout<StencilType, Real, kStream>;
  using Tile = typename Layout::Tile;
  using Exchanged = typename Layout::Exchanged;
  static constexpr const char* kLabel = Label::kLabel;
  static constexpr int kThreads = Tile::kThreads, kMinTeams = 1;
  static constexpr bool kDeviceTiling = kStream.device_tiling;
  static constexpr int kSteps = kStream.steps, kFixedSteps = kSteps;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kHalo = kR;

  Fields<Real> f;
  PlaneCuts cuts;
  int steps;  ///< always kSteps
  Exchanged exchange;

  [[nodiscard]] static int lost_x(int steps) { return (steps - 1) * kR; }
  [[nodiscard]] static int lost_y(int steps) { return (steps - 1) * kRy; }
  [[nodiscard]] static std::size_t scratch_bytes(int /*steps*/, MachineKind kind = kThisKind) {
    return PlaneBlock::shmem_size() + (kind == MachineKind::device ? 0 : SumBlock::shmem_size());
  }
  static void count(Plan& plan, double redundant, MachineKind kind) {
    plan.scratch_loads =
        redundant * (kind == MachineKind::device ? strip_loads<StencilType, Tile::kOwn>()
                                                 : strip_loads<StencilType, 1>());
    plan.scratch_stores = redundant;
  }
  /// A barrier a time step, one a plane; device tiling: all teams, and then halos from memory.
  static void waits(Walk& walk, int steps) {
    walk.trips = kDeviceTiling ? 1 - 1.0 / steps : 0;
    walk.barriers = 1 + 1.0 / steps;
    walk.exchanges = kDeviceTiling ? 1.0 / steps : 0;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Real* const planes = scratch_pointer(PlaneBlock(scratch_of(team)).data());
    Real* host_sums = nullptr;
    if constexpr (!kOnDevice) host_sums = SumBlock(scratch_of(team)).data();
    const int stride = kOnDevice ? kThreads : 1;
    for (int i = kOnDevice ? team.team_rank() : 0; i < Layout::kPlanes * kPlane; i += stride) {
      planes[i] = Real(0);
    }
    Real* const cells = planes + Layout::kFirst;
    unsigned passed = 0;
    if constexpr (kDeviceTiling) {
      for (int i = 0; i < exchange.cuts.count(); ++i) {
        stream(team, exchange.template place<Tile>(i, team.league_rank()), 0, f.ns, cells,
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
  using Work = std::conditional_t<kOnDevice, StripCells<Layout>, StripRows<Layout>>;
  static constexpr int kPlane = Layout::kPlane, kPitch = Layout::kPitch, kSlots = Layout::kSlots;
  static constexpr int kOpen = Layout::kOpen, kPrefetched = Layout::kPrefetched;
  using PlaneBlock =
      Kokkos::View<Real[Layout::kPlanes * kPlane], ScratchSpace, Kokkos::MemoryUnmanaged>;
  using SumBlock =
      Kokkos::View<Real[StripRows<Layout>::Sums::kElements], ScratchSpace, Kokkos::MemoryUnmanaged>;

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const PlanePlace& place,
                                          int s_begin, int s_end, Real* cells, Real* host_sums,
                                          unsigned& passed) const {
    const int first = s_begin - kSteps * kR > -kR ? s_begin - kSteps * kR : -kR;
    const int rounds = s_end - first + (kSteps - 1) * (kR + 1) + kR;
    typename Work::Sums sums;
    if constexpr (kOnDevice) {
      sums.clear();
    } else {
      sums.first = host_sums;
    }
    const bool inside = place.x0 >= 0 && place.x0 + Tile::kNx <= f.nx && place.y0 >= 0 &&
                        place.y0 + Tile::kNy <= f.ny;
    team.team_barrier();  // a stream before this one may still be reading
    TESSERA_UNROLL
    for (int k = 0; k < kPrefetched; ++k)
      Work::fetch(team, f, place, inside, first + k, cells + k * kPlane);
    int slot = 0;
    for (int begin = 0; begin < rounds; begin += kOpen) {
      for_each_phase<kOpen>([&](auto phase) {
        const int round = begin + phase;
        if (round >= rounds) return false;
        // 1. The plane that step 1 reads has arrived, for all; the one that it left makes room.
        wait_for_copies<kPrefetched - 1>();
        team.team_barrier();
        Work::fetch(team, f, place, inside, first + round + kPrefetched,
                    cells + (slot == 0 ? kSlots - 1 : slot - 1) * kPlane);
        // 2. Every step reads what the step before made in the round before.
        static_for<kSteps>([&](auto i) {
          constexpr int kStep = kSteps - i;
          const Real* const from = kStep == 1
                                       ? cells + slot * kPlane
                                       : Layout::made_plane(cells, kStep - 1, 1 - (phase & 1));
          const int p = first + round - (kStep - 1) * (kR + 1) - kR;
          Work::advance(team, f, exchange, place, inside, p >= s_begin, kStep, phase, p, passed,
                        from, cells, sums);
        });
        // 3. What the neighbours have made.
        if constexpr (kDeviceTiling) {
          exchange.barrier.arrive_and_wait(team, passed);
          for (int step = 1; step < kSteps; ++step) {
            const int p = first + round - (step - 1) * (kR + 1) - kR;
            collect_halo<Tile, StencilType>(team, f, exchange, place, step, p, passed - 1,
                                            Layout::made_plane(cells, step, phase & 1), kPitch);
          }
        }
        slot = slot == kSlots - 1 ? 0 : slot + 1;
        return true;
      });
    }
    wait_for_copies<0>();
  }
};

}  // namespace tessera::jacobi
