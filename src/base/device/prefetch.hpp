// SPDX-License-Identifier: Apache-2.0
// Prefetches, bytes in flight that cost no registers; and loads past the nearest cache.
#pragma once

#include "base/device/space.hpp"

namespace tessera {

/// Prefetches the line of `address` to L2, where the backend can; without other effect. On a
/// device the address must lie in an allocation.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_to_l2([[maybe_unused]] const T* address) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#elif defined(__GNUC__) && !defined(__HIP_DEVICE_COMPILE__)
  __builtin_prefetch(address, 0, 2);
  asm volatile("");  // GCC takes a function that does nothing but prefetch for a pure one
#endif
}

/// A value that another team wrote before a barrier of the league: read where all teams see the
/// same, past the cache of this multiprocessor.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T load_from_l2(const T* address) {
#if defined(__CUDA_ARCH__)
  return __ldcg(address);
#else
  return *address;
#endif
}

/// Bytes of a host's cache line.
inline constexpr int kHostLineBytes = 64;

/// Elements of one.
template <class Real>
inline constexpr int kHostLine = kHostLineBytes / static_cast<int>(sizeof(Real));

/// Requests the line of `at` before it is read.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch(const T* at) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  __builtin_prefetch(at, 0, 3);
  asm volatile("");
#else
  static_cast<void>(at);
#endif
}

}  // namespace tessera
