// SPDX-License-Identifier: Apache-2.0
// The plain reference of the directional family: sequential loops, the formula written out, no
// tiles, no fused operations. Everything else is verified against it. It sums in a wider type: up
// to 49 terms that cancel would else spend half of the bound on the reference's own roundings.
#pragma once

#include "variants/directional/formula.hpp"

#include <cmath>
#include <type_traits>
#include <vector>

namespace tessera::directional {

/// Host cubes of the reference with their own simple layout: (nz+2R) x (ny+2R) x (nx+2R), dense.
template <class Real>
struct ReferenceCubes {
  Extents n;
  Operator op;
  double h[3] = {};  ///< hx, hy, hz in metres
  std::vector<Real> in, out;
  std::vector<double> terms;  ///< sum of |terms| of each cell's sum

  ReferenceCubes(const Extents& extents, const Operator& o, const double (&spacing)[3])
      : n(extents), op(o), h{spacing[0], spacing[1], spacing[2]} {
    const auto count = static_cast<std::size_t>(plane() * (n.nz + 2 * op.radius));
    in.assign(count, Real(0));
    out.assign(count, Real(0));
    terms.assign(count, 0.0);
  }

  [[nodiscard]] std::int64_t row() const { return n.nx + 2 * op.radius; }
  [[nodiscard]] std::int64_t plane() const { return row() * (n.ny + 2 * op.radius); }
  [[nodiscard]] std::size_t index(int z, int y, int x) const {
    const int r = op.radius;
    return static_cast<std::size_t>((z + r) * plane() + (y + r) * row() + x + r);
  }
};

/// One pass: reads `in`, its halo too, and writes `out` and `terms`.
template <class Real>
void reference_pass(ReferenceCubes<Real>& s) {
  using Wide = std::conditional_t<sizeof(Real) == 4, double, long double>;
  const auto c = second_derivative(s.op.radius);
  const std::int64_t stride[3] = {1, s.row(), s.plane()};
  const Directions axis[3] = {Directions::x, Directions::y, Directions::z};
  for (int z = 0; z < s.n.nz; ++z) {
    for (int y = 0; y < s.n.ny; ++y) {
      for (int x = 0; x < s.n.nx; ++x) {
        const std::size_t i = s.index(z, y, x);
        const Real* u = &s.in[i];
        Wide value = 0;
        double all_terms = 0;
        for (int d = 0; d < 3; ++d) {
          if (!has(s.op.directions, axis[d])) continue;
          Wide sum = static_cast<Wide>(c[0]) * u[0];
          double terms = std::abs(c[0] * u[0]);
          for (int m = 1; m <= s.op.radius; ++m) {
            const Real a = u[m * stride[d]];
            const Real b = u[-m * stride[d]];
            sum += static_cast<Wide>(c[m]) * (static_cast<Wide>(a) + b);
            terms += std::abs(c[m]) * (std::abs(double(a)) + std::abs(double(b)));
          }
          const double inv_h2 = 1 / (s.h[d] * s.h[d]);
          value += sum * inv_h2;
          all_terms += terms * inv_h2;
        }
        s.out[i] = static_cast<Real>(value);
        s.terms[i] = all_terms;
      }
    }
  }
}

}  // namespace tessera::directional
