// SPDX-License-Identifier: Apache-2.0
// A variant's values beside those that it should have.
#pragma once

#include "base/case/case.hpp"
#include "base/grid/field.hpp"
#include "base/grid/transfer.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace tessera {

[[nodiscard]] KOKKOS_INLINE_FUNCTION double magnitude(double v) { return v < 0 ? -v : v; }

/// |got - wanted| over the bound; 0 where they are equal, very large where one is not a number.
[[nodiscard]] KOKKOS_INLINE_FUNCTION double ratio_to(double bound, double got, double wanted) {
  if (got == wanted) return 0;
  const double ratio = magnitude(got - wanted) / bound;
  return ratio == ratio ? ratio : 1e300;
}

/// Magnitudes of the terms c_m (u_{+m} + u_{-m}), m = 1 ... radius, along an axis.
template <class Real>
[[nodiscard]] KOKKOS_INLINE_FUNCTION double axis_terms(const Real* u, const Real* c, int radius,
                                                       int stride) {
  double sum = 0;
  for (int m = 1; m <= radius; ++m) {
    sum +=
        magnitude(static_cast<double>(c[m - 1])) * (magnitude(static_cast<double>(u[m * stride])) +
                                                    magnitude(static_cast<double>(u[-m * stride])));
  }
  return sum;
}

/// The verdict of the largest ratio_to() of `cells` cells; `what`: "one step at run size differs
/// from naive".
[[nodiscard]] inline Verdict verdict_of(double worst, std::int64_t cells, const char* what) {
  if (worst <= 1) return {true, "", worst, cells};
  return {false, fmt::format("{} by {:.3g} times the bound", what, worst), worst, cells};
}

/// The worst of the cells that were compared, on the host.
struct Worst {
  Extents n;  ///< the grid's
  Verdict verdict = {};

  /// `got` may lie `bound` from `wanted`.
  void compare(const char* what, int step, int z, int y, int x, double got, double wanted,
               double bound) {
    ++verdict.cells;
    if (got == wanted) return;
    const double ratio = std::abs(got - wanted) / bound;
    if (ratio <= verdict.worst) return;
    verdict.worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    if (verdict.worst <= 1) return;
    verdict.ok = false;
    verdict.reason = fmt::format(
        "{} differs at x = {}, y = {}, z = {} of {} x {} x {} after step {}: {:.9g}, reference "
        "{:.9g}, bound {:.3g}",
        what, x, y, z, n.nx, n.ny, n.nz, step, got, wanted, bound);
  }
};

/// Copies a field, `halo` cells around it included, to a reference's array; nothing where there is
/// no such field.
template <class Reference, class Array, class Real>
void load(const Reference& reference, int halo, Array& to, const Field<Real>& from) {
  if (from.view().size() == 0) return;
  const auto values = host_copy(from);
  for_each_with_halo(from.extents(), halo, [&](int z, int y, int x) {
    to[reference.index(z, y, x)] = values(from.index(z, y, x));
  });
}

}  // namespace tessera
