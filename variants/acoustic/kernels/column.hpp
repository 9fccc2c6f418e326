// SPDX-License-Identifier: Apache-2.0
// Half of the sum along z at a time: what a thread of acoustic/two_step keeps of its column.
#pragma once

#include "base/device/static_for.hpp"
#include "variants/acoustic/formula.hpp"
#include "variants/acoustic/kernels/vectors.hpp"

namespace tessera::acoustic {

/// Planes arrive one by one. Each begins its own L(u) with what lies in its plane and behind it,
/// and adds itself to the four begun before: the oldest of them is then complete. So each plane's x
/// and y neighbours are needed once, and 2 kR values a cell are kept, all in registers that stay
/// where they are: the loop is unrolled kR times and their roles move.
template <class Value>
struct Column {
  Value u[kR] = {}, sum[kR] = {};

  /// Takes plane p, whose centre is `centre` and whose c0, x and y terms sum up to `plane`; p % kR
  /// = Phase. Returns L(u) of plane p - kR, whose value goes to `oldest`.
  template <int Phase, class Real>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value take(const Coefficients<Real>& k,
                                                       const Value& centre, Value plane,
                                                       Value& oldest) {
    static_for<kR>([&](auto i) {
      constexpr int kM = decltype(i)::value + 1;
      plane = multiply_add(k.cz[kM - 1], u[(Phase + kR - kM) % kR], plane);
    });
    const Value l = multiply_add(k.cz[kR - 1], centre, sum[Phase]);
    static_for<kR - 1>([&](auto i) {
      constexpr int kM = decltype(i)::value + 1, kAt = (Phase + kR - kM) % kR;
      sum[kAt] = multiply_add(k.cz[kM - 1], centre, sum[kAt]);
    });
    sum[Phase] = plane;
    oldest = u[Phase];
    u[Phase] = centre;
    return l;
  }
};

/// The c0, x and y terms of L(u) of the V cells at `here`, a pointer or a Packed address in a plane
/// in scratch of `Pitch` elements a row; `centre` is what lies there.
template <int V, int Pitch, class Real, class Address>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<Real, V> plane_terms(const Coefficients<Real>& k,
                                                                    const Address& here,
                                                                    const Pack<Real, V>& centre) {
  using Value = Pack<Real, V>;
  const auto row = load_row<V, kR>(here);
  Value sum = k.c0 * centre;
  static_for<kR>([&](auto i) {
    constexpr int kM = decltype(i)::value + 1;
    const Value both =
        make_pack<Real, V>([&](int v) { return row[kR + v - kM] + row[kR + v + kM]; });
    sum = multiply_add(k.cx[kM - 1], both, sum);
  });
  static_for<kR>([&](auto i) {
    constexpr int kM = decltype(i)::value + 1;
    const Value both = load_pack<V>(here - kM * Pitch) + load_pack<V>(here + kM * Pitch);
    sum = multiply_add(k.cy[kM - 1], both, sum);
  });
  return sum;
}

}  // namespace tessera::acoustic
