// SPDX-License-Identifier: Apache-2.0
// Launches past Kokkos' limits: teams with more scratch than a Kokkos launch gives, and leagues
// that stay resident so that their teams can wait for each other.
//
// Kokkos has no device-wide barrier, and its level-0 scratch ends at 48 KiB where a multiprocessor
// of an H100 has 227 KiB. On CUDA and HIP these launches are therefore native ones, on the
// execution space's own stream; the functor sees a NativeTeam with the interface of a Kokkos team.
// Elsewhere they are team policies.
#pragma once

#include "base/device/announced_kernel.hpp"
#include "base/device/scratch_limit.hpp"
#include "base/device/space.hpp"
#include "base/support/error.hpp"

#include <cstddef>
#include <type_traits>

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#include "base/device/native_device.hpp"
#else
#include <cstring>
#endif

namespace tessera {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

/// What a functor sees of its thread block: the part of Kokkos' team interface that variants use.
class NativeTeam {
 public:
  KOKKOS_FORCEINLINE_FUNCTION NativeTeam(void* scratch, int bytes) : scratch_(scratch, bytes) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int league_rank() const { return native::block(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int league_size() const { return native::blocks(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_rank() const { return native::thread(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_size() const { return native::threads(); }
  KOKKOS_FORCEINLINE_FUNCTION void team_barrier() const { native::barrier(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const ScratchSpace& team_scratch(int) const {
    return scratch_;
  }

 private:
  ScratchSpace scratch_;
};

namespace native {

template <int MaxThreads, int MinTeams, class Functor>
__global__ void __launch_bounds__(MaxThreads, (launch_bound<MaxThreads, MinTeams>()))
    kernel(const Functor functor, int scratch) {
  functor(NativeTeam(dynamic_scratch(), scratch));
}

#if defined(KOKKOS_ENABLE_CUDA)
/// The same for a functor whose members must stay where the launch has put them: the copy engine
/// reads its maps from there (device/bulk_copy.hpp).
template <int MaxThreads, int MinTeams, class Functor>
__global__ void __launch_bounds__(MaxThreads, (launch_bound<MaxThreads, MinTeams>()))
    kernel_in_place(const __grid_constant__ Functor functor, int scratch) {
  functor(NativeTeam(dynamic_scratch(), scratch));
}
#endif

/// The kernel that launches Functor: in place where it says `kInPlace`.
template <int MaxThreads, int MinTeams, class Functor>
[[nodiscard]] auto kernel_of() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (requires { Functor::kInPlace; }) {
    return kernel_in_place<MaxThreads, MinTeams, Functor>;
  } else {
    return kernel<MaxThreads, MinTeams, Functor>;
  }
#else
  return kernel<MaxThreads, MinTeams, Functor>;
#endif
}

}  // namespace native
#else
using NativeTeam = Team;

namespace native {

/// A functor behind a function pointer: on a host all native launches share one Kokkos kernel,
/// whose instantiation takes a compiler longer than most functors. A team is one thread that walks
/// a whole tile, so that the call through a pointer costs nothing.
class AnyFunctor {
 public:
  /// Plain data of a moderate size; others, such as one that holds a View, are launched themselves.
  template <class Functor>
  static constexpr bool kHolds = std::is_trivially_copyable_v<Functor> && sizeof(Functor) <= 1024;

  template <class Functor>
  explicit AnyFunctor(const Functor& functor) : call_(call<Functor>) {
    static_assert(kHolds<Functor>);
    std::memcpy(bytes_, &functor, sizeof(Functor));
  }
  void operator()(const Team& team) const { call_(bytes_, team); }

 private:
  template <class Functor>
  static void call(const void* functor, const Team& team) {
    (*static_cast<const Functor*>(functor))(team);
  }

  void (*call_)(const void*, const Team&);
  alignas(64) unsigned char bytes_[1024];
};

}  // namespace native
#endif

/// Largest team scratch of a native launch, in bytes (227 KiB on an H100, also where no device is
/// asked; Kokkos' limit on a host).
[[nodiscard]] inline int max_native_scratch_bytes() {
  if (kOnDevice && !Kokkos::is_initialized()) return kAnyDevice.native_scratch_bytes;
  if constexpr (kOnDevice) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    return native::max_scratch_bytes();
#endif
  }
  return max_scratch_bytes();
}

/// Multiprocessors of the device (an H100's where no device is asked), or threads of the host: how
/// many teams run side by side at least.
[[nodiscard]] inline int multiprocessors() {
  if (!Kokkos::is_initialized()) return kOnDevice ? kAnyDevice.units : 1;
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  static const int count = native::device_attribute(native::kMultiprocessors);
  return count;
#else
  return static_cast<int>(ExecSpace().concurrency());
#endif
}

/// How many teams of `MaxThreads` threads with `scratch` bytes can be resident at once: the
/// league that persistent_launch accepts for this functor; with MinTeams, what native_launch gets.
template <int MaxThreads, class Functor, int MinTeams = 1>
[[nodiscard]] int max_resident_league([[maybe_unused]] const ExecSpace& exec,
                                      [[maybe_unused]] std::size_t scratch) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  return native::max_resident_blocks(native::kernel_of<MaxThreads, MinTeams, Functor>(), MaxThreads,
                                     scratch);
#else
  return static_cast<int>(exec.concurrency());
#endif
}

/// Registers that a thread of such a launch takes; 0 where there is no such thing to request.
template <int MaxThreads, class Functor, int MinTeams = 1>
[[nodiscard]] int registers_of() {
  if (!Kokkos::is_initialized()) return 0;  // a prediction, without a device
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  return native::registers_of(native::kernel_of<MaxThreads, MinTeams, Functor>());
#else
  return 0;
#endif
}

/// Throws Error where a team cannot have `scratch` bytes.
inline void require_scratch(const char* label, std::size_t scratch) {
  const std::string why =
      scratch_shortage(static_cast<std::int64_t>(scratch), max_native_scratch_bytes(), kThisKind);
  require(why.empty(), "{}: {}", label, why);
}

/// Like launch_teams, with up to max_native_scratch_bytes() of scratch a team. The functor takes a
/// `const NativeTeam&`. Throws Error where the scratch is too large for the device.
template <int MaxThreads, int MinTeams = 1, class Functor>
void native_launch(const ExecSpace& exec, const char* label, int league, std::size_t scratch,
                   const Functor& functor) {
  require_scratch(label, scratch);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  const AnnouncedKernel announced(label, exec);
  native::launch(native::kernel_of<MaxThreads, MinTeams, Functor>(), exec, league, MaxThreads,
                 scratch, functor);
#else
  if constexpr (native::AnyFunctor::kHolds<Functor>) {
    launch_teams<1>(exec, label, league, scratch, native::AnyFunctor(functor));
  } else {
    launch_teams<1>(exec, label, league, scratch, functor);
  }
#endif
}

/// Whether Kokkos grants a team of every device so much scratch, known at compile time.
[[nodiscard]] constexpr bool kokkos_grants(std::size_t bytes) {
  return bytes + kScratchSlack <= kKokkosDeviceScratch;
}

/// What a kernel that needs at most `kBytes` of scratch on a device takes as its team, and is so
/// launched: Kokkos' own team wherever Kokkos grants them, else a NativeTeam.
template <std::size_t kBytes>
using TeamWith = std::conditional_t<kokkos_grants(kBytes), Team, NativeTeam>;
inline constexpr std::size_t kScratchOfRunTime = ~std::size_t{0} - kScratchSlack;  ///< not known
/// The type of a kernel's team that is always launched natively, since a TeamPolicy costs it too
/// much.
inline constexpr std::size_t kNeverThroughKokkos = kScratchOfRunTime;

/// Launches a functor that takes a `const TeamHandle&`: through a TeamPolicy where that is Kokkos'
/// team, else natively.
template <class TeamHandle, int MaxThreads, int MinTeams = 1, class Functor>
void launch_with(const ExecSpace& exec, const char* label, int league, std::size_t scratch,
                 const Functor& functor) {
  if constexpr (kOnDevice && std::is_same_v<TeamHandle, Team>) {
    launch_teams<MaxThreads, MinTeams>(exec, label, league, scratch, functor);
  } else {
    native_launch<MaxThreads, MinTeams>(exec, label, league, scratch, functor);
  }
}

/// How launch_with() goes out on a machine, for a device's scratch of at most `kBytes`.
template <std::size_t kBytes>
[[nodiscard]] constexpr bool launches_natively(MachineKind kind) {
  return kind == MachineKind::device && !kokkos_grants(kBytes);
}

/// Runs all teams of the league at the same time, so that they may meet at a GridBarrier. Throws
/// Error, before anything runs, where the league cannot be resident at once.
template <int MaxThreads, class Functor>
void persistent_launch(const ExecSpace& exec, const char* label, int league, std::size_t scratch,
                       const Functor& functor) {
  require_scratch(label, scratch);
  const int resident = max_resident_league<MaxThreads, Functor>(exec, scratch);
  require(
      league <= resident,
      "{}: a league of {} teams cannot be resident at once; at most {} teams of {} threads with "
      "{} bytes of scratch can",
      label, league, resident, kOnDevice ? MaxThreads : 1, scratch);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  const AnnouncedKernel announced(label, exec);
  native::launch_cooperative(native::kernel_of<MaxThreads, 1, Functor>(), exec, league, MaxThreads,
                             scratch, functor);
#else
  // One team a thread: a chunk of one and a league no larger than the pool put every team on a
  // thread of its own.
  Kokkos::TeamPolicy<ExecSpace> policy(exec, league, 1);
  policy.set_chunk_size(1);
  policy.set_scratch_size(kScratchLevel, Kokkos::PerTeam(static_cast<int>(scratch)));
  if constexpr (native::AnyFunctor::kHolds<Functor>) {
    Kokkos::parallel_for(label, policy, native::AnyFunctor(functor));
  } else {
    Kokkos::parallel_for(label, policy, functor);
  }
#endif
}

}  // namespace tessera
