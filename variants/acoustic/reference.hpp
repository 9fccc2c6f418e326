// SPDX-License-Identifier: Apache-2.0
// The plain reference of the acoustic family: sequential loops, formulas written out, no tiles, no
// fused operations. Everything else is verified against it.
#pragma once

#include "variants/acoustic/formula.hpp"

#include <cmath>
#include <vector>

namespace tessera::acoustic {

/// Host fields of the reference with their own simple layout: (nz+2R) x (ny+2R) x (nx+2R), dense.
template <class Real>
struct ReferenceState {
  Extents n;
  Layers layers;     ///< the PML's
  double h[3] = {};  ///< hx, hy, hz in metres
  std::vector<Real> u, next, vp, phi, eta;
  std::vector<double> u_terms, phi_terms;  ///< sum of |terms| of the last step's two sums

  ReferenceState() = default;
  ReferenceState(const Extents& extents, const Layers& pml, const double (&spacing)[3])
      : n(extents), layers(pml), h{spacing[0], spacing[1], spacing[2]} {
    const auto count = static_cast<std::size_t>(row() * (n.ny + 2 * kR) * (n.nz + 2 * kR));
    for (auto* f : {&u, &next, &vp, &phi, &eta}) f->assign(count, Real(0));
    u_terms.assign(count, 0.0);
    phi_terms.assign(count, 0.0);
  }

  [[nodiscard]] std::int64_t row() const { return n.nx + 2 * kR; }
  [[nodiscard]] std::int64_t plane() const { return row() * (n.ny + 2 * kR); }
  [[nodiscard]] std::size_t index(int z, int y, int x) const {
    return static_cast<std::size_t>((z + kR) * plane() + (y + kR) * row() + x + kR);
  }
};

/// The image of u above a free surface: u(-z) = -u(z), and u(0) = 0.
template <class Real>
void reference_mirror(ReferenceState<Real>& s) {
  for (int y = 0; y < s.n.ny; ++y) {
    for (int x = 0; x < s.n.nx; ++x) {
      s.u[s.index(0, y, x)] = 0;
      for (int m = 1; m <= kR; ++m) s.u[s.index(-m, y, x)] = -s.u[s.index(m, y, x)];
    }
  }
}

/// One step: reads u, writes u+ over u- in `next` and phi+ over phi; then the caller swaps.
/// Fills u_terms and phi_terms, from which verify's bound 8 (eps/2) sum|terms| is made.
template <class Real>
void reference_step(ReferenceState<Real>& s) {
  if (s.layers.free_top) reference_mirror(s);
  const Box inner = inner_box(s.n, s.layers);
  const std::int64_t stride[3] = {1, s.row(), s.plane()};
  for (int z = 0; z < s.n.nz; ++z) {
    for (int y = 0; y < s.n.ny; ++y) {
      for (int x = 0; x < s.n.nx; ++x) {
        const std::size_t i = s.index(z, y, x);
        const Real* u = &s.u[i];
        const Real* eta = &s.eta[i];
        Real l = 0;
        double l_terms = 0;
        for (int d = 0; d < 3; ++d) {
          const Real inv_h2 = static_cast<Real>(1 / (s.h[d] * s.h[d]));
          Real sum = static_cast<Real>(kC[0]) * u[0];
          double terms = std::abs(kC[0] * u[0]);
          for (int m = 1; m <= kR; ++m) {
            const Real a = u[m * stride[d]];
            const Real b = u[-m * stride[d]];
            sum += static_cast<Real>(kC[m]) * (a + b);
            terms += std::abs(kC[m]) * (std::abs(double(a)) + std::abs(double(b)));
          }
          l += sum * inv_h2;
          l_terms += terms * inv_h2;
        }
        const Real u_minus = s.next[i];
        const double vp = s.vp[i];
        if (inner.contains(z, y, x)) {
          s.next[i] = 2 * u[0] - u_minus + s.vp[i] * l;
          s.u_terms[i] = std::abs(2.0 * u[0]) + std::abs(double(u_minus)) + vp * l_terms;
          s.phi_terms[i] = std::abs(double(s.phi[i]));
          continue;
        }
        const Real e = eta[0];
        const Real phi = s.phi[i];
        s.next[i] = ((2 - e * e + 2 * e) * u[0] - u_minus + s.vp[i] * (l + phi)) / (1 + 2 * e);
        s.u_terms[i] = ((2.0 + double(e) * e + 2.0 * e) * std::abs(double(u[0])) +
                        std::abs(double(u_minus)) + vp * (l_terms + std::abs(double(phi)))) /
                       (1 + 2.0 * e);
        Real gradient = 0;
        double g_terms = 0;
        for (int d = 0; d < 3; ++d) {
          const Real quarter = static_cast<Real>(1 / (4 * s.h[d] * s.h[d]));
          const Real ea = eta[stride[d]];
          const Real eb = eta[-stride[d]];
          const Real ua = u[stride[d]];
          const Real ub = u[-stride[d]];
          gradient += (ea - eb) * (ua - ub) * quarter;
          g_terms += (double(ea) + eb) * (std::abs(double(ua)) + std::abs(double(ub))) * quarter;
        }
        s.phi[i] = (phi - gradient) / (1 + e);
        s.phi_terms[i] = (std::abs(double(phi)) + g_terms) / (1.0 + e);
      }
    }
  }
}

}  // namespace tessera::acoustic
