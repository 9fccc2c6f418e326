// SPDX-License-Identifier: Apache-2.0
// A register of a host's vector unit as a Pack: a point formula written for one value then makes
// kHostLanes of them at once, with the same roundings, and the programmer says what stays in a
// register (see device/host_vector.hpp).
#pragma once

#include "base/device/host_vector.hpp"
#include "base/tile/vec.hpp"

#include <utility>

namespace tessera {

/// kHostLanes<T> neighbouring values; arithmetic works lane by lane, also with a scalar.
template <class T>
struct HostPack {
  HostVector<T> v;

  HostPack() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit HostPack(HostVector<T> lanes) : v(lanes) {}
  /// All lanes `value`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static HostPack all(T value) {
    return HostPack(all_lanes<T>(value));
  }
  /// `address` need only be aligned to T.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static HostPack load(const T* address) {
    return HostPack(load_host_vector(address));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* address) const { store_host_vector(address, v); }

  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION HostPack operator+(HostPack a, HostPack b) {
    return HostPack(a.v + b.v);
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION HostPack operator+(T a, HostPack b) {
    return all(a) + b;
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION HostPack operator-(HostPack a, HostPack b) {
    return HostPack(a.v - b.v);
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION HostPack operator-(T a, HostPack b) {
    return all(a) - b;
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION HostPack operator-(HostPack a) {
    return HostPack(-a.v);
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION HostPack operator*(HostPack a, HostPack b) {
    return HostPack(a.v * b.v);
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION HostPack operator*(T a, HostPack b) {
    return all(a) * b;
  }
  /// Rounded once, as the scalar divide().
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION HostPack divide(HostPack a, HostPack b) {
    return HostPack(a.v / b.v);
  }
};

namespace detail {

template <class T>
struct PackTraits<HostPack<T>> {
  using Scalar = T;
  static constexpr int kLanes = kHostLanes<T>;
};

template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<T> in_all_lanes(T value) {
  return HostPack<T>::all(value);
}
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<T> in_all_lanes(HostPack<T> value) {
  return value;
}

template <class A>
inline constexpr bool kIsHostPack = false;
template <class T>
inline constexpr bool kIsHostPack<HostPack<T>> = true;

template <class T, int First, int... I>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<T> lanes_from(HostPack<T> a, HostPack<T> b,
                                                                 std::integer_sequence<int, I...>) {
  return HostPack<T>(pick_lanes<T>(a.v, b.v, std::integer_sequence<int, (I + First)...>{}));
}

}  // namespace detail

/// kHostLanes<T> lanes of `a` and then `b`, from lane `First` on, 0 < First < kHostLanes<T>. The
/// instruction is named where there is one: GCC takes a general permutation, and for each `First` a
/// register of indices.
template <int First, class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<T> lanes_from(HostPack<T> a, HostPack<T> b) {
  static_assert(First > 0 && First < kHostLanes<T>);
#if defined(__AVX512F__)
  // With a mask of all lanes: GCC 12 warns of its own header's plain form.
  if constexpr (kHostLanes<T> == 16) {
    return HostPack<T>(_mm512_castsi512_ps(_mm512_maskz_alignr_epi32(
        static_cast<__mmask16>(-1), _mm512_castps_si512(b.v), _mm512_castps_si512(a.v), First)));
  } else if constexpr (kHostLanes<T> == 8) {
    return HostPack<T>(_mm512_castsi512_pd(_mm512_maskz_alignr_epi64(
        static_cast<__mmask8>(-1), _mm512_castpd_si512(b.v), _mm512_castpd_si512(a.v), First)));
  }
#endif
  return detail::lanes_from<T, First>(a, b, std::make_integer_sequence<int, kHostLanes<T>>{});
}

/// Stores lanes [begin, end) of `value`, those that exist, and touches nothing else.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_between(T* address, int begin, int end, HostPack<T> value) {
  constexpr int kLanes = kHostLanes<T>;
  begin = begin < 0 ? 0 : begin;
  end = end > kLanes ? kLanes : end;
  if (begin >= end) return;
#if defined(__AVX512F__)
  const unsigned mask = ((1U << (end - begin)) - 1U) << begin;
  if constexpr (kLanes == 1) {
    value.store(address);
  } else if constexpr (sizeof(T) == 4) {
    _mm512_mask_storeu_ps(address, static_cast<__mmask16>(mask), value.v);
  } else {
    _mm512_mask_storeu_pd(address, static_cast<__mmask8>(mask), value.v);
  }
#else
  T lanes[kLanes];
  value.store(lanes);
  for (int i = begin; i < end; ++i) address[i] = lanes[i];
#endif
}

/// a where a > 0, else 0.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<T> positive_part(HostPack<T> a) {
  return HostPack<T>(a.v > HostVector<T>{} ? a.v : HostVector<T>{});
}

/// a * b + c, each a HostPack or a scalar, at least one a HostPack.
template <class A, class B, class C>
requires(detail::kIsHostPack<A> || detail::kIsHostPack<B> || detail::kIsHostPack<C>)  //
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto multiply_add(A a, B b, C c) {
  using T = PackScalar<A>;
  return HostPack<T>(multiply_add_lanes<T>(detail::in_all_lanes(a).v, detail::in_all_lanes(b).v,
                                           detail::in_all_lanes(c).v));
}

}  // namespace tessera
