// SPDX-License-Identifier: Apache-2.0
// The partial sums that a device thread of `warps` keeps of one time step, and how a plane is added
// to them.
//
//   for rows of a plane, those of the warps before and after included
//     for s in R ... -R, y, x                 # each value for all the sums that it is a term of
//       of[R - s][row - y] += w(s, y, x) * value beside by x      # of other lanes: by a shuffle
//     once a row of cells has had its last row: hand over of[0], move the others one on
#pragma once

#include "base/device/lanes.hpp"
#include "base/device/unroll.hpp"
#include "variants/jacobi/formula.hpp"

namespace tessera::jacobi {

/// The sums under way of a thread's cells, kV neighbouring ones in each of kRows rows: 2R a cell,
/// one for each plane that a time step has begun and not completed.
template <class StencilType, class Real, class TileType>
struct PartialSums {
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kV = TileType::kVector, kRows = TileType::kRows;
  static constexpr int kOpen = 2 * kR;
  using Row = Real[kV];

  Real of[kOpen][kRows][kV];  ///< the first is that of the plane to be completed next

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    TESSERA_UNROLL
    for (int i = 0; i < kOpen * kRows * kV; ++i) (&of[0][0][0])[i] = Real(0);
  }

  /// One time step: adds the terms of `plane`, with the rows before and after the thread's own, and
  /// leaves in it the plane that they complete.
  KOKKOS_FORCEINLINE_FUNCTION void advance(Row (&before)[kRy + 1], Row (&after)[kRy + 1],
                                           Row (&plane)[kRows]) {
    Row fresh[kRows];
    Row made[kRows];
    TESSERA_UNROLL
    for (int r = -kRy; r < kRows + kRy; ++r) {
      const Row& row = r < 0 ? before[r + kRy] : r < kRows ? plane[r] : after[r - kRows];
      add_row(row, r, fresh);
      const int i = r - kRy;  // the row of cells whose last one this was
      if (i < 0) continue;
      TESSERA_UNROLL
      for (int k = 0; k < kV; ++k) {
        made[i][k] = of[0][i][k];
        TESSERA_UNROLL
        for (int m = 0; m + 1 < kOpen; ++m) of[m][i][k] = of[m + 1][i][k];
        of[kOpen - 1][i][k] = fresh[i][k];
      }
    }
    copy(made, plane);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void copy(const Row (&from)[kRows], Row (&to)[kRows]) {
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int k = 0; k < kV; ++k) to[r][k] = from[r][k];
    }
  }

 private:
  /// Whether a point of the stencil lies at (any s, y, any x but 0).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool needs_sides(int r) {
    for (int y = -kRy; y <= kRy; ++y) {
      if (r - y < 0 || r - y >= kRows) continue;
      for (int s = -kR; s <= kR; ++s) {
        for (int x = 1; x <= kR; ++x) {
          if (StencilType::has(s, y, x) || StencilType::has(s, y, -x)) return true;
        }
      }
    }
    return false;
  }

  /// Adds what row r of the strip gives to the sums of its cells; `fresh` begins those of one more
  /// plane.
  KOKKOS_FORCEINLINE_FUNCTION void add_row(const Row& row, int r, Row (&fresh)[kRows]) {
    constexpr Point kFirst = StencilType::points()[0];
    Real value[kV + 2 * kR];
    TESSERA_UNROLL
    for (int k = 0; k < kV; ++k) value[kR + k] = row[k];
    if (needs_sides(r)) {
      TESSERA_UNROLL
      for (int k = 0; k < kR; ++k) {
        value[k] = lane_before(row[kV - kR + k]);
        value[kR + kV + k] = lane_after(row[k]);
      }
    }
    TESSERA_UNROLL
    for (int y = -kRy; y <= kRy; ++y) {
      const int i = r - y;
      if (i < 0 || i >= kRows) continue;
      TESSERA_UNROLL
      for (int s = kR; s >= -kR; --s) {
        TESSERA_UNROLL
        for (int x = -kR; x <= kR; ++x) {
          if (!StencilType::has(s, y, x)) continue;
          const Real weight = weight_at<StencilType, Real>(s, y, x);
          const bool first = s == -kR && y == kFirst.y && x == kFirst.x;
          TESSERA_UNROLL
          for (int k = 0; k < kV; ++k) {
            Real& sum = s == -kR ? fresh[i][k] : of[kR - s][i][k];
            const Real u = value[kR + k + x];
            sum = first ? weight * u : multiply_add(weight, u, sum);
          }
        }
      }
    }
  }
};

}  // namespace tessera::jacobi
