// SPDX-License-Identifier: Apache-2.0
// A barrier for all teams of a resident league (see persistent_launch).
#pragma once

#include "base/device/space.hpp"

#include <atomic>
#include <thread>

namespace tessera {

/// Counts arrivals of the teams of a league. Kernels hold a copy; the counter is shared.
///
/// The counter only grows: the b-th barrier of a league of L teams is open once b*L teams have
/// arrived, so no reset can race with a late team. 32 bits wrap after 2^32 / L barriers; the
/// comparison of differences stays right across the wrap.
///
/// One thread of a team fences and counts for all: what the others wrote before the team's own
/// barrier is ordered before its arrival too. Who waits reads the counter and writes nothing.
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
    arrive(team, passed);
    if (team.team_rank() == 0) wait(team, passed);
    team.team_barrier();
  }

  /// The first half: says that this team has come, and continues. It holds a barrier of the team.
  template <class TeamHandle>
  KOKKOS_INLINE_FUNCTION void arrive(const TeamHandle& team, unsigned& passed) const {
    ++passed;
    team.team_barrier();
    if (team.team_rank() != 0) return;
    if constexpr (kOnDevice) {
      Kokkos::memory_fence();
      Kokkos::atomic_add(arrived_.data(), 1U);
    } else {
      std::atomic_ref<unsigned>(*arrived_.data()).fetch_add(1U, std::memory_order_acq_rel);
    }
  }

  /// The second: waits until every team has arrived `passed` times. What they wrote before is then
  /// visible to the thread that calls; others see it after the next barrier of the team.
  template <class TeamHandle>
  KOKKOS_INLINE_FUNCTION void wait(const TeamHandle& team, unsigned passed) const {
    const unsigned open_at = passed * static_cast<unsigned>(team.league_size());
    while (static_cast<int>(load_acquire(arrived_.data()) - open_at) < 0) {
      if constexpr (!kOnDevice) std::this_thread::yield();  // the other teams may share this core
    }
  }

 private:
  /// The counter, and an order: what is read after it is as new as it is.
  KOKKOS_FORCEINLINE_FUNCTION static unsigned load_acquire(unsigned* counter) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
#elif defined(__CUDA_ARCH__)
    const unsigned value = *static_cast<volatile unsigned*>(counter);
    Kokkos::memory_fence();
    return value;
#elif defined(__HIP_DEVICE_COMPILE__)
    return __hip_atomic_load(counter, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
#else
    return std::atomic_ref<unsigned>(*counter).load(std::memory_order_acquire);
#endif
  }

  Kokkos::View<unsigned, ExecSpace::memory_space> arrived_;
};

}  // namespace tessera
