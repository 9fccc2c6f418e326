// SPDX-License-Identifier: Apache-2.0
// The plain sequential reference of the ete family: what every variant is compared with.
#pragma once

#include "base/grid/extents.hpp"
#include "variants/ete/formula.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace tessera::ete {

/// Fields on the host with a halo of kR cells, x fastest.
template <class Real>
struct ReferenceState {
  Extents n;
  std::vector<Point> points;  ///< relative places
  std::vector<Real> c;        ///< [column][point]
  std::vector<int> column;    ///< [cell], without halo
  std::vector<Real> p;        ///< wavefield; zero outside the grid
  std::vector<double> next;   ///< p- before, p+ after a step
  std::vector<double> terms;  ///< sum of the magnitudes of the formula's terms

  explicit ReferenceState(const Extents& extents)
      : n(extents),
        p(static_cast<std::size_t>(n.nz + 2 * kR) * (n.ny + 2 * kR) * (n.nx + 2 * kR)),
        next(p.size()),
        terms(p.size()) {}

  /// Position of a cell; halo cells have negative indices.
  [[nodiscard]] std::size_t index(int z, int y, int x) const {
    return (static_cast<std::size_t>(z + kR) * (n.ny + 2 * kR) + (y + kR)) * (n.nx + 2 * kR) +
           (x + kR);
  }
};

/// p+ = 2 sum_j c_j p_j - p-, point by point, in double whatever the fields are. What each addition
/// rounds off is collected (Neumaier 1974), so that the reference is right where the fields are
/// double too.
template <class Real>
void reference_step(ReferenceState<Real>& s) {
  const std::size_t points = s.points.size();
  for (int z = 0; z < s.n.nz; ++z) {
    for (int y = 0; y < s.n.ny; ++y) {
      for (int x = 0; x < s.n.nx; ++x) {
        const Real* c = &s.c[s.column[s.n.index(z, y, x)] * points];
        double sum = 0;
        double lost = 0;
        double terms = 0;
        for (std::size_t j = 0; j < points; ++j) {
          const Point& d = s.points[j];
          const double p = s.p[s.index(z + d.z, y + d.y, x + d.x)];
          const double term = static_cast<double>(c[j]) * p;
          const double next = sum + term;
          lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
          sum = next;
          terms += std::abs(term);
        }
        const std::size_t i = s.index(z, y, x);
        s.terms[i] = 2 * terms + std::abs(s.next[i]);
        s.next[i] = 2 * (sum + lost) - s.next[i];
      }
    }
  }
}

}  // namespace tessera::ete
