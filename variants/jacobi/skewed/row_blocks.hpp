// SPDX-License-Identifier: Apache-2.0
// Rows of a skewed tile: the computed cells, a chunk at a time, and the fixed ones beside the grid.
#pragma once

#include "base/device/static_for.hpp"
#include "base/tile/transposed_row.hpp"
#include "variants/jacobi/skewed/layout.hpp"
#include "variants/jacobi/skewed/sums.hpp"
#include "variants/jacobi/skewed/tiles.hpp"

#include <algorithm>

namespace tessera::jacobi {

/// Makes rows of one time step. Pitch: an int or a Constant (see BlockSums::make()).
template <class StencilType, class Real, class Pitch>
class RowBlocks {
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kLanes = kHostLanes<Real>;

 public:
  /// Rows whose first cell is x0, in the cut `x`; `chunk` elements, whole vectors, at a time.
  RowBlocks(const TileLayout& layout, Pitch pitch, int chunk, const SkewedCut& x, int x0)
      : width_(layout.width()), plane_(layout.plane), chunk_(chunk), pitch_(pitch) {
    for (int i = -kR; i < kR; ++i) {
      const int at = x.place((i < 0 ? 0 : x.n) + i, x0);
      if (at >= 0 && at < width_) fixed_[count_++] = transposed_place<Real>(at, layout.length);
    }
  }
  /// Rows y ... y + Ky - 1 of Ks planes, of which `out` is the first: from planes
  /// in(Constant<0 ... 2R + Ks - 1>), whose rows begin R cells further right, and planes R rows
  /// further down. Calls meanwhile() before each chunk.
  template <int Ks, int Ky, class In, class Meanwhile>
  void make(const In& in, Real* out, int y, const Meanwhile& meanwhile) const {
    using Sums = BlockSums<StencilType, Real, Ks, Ky>;
    const Real* from[Sums::kPlanes];
    static_for<Sums::kPlanes>([&](auto i) { from[i] = in(i) + (y - kRy) * pitch_; });
    Real* const to = out + y * pitch_;
    // Cells beside the grid are fixed: what is computed there makes way for them. A neighbour along
    // x is the neighbouring vector's, in the same lane.
    Real fixed[2 * kR][Ks * Ky];
    const auto for_each_fixed = [&](const auto& body) {
      for (int i = 0; i < count_; ++i) {
        static_for<Ks * Ky>(
            [&](auto block) { body(fixed[i][block], fixed_[i], block / Ky, block % Ky); });
      }
    };
    for_each_fixed([&](Real& cell, int at, int k, int j) {
      cell = from[kR + k][j * pitch_ + at - kR * kLanes];
    });
    for (int end = width_; end > 0; end -= chunk_) {
      meanwhile();
      Sums::make(from, to, plane_, pitch_, std::max(end - chunk_, 0), end);
    }
    for_each_fixed(
        [&](const Real& cell, int at, int k, int j) { to[k * plane_ + j * pitch_ + at] = cell; });
  }

 private:
  int width_, plane_, chunk_;
  [[no_unique_address]] Pitch pitch_;
  int count_ = 0;
  int fixed_[2 * kR];  ///< elements of a row
};

}  // namespace tessera::jacobi
