// SPDX-License-Identifier: Apache-2.0
// N neighbouring values that are loaded and stored at once, and the streaming store.
#pragma once

#include "tile/space.hpp"

namespace tessera {

/// Stores a value that will not be read again soon past the caches, where the backend has such an
/// instruction for a single value (CUDA st.cs, clang's non-temporal store); a plain store
/// elsewhere.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_streaming(T* address, T value) {
#if defined(__CUDA_ARCH__)
  __stcs(address, value);
#elif defined(__clang__)
  __builtin_nontemporal_store(value, address);
#else
  *address = value;
#endif
}

/// N = 1, 2 or 4 values, aligned to their common size but to no more than 16 bytes, the widest
/// access of a device thread.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vec {
  static_assert(N == 1 || N == 2 || N == 4);
  static constexpr int kSize = N;

  T value[N];

  /// `address` must be aligned to alignof(Vec).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Vec load(const T* address) {
    return *reinterpret_cast<const Vec*>(address);
  }
  /// `address` must be aligned to alignof(Vec).
  KOKKOS_FORCEINLINE_FUNCTION void store(T* address) const {
    *reinterpret_cast<Vec*>(address) = *this;
  }
  /// Like store, past the caches where the backend can.
  KOKKOS_FORCEINLINE_FUNCTION void store_streaming(T* address) const {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Vec) == 16) {
      __stcs(reinterpret_cast<float4*>(address), *reinterpret_cast<const float4*>(this));
    } else if constexpr (sizeof(Vec) == 8) {
      __stcs(reinterpret_cast<float2*>(address), *reinterpret_cast<const float2*>(this));
    } else {
      for (int i = 0; i < N; ++i) tessera::store_streaming(address + i, value[i]);
    }
#else
    for (int i = 0; i < N; ++i) tessera::store_streaming(address + i, value[i]);
#endif
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T& operator[](int i) { return value[i]; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const T& operator[](int i) const { return value[i]; }
};

}  // namespace tessera
