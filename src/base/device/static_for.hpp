// SPDX-License-Identifier: Apache-2.0
// Loops that are unrolled at compile time; their index is a constant expression in the body.
#pragma once

#include <Kokkos_Macros.hpp>

#include <type_traits>
#include <utility>

namespace tessera {

/// A compile-time int as a value; converts to int.
template <int I>
using Constant = std::integral_constant<int, I>;

namespace detail {

template <class Body, int... I>
KOKKOS_FORCEINLINE_FUNCTION void static_for(const Body& body, std::integer_sequence<int, I...>) {
  (body(Constant<I>{}), ...);
}

template <class Body, int... I>
KOKKOS_FORCEINLINE_FUNCTION void static_while(const Body& body, std::integer_sequence<int, I...>) {
  static_cast<void>((body(Constant<I>{}) && ...));
}

}  // namespace detail

/// Calls body(Constant<0>), ..., body(Constant<N-1>).
template <int N, class Body>
KOKKOS_FORCEINLINE_FUNCTION void static_for(const Body& body) {
  detail::static_for(body, std::make_integer_sequence<int, N>{});
}

/// The same, until body returns false.
template <int N, class Body>
KOKKOS_FORCEINLINE_FUNCTION void static_while(const Body& body) {
  detail::static_while(body, std::make_integer_sequence<int, N>{});
}

/// (phase + Offset) modulo Depth: a constant for a constant phase, a plain int for an int.
template <int Depth, int Phase, int Offset>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr auto rotate(Constant<Phase>, Constant<Offset>) {
  return Constant<(Phase + Offset) % Depth>{};
}
template <int Depth, int Offset>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr int rotate(int phase, Constant<Offset>) {
  return (phase + Offset) % Depth;
}

}  // namespace tessera
