// SPDX-License-Identifier: Apache-2.0
// A row of cells laid out for vectors: each lane holds a stretch of neighbouring cells of its own.
//
//   natural order:                      0 1 2 3 4 5 6 7 8 9 10 11
//   transposed, 4 lanes, 3 vectors:     0 3 6 9 | 1 4 7 10 | 2 5 8 11
//
// A neighbour along x is then the neighbouring vector, so that every load is aligned: in the
// natural order all but one of 2R + 1 neighbours straddle two cache lines, and take two loads each.
// Before a lane's stretch lie the last cells of the one before: the left halo, vectors before the
// row, repeats them. There is no right halo: who makes a row from another lets it begin R cells
// further left. After the dimension-lifted transpose of Henretty, Stock, Pouchet, Franchetti,
// Ramanujam and Sadayappan, "Data layout transformation for stencil computations on short-vector
// SIMD architectures", CC 2011.
//
// A row is passed as the address of its first vector, with its length in vectors.
#pragma once

#include "base/device/host_vector.hpp"

#include <utility>

namespace tessera {

/// Where cell x < length kHostLanes lies; x < 0: in the left halo.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int transposed_place(int x, int length) {
  return x < 0 ? x * kHostLanes<T> : x % length * kHostLanes<T> + x / length;
}

/// Transposes kHostLanes vectors of a row of `length`, no fewer, from vector `first` on.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void transpose_block(T* row, const T* natural, int length, int first) {
  constexpr int kLanes = kHostLanes<T>;
  HostVector<T> block[kLanes];
  static_for<kLanes>([&](auto k) { block[k] = load_host_vector(natural + k * length + first); });
  transpose_lanes<T>(block);
  static_for<kLanes>([&](auto k) { store_host_vector(row + (first + k) * kLanes, block[k]); });
}

/// The other way.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void untranspose_block(T* natural, const T* row, int length,
                                                   int first) {
  constexpr int kLanes = kHostLanes<T>;
  HostVector<T> block[kLanes];
  static_for<kLanes>([&](auto k) { block[k] = load_host_vector(row + (first + k) * kLanes); });
  transpose_lanes<T>(block);
  static_for<kLanes>([&](auto k) { store_host_vector(natural + k * length + first, block[k]); });
}

/// Transposes the length kHostLanes cells from `natural` on one by one: a row shorter than a block.
template <class T>
inline void transpose_row(T* row, const T* natural, int length) {
  for (int x = 0; x < length * kHostLanes<T>; ++x) row[transposed_place<T>(x, length)] = natural[x];
}

/// The other way.
template <class T>
inline void untranspose_row(T* natural, const T* row, int length) {
  for (int x = 0; x < length * kHostLanes<T>; ++x) natural[x] = row[transposed_place<T>(x, length)];
}

/// Fills the left halo, `Vectors` <= length vectors, of a periodic row: its last cells lie before
/// it.
template <int Vectors, class T>
inline void fill_periodic_halo(T* row, int length) {
  constexpr int kLanes = kHostLanes<T>;
  static_for<Vectors>([&](auto i) {
    store_host_vector(row - (i + 1) * kLanes,
                      lanes_up<T>(load_host_vector(row + (length - 1 - i) * kLanes)));
  });
}

/// Fills the left halo, `Vectors` <= length vectors, of a row: all lanes but the first from the
/// row's stretches. Their first lanes, the cells before the row, come from before[0], the nearest,
/// to before[Vectors - 1], which get the row's last cells for it in the same order.
template <int Vectors, class T>
inline void exchange_left_halo(T* row, int length, T* before) {
  constexpr int kLanes = kHostLanes<T>;
  static_for<Vectors>([&](auto i) {
    const T* const last = row + (length - 1 - i) * kLanes;
    T* const halo = row - (i + 1) * kLanes;
    HostVector<T> lanes = lanes_up<T>(load_host_vector(last));
    const T cell = std::exchange(before[i], last[kLanes - 1]);
    if constexpr (kLanes == 1) {
      lanes = cell;
    } else {
      lanes[0] = cell;
    }
    store_host_vector(halo, lanes);
  });
}

}  // namespace tessera
