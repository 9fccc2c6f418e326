// SPDX-License-Identifier: Apache-2.0
// Multiply-add with its contraction pinned, and a division without a slow path. The build forbids
// the compiler to contract on its own (-ffp-contract=off, --fmad=false), so a point function rounds
// alike in every variant.
#pragma once

#include <Kokkos_Macros.hpp>

#include <type_traits>

namespace tessera {

// Clang says of x86 that it has the instruction, and not that it is fast.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(__FP_FAST_FMAF) || \
    defined(__FMA__)
inline constexpr bool kFusedMultiplyAdd = true;
#else
inline constexpr bool kFusedMultiplyAdd = false;
#endif

/// a*b + c: rounded once where the machine has the instruction, else twice; never a library call.
template <class T, class = std::enable_if_t<std::is_floating_point_v<T>>>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T multiply_add(T a, T b, T c) {
  if constexpr (!kFusedMultiplyAdd) {
    return a * b + c;
  } else if constexpr (sizeof(T) == sizeof(float)) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
}

/// a / b, rounded once, for |b| of the order of one. CUDA's own division leaves its fast path where
/// the numerator is zero or tiny, which is most of a wavefield that a source has just entered; with
/// the reciprocal rounded once, Newton's correction of the quotient rounds as a division does
/// (Markstein 1990), numerators near underflow apart. In float the reciprocal is Newton's too: that
/// of CUDA checks in each thread whether its argument is an ordinary number.
template <class T, class = std::enable_if_t<std::is_floating_point_v<T>>>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T divide(T a, T b) {
#if defined(__CUDA_ARCH__)
  T reciprocal;
  if constexpr (sizeof(T) == sizeof(float)) {
    const T approximate = __fdividef(1.0F, b);
    reciprocal = multiply_add(multiply_add(-b, approximate, 1.0F), approximate, approximate);
  } else {
    reciprocal = __drcp_rn(b);
  }
  const T quotient = a * reciprocal;
  return multiply_add(multiply_add(-b, quotient, a), reciprocal, quotient);
#else
  return a / b;
#endif
}

}  // namespace tessera
