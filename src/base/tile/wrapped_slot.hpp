// SPDX-License-Identifier: Apache-2.0
// A slot of a ring, counted on past its end.
#pragma once

#include "base/device/space.hpp"

namespace tessera {

/// The slot of a ring of Slots planes that `slot`, less than twice as many, has come round to. On a
/// host without a branch: in a loop over x it would keep GCC from vectorising.
template <int Slots>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr int wrapped_slot(int slot) {
  if constexpr (kOnDevice) {
    return slot < Slots ? slot : slot - Slots;
  } else {
    return slot - (Slots & -static_cast<int>(slot >= Slots));
  }
}

}  // namespace tessera
