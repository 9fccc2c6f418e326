// SPDX-License-Identifier: Apache-2.0
// Two time steps in one: what a variant that makes them in one pass over a box of inner cells sees.
#pragma once

#include "stencils/acoustic/formula.hpp"

#include <algorithm>

namespace tessera::acoustic {

/// The fields of two steps, out of place: neighbours read u and u- after a cell's u+ is written.
template <class Real>
struct PairFields {
  Fields<Real> first;  ///< u (step n), u_minus (n - 1), next (n + 1)
  Real* after;         ///< step n + 2
  Extents n;           ///< of the grid

  /// The fields of the second step.
  [[nodiscard]] Fields<Real> second() const {
    Fields<Real> f = first;
    f.u = first.next;
    f.u_minus = first.u;
    f.next = after;
    return f;
  }
};

/// The cells of the inner region `inner` that a pass of two steps may take: from a cell's step n +
/// 2 back to step n + 1 it meets inner cells only, kR around it; whole aligned vectors along x.
/// Empty where nothing is left. All other cells are advanced step by step.
[[nodiscard]] inline Box pair_box(const Box& inner) {
  constexpr int kAlign = 8;
  const Box box{inner.z0 + kR,
                inner.z1 - kR,
                inner.y0 + kR,
                inner.y1 - kR,
                (inner.x0 + kR + kAlign - 1) / kAlign * kAlign,
                (inner.x1 - kR) / kAlign * kAlign};
  return box.nz() > 0 && box.ny() > 0 && box.nx() > 0 ? box : Box{};
}

}  // namespace tessera::acoustic
