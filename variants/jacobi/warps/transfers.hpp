// SPDX-License-Identifier: Apache-2.0
// How rows of a thread of `warps` go from scratch to its registers and back, in pieces of at most
// 16 bytes. Of a plane that has arrived, the pieces of all threads lie beside each other; of rows
// that warps hand on, the cells.
#pragma once

#include "base/device/unroll.hpp"
#include "base/tile/vec.hpp"

namespace tessera::jacobi {

template <class Real, class TileType>
struct Transfers {
  static constexpr int kV = TileType::kVector, kRows = TileType::kRows;
  static constexpr int kThreads = TileType::kThreads;
  static constexpr int kPiece = kV * sizeof(Real) > 16 ? 16 / static_cast<int>(sizeof(Real)) : kV;
  using Row = Real[kV];

  /// The thread's cells of a plane that has arrived.
  KOKKOS_FORCEINLINE_FUNCTION static void take(const Real* from, Row (&plane)[kRows]) {
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int k = 0; k < kV; k += kPiece) {
        const auto piece = Vec<Real, kPiece>::load(from + (r * kV + k) * kThreads);
        TESSERA_UNROLL
        for (int i = 0; i < kPiece; ++i) plane[r][k + i] = piece[i];
      }
    }
  }

  /// A row of the thread's cells, to scratch or memory and from scratch.
  KOKKOS_FORCEINLINE_FUNCTION static void put(Real* to, const Row& row) {
    TESSERA_UNROLL
    for (int k = 0; k < kV; k += kPiece) {
      Vec<Real, kPiece> piece;
      TESSERA_UNROLL
      for (int i = 0; i < kPiece; ++i) piece[i] = row[k + i];
      piece.store(to + k);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void get(const Real* from, Row& row) {
    TESSERA_UNROLL
    for (int k = 0; k < kV; k += kPiece) {
      const auto piece = Vec<Real, kPiece>::load(from + k);
      TESSERA_UNROLL
      for (int i = 0; i < kPiece; ++i) row[k + i] = piece[i];
    }
  }

  /// Fixed cells keep their values: those that `arrived` from memory.
  KOKKOS_FORCEINLINE_FUNCTION static void put_fixed(unsigned fixed, const Real* arrived,
                                                    Row (&plane)[kRows]) {
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int k = 0; k < kV; ++k) {
        if ((fixed >> (r * kV + k) & 1U) != 0) {
          plane[r][k] = arrived[(r * kV + k / kPiece * kPiece) * kThreads + k % kPiece];
        }
      }
    }
  }
};

}  // namespace tessera::jacobi
