// SPDX-License-Identifier: Apache-2.0
// Values from the neighbouring threads of a warp: what a thread next door has in a register need
// not be loaded again.
#pragma once

#include "base/device/space.hpp"

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

}  // namespace tessera
