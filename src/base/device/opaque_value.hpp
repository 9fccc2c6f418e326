// SPDX-License-Identifier: Apache-2.0
// Opaque values: an optimisation barrier for one value, so that a device compiler does not spend
// registers on what it knows of it.
#pragma once

#include "base/device/space.hpp"

namespace tessera {

/// From here on the compiler does not know how `value`, of 4 or 8 bytes, came about. It would
/// keep the terms of an address in registers, where a loop needs only their sum; and what does not
/// depend on the team's place in the league it would compute before the loop over the league, and
/// keep as long.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void make_opaque([[maybe_unused]] T& value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    asm volatile("" : "+l"(value));
  } else {
    asm volatile("" : "+r"(value));
  }
#endif
}

}  // namespace tessera
