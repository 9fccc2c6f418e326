// SPDX-License-Identifier: Apache-2.0
// A barrier for all teams of a resident league (see persistent_launch).
#pragma once

#include "device/space.hpp"

#include <atomic>
#include <thread>

namespace tessera {

/// Counts arrivals of the teams of a league. Kernels hold a copy; the counter is shared.
///
/// The counter only grows: the b-th barrier of a league of L teams is open once b*L teams have
/// arrived, so no reset can race with a late team. 32 bits wrap after 2^32 / L barriers; the
/// comparison of differences stays right across the wrap.
class GridBarrier {
 public:
  /// Allocates the counter; to be done outside a step.
  GridBarrier() : arrived_("tessera::grid_barrier") {}

  /// To be enqueued before each launch that uses the barrier.
  void reset(const ExecSpace& exec) const { Kokkos::deep_copy(exec, arrived_, 0U); }

  /// Waits until every team of the league has called it as often as this one; writes made before it
  /// by any team are visible after it to all. `passed` counts this team's barriers: each thread
  /// keeps one, starting at 0.
  template <class TeamHandle>
  KOKKOS_INLINE_FUNCTION void arrive_and_wait(const TeamHandle& team, unsigned& passed) const {
    const auto league = static_cast<unsigned>(team.league_size());
    const unsigned open_at = ++passed * league;
    if constexpr (kOnDevice) {
      Kokkos::memory_fence();  // release: each thread's own writes, before the team's arrival
      team.team_barrier();
      if (team.team_rank() == 0) {
        Kokkos::atomic_fetch_add(arrived_.data(), 1U);
        while (static_cast<int>(Kokkos::atomic_fetch_add(arrived_.data(), 0U) - open_at) < 0) {
        }
      }
      team.team_barrier();
      Kokkos::memory_fence();  // acquire
    } else {
      const std::atomic_ref<unsigned> arrived(*arrived_.data());
      arrived.fetch_add(1U, std::memory_order_acq_rel);
      while (static_cast<int>(arrived.load(std::memory_order_acquire) - open_at) < 0) {
        std::this_thread::yield();  // the other teams may share this core
      }
    }
  }

 private:
  Kokkos::View<unsigned, ExecSpace::memory_space> arrived_;
};

}  // namespace tessera
