// SPDX-License-Identifier: Apache-2.0
// Multiply-add with its contraction pinned. The build forbids the compiler to contract on its own
// (-ffp-contract=off, --fmad=false), so a point function rounds alike in every variant.
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(__FP_FAST_FMAF)
inline constexpr bool kFusedMultiplyAdd = true;
#else
inline constexpr bool kFusedMultiplyAdd = false;
#endif

/// a*b + c: rounded once where the machine has the instruction, else twice; never a library call.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T multiply_add(T a, T b, T c) {
  if constexpr (!kFusedMultiplyAdd) {
    return a * b + c;
  } else if constexpr (sizeof(T) == sizeof(float)) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
}

}  // namespace tessera
