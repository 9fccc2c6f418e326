// SPDX-License-Identifier: Apache-2.0
// Vectors of V neighbouring cells along x that one thread owns: the row around them, and the store.
#pragma once

#include "base/tile/vec.hpp"
#include "variants/directional/formula.hpp"

namespace tessera::directional {

/// Cells on either side of a vector that are loaded with it: R, rounded up to whole vectors (the
/// paper's XREG).
template <int R, int V>
inline constexpr int kSide = (R + V - 1) / V* V;

/// Elements loaded for a cell where a thread reads its vector and the vectors beside it.
template <int R, int V>
inline constexpr double kRowLoads = 1 + 2.0 * kSide<R, V> / V;

/// The vector of V cells at `here` with its neighbours along x, in registers (the paper's x_reg);
/// where V is 1 the neighbours stay where they are. On a device `here` is aligned to a vector.
template <class Real, int V, int R>
class RowAround {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit RowAround(const Real* here) {
    if constexpr (V == 1) {
      here_ = here;
    } else {
      static_for<1 + 2 * kS / V>([&](auto j) {
        const auto part = load_pack<V>(here - kS + V * j);
        for (int v = 0; v < V; ++v) cell_[V * j + v] = part[v];
      });
    }
  }

  /// The same with the vector itself at hand: only the neighbours are loaded.
  KOKKOS_FORCEINLINE_FUNCTION RowAround(const Real* here, const Pack<Real, V>& centre) {
    if constexpr (V == 1) {
      here_ = here;
    } else {
      static_for<1 + 2 * kS / V>([&](auto j) {
        const auto part = j * V == kS ? centre : load_pack<V>(here - kS + V * j);
        for (int v = 0; v < V; ++v) cell_[V * j + v] = part[v];
      });
    }
  }

  /// The vector m cells further on.
  template <int M>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<Real, V> operator()(Constant<M>) const {
    if constexpr (V == 1) {
      return here_[M];
    } else {
      return make_pack<Real, V>([&](int v) { return cell_[kS + M + v]; });
    }
  }

 private:
  static constexpr int kS = kSide<R, V>;
  const Real* here_ = nullptr;
  Real cell_[V == 1 ? 1 : V + 2 * kS];
};

/// Puts a Pack into team scratch; on a device `address` is aligned to a vector.
template <int V, class Real>
KOKKOS_FORCEINLINE_FUNCTION void put_pack(Real* address, const Pack<Real, V>& value) {
  if constexpr (V == 1) {
    *address = value;
  } else {
    value.store(address);
  }
}

/// Stores the first `count` cells of a vector, a whole one where count >= V; past the caches where
/// Streaming (the paper's non-temporal store).
template <int V, bool Streaming, class Real>
KOKKOS_FORCEINLINE_FUNCTION void store_vector(Real* address, const Pack<Real, V>& value,
                                              [[maybe_unused]] int count) {
  if constexpr (V == 1) {
    if constexpr (Streaming && kOnDevice) {
      store_streaming(address, value);
    } else {
      *address = value;
    }
  } else if (count >= V) {
    if constexpr (Streaming) {
      value.store_streaming(address);
    } else {
      value.store(address);
    }
  } else {
    for (int v = 0; v < V; ++v) {
      if (v < count) address[v] = value[v];
    }
  }
}

}  // namespace tessera::directional
