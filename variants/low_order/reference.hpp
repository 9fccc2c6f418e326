// SPDX-License-Identifier: Apache-2.0
// The plain reference of the low_order family: sequential loops, formulas written out, no tiles, no
// fused operations. Everything else is verified against it.
#pragma once

#include "base/grid/extents.hpp"
#include "variants/low_order/formula.hpp"

#include <cmath>
#include <vector>

namespace tessera::low_order {

/// Host arrays with their own simple layout: (nz+2) x (ny+2) x (nx+2), dense.
template <class Real>
struct ReferenceState {
  Extents n;
  double alpha = 0, beta = 0;
  std::vector<Real> u, next, gamma, kappa;
  std::vector<double> terms;  ///< sum of |terms| of the last step's sums

  ReferenceState() = default;
  ReferenceState(const Extents& extents, double a, double b) : n(extents), alpha(a), beta(b) {
    const auto count = static_cast<std::size_t>(plane() * (n.nz + 2));
    for (auto* f : {&u, &next, &gamma, &kappa}) f->assign(count, Real(0));
    terms.assign(count, 0.0);
  }

  [[nodiscard]] std::int64_t row() const { return n.nx + 2; }
  [[nodiscard]] std::int64_t plane() const { return row() * (n.ny + 2); }
  [[nodiscard]] std::size_t index(int z, int y, int x) const {
    return static_cast<std::size_t>((z + 1) * plane() + (y + 1) * row() + x + 1);
  }
};

/// One step: reads u, gamma and kappa, writes `next` in the grid's cells; then the caller swaps.
/// Fills `terms`, from which verify's bound is made.
template <class Real>
void reference_step(Stencil stencil, ReferenceState<Real>& s) {
  const std::int64_t strides[3] = {1, s.row(), s.plane()};
  const Real alpha = static_cast<Real>(s.alpha);
  const Real beta = static_cast<Real>(s.beta);
  for (int z = 0; z < s.n.nz; ++z) {
    for (int y = 0; y < s.n.ny; ++y) {
      for (int x = 0; x < s.n.nx; ++x) {
        const std::size_t i = s.index(z, y, x);
        const Real* u = &s.u[i];
        const Real* kappa = &s.kappa[i];
        Real faces = 0, edges = 0, fluxes = 0;
        double face_terms = 0, edge_terms = 0, flux_terms = 0;
        for (const std::int64_t d : strides) {
          for (const std::int64_t at : {-d, d}) {
            faces += u[at];
            face_terms += std::abs(double(u[at]));
            if (stencil != Stencil::pt7_3) continue;
            fluxes += (kappa[at] + kappa[0]) * (u[at] - u[0]);
            flux_terms += (std::abs(double(kappa[at])) + std::abs(double(kappa[0]))) *
                          (std::abs(double(u[at])) + std::abs(double(u[0])));
          }
        }
        for (int d = 0; d < 3 && stencil == Stencil::pt19; ++d) {
          const std::int64_t a = strides[d];
          const std::int64_t b = strides[(d + 1) % 3];
          for (const std::int64_t at : {-a - b, a - b, b - a, a + b}) {
            edges += u[at];
            edge_terms += std::abs(double(u[at]));
          }
        }
        const Real gamma = s.gamma[i];
        const double a_terms = std::abs(s.alpha);
        const double b_terms = std::abs(s.beta) * face_terms;
        switch (stencil) {
          case Stencil::pt7_1:
            s.next[i] = alpha * u[0] + beta * faces;
            s.terms[i] = a_terms * std::abs(double(u[0])) + b_terms;
            break;
          case Stencil::pt7_2:
            s.next[i] = alpha * gamma + beta * faces;
            s.terms[i] = a_terms * std::abs(double(gamma)) + b_terms;
            break;
          case Stencil::pt7_3:
            s.next[i] = u[0] + gamma + alpha * fluxes;
            s.terms[i] = std::abs(double(u[0])) + std::abs(double(gamma)) + a_terms * flux_terms;
            break;
          case Stencil::pt19:
            s.next[i] = alpha * gamma + beta * faces + edges;
            s.terms[i] = a_terms * std::abs(double(gamma)) + b_terms + edge_terms;
            break;
        }
      }
    }
  }
}

}  // namespace tessera::low_order
