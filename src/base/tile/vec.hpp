// SPDX-License-Identifier: Apache-2.0
// N neighbouring values that are loaded and stored at once, their arithmetic, and the streaming
// store.
#pragma once

#include "base/device/fma.hpp"
#include "base/device/space.hpp"
#include "base/device/static_for.hpp"

#include <type_traits>

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
    using Part = std::conditional_t<alignof(Vec) == 16, float4,
                                    std::conditional_t<alignof(Vec) == 8, float2, float>>;
    for (int i = 0; i < static_cast<int>(sizeof(Vec) / sizeof(Part)); ++i) {
      __stcs(reinterpret_cast<Part*>(address) + i, reinterpret_cast<const Part*>(this)[i]);
    }
#else
    for (int i = 0; i < N; ++i) tessera::store_streaming(address + i, value[i]);
#endif
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T& operator[](int i) { return value[i]; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const T& operator[](int i) const { return value[i]; }
};

/// N values of a thread: a plain T where N is 1, so that a host compiler vectorises over cells.
template <class T, int N>
using Pack = std::conditional_t<N == 1, T, Vec<T, N>>;

namespace detail {

template <class T>
struct PackTraits {
  using Scalar = T;
  static constexpr int kLanes = 1;
};
template <class T, int N>
struct PackTraits<Vec<T, N>> {
  using Scalar = T;
  static constexpr int kLanes = N;
};

/// The Vec among the operands of an operation; others are scalars, the same for every lane.
template <class... A>
struct VecAmong {};
template <class T, int N, class... A>
struct VecAmong<Vec<T, N>, A...> {
  using Type = Vec<T, N>;
};
template <class A, class... B>
struct VecAmong<A, B...> : VecAmong<B...> {};
template <class... A>
using FirstVec = typename VecAmong<A...>::Type;

}  // namespace detail

/// The element type of a Pack.
template <class P>
using PackScalar = typename detail::PackTraits<P>::Scalar;

/// Lane i of a Pack; a scalar has the same value in every lane.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T lane(const T& value, int) {
  return value;
}
template <class T, int N>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T lane(const Vec<T, N>& value, int i) {
  return value[i];
}

/// The Pack at `address`, aligned as Vec::load requires.
template <int N, class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<T, N> load_pack(const T* address) {
  if constexpr (N == 1) {
    return *address;
  } else {
    return Vec<T, N>::load(address);
  }
}

/// The Pack whose lane i is f(i).
template <class T, int N, class F>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<T, N> make_pack(const F& f) {
  if constexpr (N == 1) {
    return f(0);
  } else {
    Vec<T, N> result;
    static_for<N>([&](auto i) { result[i] = f(static_cast<int>(i)); });
    return result;
  }
}

/// Lane by lane: a point function written for one value then serves N, with the same roundings.
template <class A, class B, class V = detail::FirstVec<A, B>>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION V operator+(const A& a, const B& b) {
  return make_pack<PackScalar<V>, V::kSize>([&](int i) { return lane(a, i) + lane(b, i); });
}
template <class A, class B, class V = detail::FirstVec<A, B>>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION V operator-(const A& a, const B& b) {
  return make_pack<PackScalar<V>, V::kSize>([&](int i) { return lane(a, i) - lane(b, i); });
}
template <class A, class B, class V = detail::FirstVec<A, B>>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION V operator*(const A& a, const B& b) {
  return make_pack<PackScalar<V>, V::kSize>([&](int i) { return lane(a, i) * lane(b, i); });
}
template <class A, class B, class V = detail::FirstVec<A, B>>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION V divide(const A& a, const B& b) {
  return make_pack<PackScalar<V>, V::kSize>([&](int i) { return divide(lane(a, i), lane(b, i)); });
}
template <class T, int N>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Vec<T, N> operator-(const Vec<T, N>& a) {
  return make_pack<T, N>([&](int i) { return -a[i]; });
}
template <class A, class B, class C, class V = detail::FirstVec<A, B, C>>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION V multiply_add(const A& a, const B& b, const C& c) {
  return make_pack<PackScalar<V>, V::kSize>(
      [&](int i) { return multiply_add(lane(a, i), lane(b, i), lane(c, i)); });
}

}  // namespace tessera
