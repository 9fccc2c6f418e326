// SPDX-License-Identifier: Apache-2.0
// Values from the neighbouring threads of a warp: what a thread next door has in a register need
// not be loaded again.
#pragma once

#include "tile/space.hpp"

namespace tessera {

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

/// The threads of a warp that work on one row, and where this one stands among them. Every one of
/// them must make the same calls in the same order.
class RowLanes {
 public:
  static constexpr int kLanes = 32;

  /// Thread `x` of the `count` threads of a block that own cells of this row, which begin at a
  /// multiple of a warp's 32 threads within the block (on a device of wider warps too).
  KOKKOS_FORCEINLINE_FUNCTION RowLanes(int x, int count)
      : first_(x % kLanes == 0), last_(x % kLanes == kLanes - 1 || x == count - 1) {
    const int here = count - x / kLanes * kLanes;
    mask_ = here >= kLanes ? ~0U : (1U << here) - 1U;
  }

  /// True where the thread before, or after, is in another warp, or there is none.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool first() const { return first_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool last() const { return last_; }

  /// `value` of the thread before; `edge` where there is none in this warp.
  template <class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T before(T value, T edge) const {
#if defined(__CUDA_ARCH__)
    value = __shfl_up_sync(mask_, value, 1, kLanes);
#elif defined(__HIP_DEVICE_COMPILE__)
    value = __shfl_up(value, 1, kLanes);
#endif
    return first_ ? edge : value;
  }
  /// `value` of the thread after; `edge` where there is none in this warp.
  template <class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T after(T value, T edge) const {
#if defined(__CUDA_ARCH__)
    value = __shfl_down_sync(mask_, value, 1, kLanes);
#elif defined(__HIP_DEVICE_COMPILE__)
    value = __shfl_down(value, 1, kLanes);
#endif
    return last_ ? edge : value;
  }

 private:
  unsigned mask_ = 0;
  bool first_, last_;
};

}  // namespace tessera
