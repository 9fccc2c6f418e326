// SPDX-License-Identifier: Apache-2.0
// Values from the neighbouring threads of a warp: what a thread next door has in a register need
// not be loaded again.
#pragma once

#include "base/device/space.hpp"

#include <cstdint>

namespace tessera {

/// Threads of a row that exchange values: a warp, or half of a wider one.
inline constexpr int kRowLanes = 32;

/// `value` of the thread before in a row of 32; the first one's own.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T lane_before(T value) {
#if defined(__CUDA_ARCH__)
  return __shfl_up_sync(~0U, value, 1);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl_up(value, 1, 32);
#else
  return value;
#endif
}
/// `value` of the thread after in a row of 32; the last one's own.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T lane_after(T value) {
#if defined(__CUDA_ARCH__)
  return __shfl_down_sync(~0U, value, 1);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl_down(value, 1, 32);
#else
  return value;
#endif
}

/// The largest `value` of `Width` neighbouring threads, a power of two up to 32, the first one's
/// `rank` in the team a multiple of it. All of them call it.
template <int Width>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t largest_of_lanes(
    std::uint32_t value, [[maybe_unused]] int rank) {
  static_assert(Width <= kRowLanes && (Width & (Width - 1)) == 0);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  for (int apart = Width / 2; apart > 0; apart /= 2) {
#if defined(__CUDA_ARCH__)
    constexpr unsigned kThese = Width == 32 ? ~0U : (1U << (Width % 32)) - 1U;
    const std::uint32_t other =
        __shfl_xor_sync(kThese << (rank % kRowLanes / Width * Width), value, apart);
#else
    const std::uint32_t other = __shfl_xor(value, apart, Width);
#endif
    value = other > value ? other : value;
  }
#endif
  return value;
}

}  // namespace tessera
