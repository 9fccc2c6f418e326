// SPDX-License-Identifier: Apache-2.0
// Pointers that the compiler knows to point into team scratch.
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

/// `address`, which must lie in team scratch. Kokkos returns a null pointer where scratch runs out,
/// and nvcc then takes the address for a generic one: slower loads, and two registers a pointer
/// instead of one.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T* scratch_pointer(T* address) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 1) {  // of which nvcc 13.0 makes a call that it then finds broken
    return static_cast<T*>(__cvta_shared_to_generic(__cvta_generic_to_shared(address)));
  } else {
    __builtin_assume(__isShared(address));
  }
#endif
  return address;
}

}  // namespace tessera
