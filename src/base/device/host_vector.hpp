// SPDX-License-Identifier: Apache-2.0
// The registers of a host's vector unit, for loops where it matters which value stays in one: a
// vectoriser decides that by itself, and with dozens of rows it loads each value once for each use.
// They are the vector types that GCC and Clang share; on a device, and with other compilers, a
// vector is one value. (Kokkos::Experimental::simd would do, but the oldest Kokkos supported has
// none.)
#pragma once

#include "base/device/fma.hpp"
#include "base/device/space.hpp"
#include "base/device/static_for.hpp"

#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace tessera {

namespace detail {

template <class T>
struct HostVectorOf {
#if !defined(__GNUC__) || defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  using Register = T;
  using Loaded = T;
#else
#if defined(__AVX512F__)
  static constexpr int kBytes = 64;
#elif defined(__AVX__)
  static constexpr int kBytes = 32;
#else
  static constexpr int kBytes = 16;
#endif
  using Register __attribute__((vector_size(kBytes))) = T;
  using Loaded __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias)) = T;
#endif
};

}  // namespace detail

/// kHostLanes<T> neighbouring values; arithmetic works lane by lane.
template <class T>
using HostVector = typename detail::HostVectorOf<T>::Register;
template <class T>
inline constexpr int kHostLanes = sizeof(HostVector<T>) / sizeof(T);
/// How many of them a core's instructions can name.
#if defined(__x86_64__) && !defined(__AVX512F__)
inline constexpr int kHostRegisters = 16;
#else
inline constexpr int kHostRegisters = 32;
#endif

/// All lanes `value`.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostVector<T> all_lanes(T value) {
  return value - HostVector<T>{};
}

/// kHostLanes<T> values from `address` on, which need only be aligned to T.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostVector<T> load_host_vector(const T* address) {
  return *reinterpret_cast<const typename detail::HostVectorOf<T>::Loaded*>(address);
}
/// Stores all lanes from `address` on, which need only be aligned to T.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_host_vector(T* address, HostVector<T> value) {
  *reinterpret_cast<typename detail::HostVectorOf<T>::Loaded*>(address) = value;
}

namespace detail {

/// Lanes I... of `a` and, from kHostLanes on, of `b`.
template <class T, int... I>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostVector<T> pick_lanes(
    [[maybe_unused]] HostVector<T> a, [[maybe_unused]] HostVector<T> b,
    std::integer_sequence<int, I...>) {
#if !defined(__GNUC__) || defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  return a;
#else
  return __builtin_shufflevector(a, b, I...);
#endif
}

/// The lanes of two vectors that change places when blocks of S x S lanes are transposed.
template <class T, int S, int... I>
KOKKOS_FORCEINLINE_FUNCTION void swap_blocks(HostVector<T>& a, HostVector<T>& b,
                                             std::integer_sequence<int, I...>) {
  constexpr int kLanes = kHostLanes<T>;
  const HostVector<T> low =
      pick_lanes<T>(a, b, std::integer_sequence<int, ((I & S) ? kLanes + (I ^ S) : I)...>{});
  b = pick_lanes<T>(a, b, std::integer_sequence<int, ((I & S) ? kLanes + I : (I ^ S))...>{});
  a = low;
}

template <class T, int S>
KOKKOS_FORCEINLINE_FUNCTION void transpose_blocks(HostVector<T> (&v)[kHostLanes<T>]) {
  if constexpr (S < kHostLanes<T>) {
    tessera::static_for<kHostLanes<T>>([&](auto i) __attribute__((always_inline)) {
      if constexpr ((i & S) == 0) {
        swap_blocks<T, S>(v[i], v[i | S], std::make_integer_sequence<int, kHostLanes<T>>{});
      }
    });
    transpose_blocks<T, 2 * S>(v);
  }
}

template <class T, int Shift, int... I>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostVector<T> rotate_lanes(
    HostVector<T> a, std::integer_sequence<int, I...>) {
  constexpr int kLanes = kHostLanes<T>;
  return pick_lanes<T>(a, a, std::integer_sequence<int, ((I + Shift + kLanes) % kLanes)...>{});
}

}  // namespace detail

/// As many vectors as they have lanes: lane j of vector i becomes lane i of vector j.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void transpose_lanes(HostVector<T> (&v)[kHostLanes<T>]) {
  detail::transpose_blocks<T, 1>(v);
}

/// Lane k becomes lane k + 1, the last one lane 0.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostVector<T> lanes_up(HostVector<T> a) {
  return detail::rotate_lanes<T, -1>(a, std::make_integer_sequence<int, kHostLanes<T>>{});
}

/// Keeps a loaded vector in its register: GCC would fold the load into each operation that uses it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void keep_in_register([[maybe_unused]] HostVector<T>& value) {
  if constexpr (kHostLanes < T >> 1) {
#if defined(__x86_64__)
    asm("" : "+v"(value));
#elif defined(__aarch64__)
    asm("" : "+w"(value));
#endif
  }
}

/// all_lanes() of a constant, loaded to a register here, once for all operations that follow: GCC
/// would load it for each of them, or long before.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostVector<T> load_all_lanes(T constant) {
  HostVector<T> value = all_lanes<T>(constant);
  if constexpr (kHostLanes < T >> 1) {
#if defined(__x86_64__)
    asm volatile("" : "+v"(value));
#elif defined(__aarch64__)
    asm volatile("" : "+w"(value));
#endif
  }
  return value;
}

/// a * b + c with the scalar's rounding (multiply_add). The instruction is named where there is
/// one: lane by lane, compilers find it too, but take minutes for a large stencil.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostVector<T> multiply_add_lanes(HostVector<T> a,
                                                                           HostVector<T> b,
                                                                           HostVector<T> c) {
  if constexpr (kHostLanes<T> == 1) {
    return multiply_add(a, b, c);
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return _mm512_fmadd_ps(a, b, c);
    if constexpr (sizeof(T) == 8) return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX__) && defined(__FMA__)
    if constexpr (sizeof(T) == 4) return _mm256_fmadd_ps(a, b, c);
    if constexpr (sizeof(T) == 8) return _mm256_fmadd_pd(a, b, c);
#else
    HostVector<T> sum;
    for (int i = 0; i < kHostLanes<T>; ++i) sum[i] = multiply_add(a[i], b[i], c[i]);
    return sum;
#endif
  }
}

}  // namespace tessera
