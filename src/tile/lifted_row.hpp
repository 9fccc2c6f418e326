// SPDX-License-Identifier: Apache-2.0
// A row of cells laid out for vectors: each lane holds a stretch of neighbouring cells of its own.
//
//   natural:  0 1 2 3 4 5 6 7 8 9 10 11      lifted, 4 lanes, length 3:  0 3 6 9 | 1 4 7 10 | 2 5 8
//   11
//
// A neighbour along x is then the neighbouring vector, so that every load is aligned: in the
// natural order all but one of 2R + 1 neighbours straddle two cache lines, and take two loads each.
// Beside a lane's stretch lie the first cells of the next one: R vectors on either side of the row
// repeat them. After the dimension-lifted transpose of Henretty, Stock, Pouchet, Franchetti,
// Ramanujam and Sadayappan, "Data layout transformation for stencil computations on short-vector
// SIMD architectures", CC 2011.
//
// A row is passed as the address of its first vector, with its length in vectors.
#pragma once

#include "tile/host_vector.hpp"

namespace tessera {

/// Elements before the first vector of a row with R vectors on either side.
template <class T, int R>
inline constexpr int kLiftedLead = R* kHostLanes<T>;

/// Where cell x, 0 <= x < length kHostLanes, lies.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lifted_place(int x, int length) {
  return x % length * kHostLanes<T> + x / length;
}

/// Lifts the length kHostLanes cells from `natural` on.
template <class T>
inline void lift_row(T* row, const T* natural, int length) {
  constexpr int kLanes = kHostLanes<T>;
  if (length < kLanes) {
    for (int x = 0; x < length * kLanes; ++x) row[lifted_place<T>(x, length)] = natural[x];
    return;
  }
  // The last block overlaps the one before.
  for (int i = 0; i < length; i += kLanes) {
    const int first = i + kLanes <= length ? i : length - kLanes;
    HostVector<T> block[kLanes];
    static_for<kLanes>([&](auto k) { block[k] = load_host_vector(natural + k * length + first); });
    transpose_lanes<T>(block);
    static_for<kLanes>([&](auto k) { store_host_vector(row + (first + k) * kLanes, block[k]); });
  }
}

/// The other way.
template <class T>
inline void lower_row(T* natural, const T* row, int length) {
  constexpr int kLanes = kHostLanes<T>;
  if (length < kLanes) {
    for (int x = 0; x < length * kLanes; ++x) natural[x] = row[lifted_place<T>(x, length)];
    return;
  }
  for (int i = 0; i < length; i += kLanes) {
    const int first = i + kLanes <= length ? i : length - kLanes;
    HostVector<T> block[kLanes];
    static_for<kLanes>([&](auto k) { block[k] = load_host_vector(row + (first + k) * kLanes); });
    transpose_lanes<T>(block);
    static_for<kLanes>([&](auto k) { store_host_vector(natural + k * length + first, block[k]); });
  }
}

/// Fills the R <= length vectors on either side from the row. What has no cell in it, the first
/// lane on the left and the last one on the right, gets cells of the row's other end.
template <int R, class T>
inline void repeat_lifted_ends(T* row, int length) {
  constexpr int kLanes = kHostLanes<T>;
  static_for<R>([&](auto i) {
    T* const last = row + (length - 1 - i) * kLanes;
    store_host_vector(row - (i + 1) * kLanes, lanes_up<T>(load_host_vector(last)));
    store_host_vector(row + (length + i) * kLanes,
                      lanes_down<T>(load_host_vector(row + i * kLanes)));
  });
}

}  // namespace tessera
