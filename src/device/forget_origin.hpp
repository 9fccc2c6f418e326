// SPDX-License-Identifier: Apache-2.0
// What a device compiler must not know, lest it spend registers on it.
#pragma once

#include "device/space.hpp"

namespace tessera {

/// The compiler forgets how `value`, of 4 or 8 bytes, came about. Of an address it would keep the
/// terms in registers where the sum is all that a loop needs; and what does not depend on the
/// team's place in the league it would compute before the loop over the league, and keep as long.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void forget_origin([[maybe_unused]] T& value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    asm volatile("" : "+l"(value));
  } else {
    asm volatile("" : "+r"(value));
  }
#endif
}

}  // namespace tessera
