// SPDX-License-Identifier: Apache-2.0
// The plain reference of the jacobi family: sequential loops, no tiles, no fused operations.
// Everything else is verified against it.
#pragma once

#include "base/support/bound.hpp"
#include "variants/jacobi/formula.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace tessera::jacobi {

/// Host fields of the reference: dense (ns + 2R) x (ny + 2Ry) x (nx + 2R), fixed cells included.
template <class StencilType, class Real>
struct ReferenceState {
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;

  Extents n;  ///< streamed(): planes along s
  std::vector<Real> u;
  /// How far a right answer may lie from u: bound_of_sum() a step, carried on from step to
  /// step. Weights are positive and add up to 1, so that errors do not grow on the way.
  std::vector<double> bound;

  explicit ReferenceState(const Extents& extents) : n(extents) {
    const auto count = static_cast<std::size_t>(plane() * (n.nz + 2 * kR));
    u.assign(count, Real(0));
    bound.assign(count, 0.0);
  }

  [[nodiscard]] std::int64_t row() const { return n.nx + 2 * kR; }
  [[nodiscard]] std::int64_t plane() const { return row() * (n.ny + 2 * kRy); }
  [[nodiscard]] std::size_t index(int s, int y, int x) const {
    return static_cast<std::size_t>((s + kR) * plane() + (y + kRy) * row() + x + kR);
  }
};

/// One step. Fixed cells keep their values, and are exact.
template <class StencilType, class Real>
void reference_step(ReferenceState<StencilType, Real>& state) {
  constexpr auto kPoints = StencilType::points();
  constexpr auto kWeights = StencilType::weights();
  std::vector<Real> next = state.u;
  std::vector<double> next_bound = state.bound;
  for (int s = 0; s < state.n.nz; ++s) {
    for (int y = 0; y < state.n.ny; ++y) {
      for (int x = 0; x < state.n.nx; ++x) {
        Real sum = 0;
        double terms = 0;
        double carried = 0;
        for (int j = 0; j < StencilType::kPoints; ++j) {
          const Point& p = kPoints[j];
          const double weight = kWeights[j];
          const std::size_t i = state.index(s + p.s, y + p.y, x + p.x);
          sum += static_cast<Real>(weight) * state.u[i];
          terms += weight * std::abs(static_cast<double>(state.u[i]));
          carried += weight * state.bound[i];
        }
        const std::size_t i = state.index(s, y, x);
        next[i] = sum;
        next_bound[i] = carried + bound_of_sum<Real>(StencilType::kPoints) * terms;
      }
    }
  }
  state.u = std::move(next);
  state.bound = std::move(next_bound);
}

}  // namespace tessera::jacobi
