// SPDX-License-Identifier: Apache-2.0
// The execution space of this binary, its teams and its team scratch. One binary, one backend: the
// default execution space. What differs between Kokkos 3.4 and 5.x stands here and only here.
#pragma once

#include "base/support/machine_limits.hpp"

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>

namespace tessera {

using ExecSpace = Kokkos::DefaultExecutionSpace;
using ScratchSpace = ExecSpace::scratch_memory_space;

/// True where a team is a block of many threads that own cells; false on a host, where a team is
/// one thread that loops over all cells of its tile.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool kOnDevice = std::is_same_v<ExecSpace, Kokkos::Cuda>;
#elif defined(KOKKOS_ENABLE_HIP)
inline constexpr bool kOnDevice = !std::is_same_v<ExecSpace, Kokkos::DefaultHostExecutionSpace>;
#else
inline constexpr bool kOnDevice = false;
#endif

/// The kind of machine that this binary's kernels run on.
inline constexpr MachineKind kThisKind = kOnDevice ? MachineKind::device : MachineKind::host;

/// Scratch level that tiles use. On a host both levels are plain memory, and Kokkos stops level 0
/// at 32 KiB there, less than an L1 cache and much less than an L2.
inline constexpr int kScratchLevel = kOnDevice ? 0 : 1;

/// Bytes that Kokkos adds to a team's scratch request for its own alignment, at most.
inline constexpr int kScratchSlack = 128;

/// Second launch bound for `MinTeams` resident teams of `MaxThreads` threads. Kokkos hands it on as
/// it is: CUDA counts teams a multiprocessor; HIP counts waves (64 threads) on each of a compute
/// unit's 4 SIMD units, which hold 8 (MI200).
template <int MaxThreads, int MinTeams>
[[nodiscard]] constexpr unsigned launch_bound() {
#if defined(KOKKOS_ENABLE_HIP)
  constexpr unsigned kWaves = (MaxThreads * MinTeams + 4 * 64 - 1) / (4 * 64);
  return kWaves < 8 ? kWaves : 8;
#else
  return MinTeams;
#endif
}

/// Team policy with the register budget of `MinTeams` resident teams of at most `MaxThreads`
/// threads a multiprocessor.
template <int MaxThreads, int MinTeams = 1>
using TeamPolicy =
    Kokkos::TeamPolicy<ExecSpace,
                       Kokkos::LaunchBounds<MaxThreads, launch_bound<MaxThreads, MinTeams>()>>;

/// The team handle; the same type for every launch bound.
using Team = Kokkos::TeamPolicy<ExecSpace>::member_type;

/// The team's scratch, on CUDA, HIP and hosts alike.
template <class TeamHandle>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto scratch_of(const TeamHandle& team)
    -> decltype(team.team_scratch(0)) {
  constexpr int kLevel =
      kScratchLevel;  // a device knows no host variable that is passed by reference
  return team.team_scratch(static_cast<int>(kLevel));
}

/// Largest team of a device.
inline constexpr int kDeviceTeamSize = 1024;

/// Largest team scratch of a Kokkos launch at kScratchLevel, in bytes. Where no device is asked
/// (plans that are only predicted from), what Kokkos grants on CUDA.
[[nodiscard]] inline int max_scratch_bytes() {
  if (kOnDevice && !Kokkos::is_initialized()) return kAnyDevice.scratch_bytes;
  return static_cast<int>(Kokkos::TeamPolicy<ExecSpace>::scratch_size_max(kScratchLevel));
}

/// Runs `functor(team)` on `league` teams of `MaxThreads` threads (one thread on a host) with
/// `scratch` bytes of team scratch each, registers limited so that `MinTeams` of them can be
/// resident on a multiprocessor. Enqueues on `exec`; neither fences nor allocates.
template <int MaxThreads, int MinTeams = 1, class Functor>
void launch_teams(const ExecSpace& exec, const char* label, int league, std::size_t scratch,
                  const Functor& functor) {
  TeamPolicy<MaxThreads, MinTeams> policy(exec, league, kOnDevice ? MaxThreads : 1);
  policy.set_scratch_size(kScratchLevel, Kokkos::PerTeam(static_cast<int>(scratch)));
  Kokkos::parallel_for(label, policy, functor);
}

}  // namespace tessera
