// SPDX-License-Identifier: Apache-2.0
// The plain reference of the acoustic family: sequential loops, formulas written out, no tiles, no
// fused operations. Everything else is verified against it.
#pragma once

#include "variants/acoustic/formula.hpp"

#include <algorithm>
#include <array>
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
  /// Of convolutional layers along one axis: psi at the half point behind a cell, zeta at it, what
  /// of |terms| both are made of, and a, b along the axis from its half point or cell -1 on.
  struct Memory {
    std::vector<Real> psi, zeta;
    std::vector<double> psi_terms, zeta_terms;
    std::vector<std::array<double, 2>> half, cell;
  };
  std::array<Memory, 3> memory;  ///< x, y, z; empty without such layers

  ReferenceState() = default;
  ReferenceState(const Extents& extents, const Layers& pml, const double (&spacing)[3])
      : n(extents), layers(pml), h{spacing[0], spacing[1], spacing[2]} {
    const auto count = static_cast<std::size_t>(row() * (n.ny + 2 * kR) * (n.nz + 2 * kR));
    for (auto* f : {&u, &next, &vp, &phi, &eta}) f->assign(count, Real(0));
    u_terms.assign(count, 0.0);
    phi_terms.assign(count, 0.0);
  }

  /// Convolutional layers at rest: absorption(axis, deep) is {a, b} so many cells into a layer.
  template <class Absorption>
  void set_memory(const Absorption& absorption) {
    const int cells[3] = {n.nx, n.ny, n.nz};
    for (int d = 0; d < 3; ++d) {
      Memory& m = memory[static_cast<std::size_t>(d)];
      for (auto* f : {&m.psi, &m.zeta}) f->assign(u.size(), Real(0));
      for (auto* f : {&m.psi_terms, &m.zeta_terms}) f->assign(u.size(), 0.0);
      const double near = d == 2 ? layers.top() : layers.width, far = cells[d] - layers.width;
      for (int i = -1; i < cells[d]; ++i) {
        m.cell.push_back(absorption(d, std::max({near - i - 0.5, i - far + 0.5, 0.0})));
        m.half.push_back(absorption(d, std::max({near - i - 1, i + 1 - far, 0.0})));
      }
    }
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

/// psi of a step, at all half points.
template <class Real>
void reference_psi(ReferenceState<Real>& s) {
  const std::int64_t stride[3] = {1, s.row(), s.plane()};
  for (std::size_t d = 0; d < 3; ++d) {
    auto& m = s.memory[d];
    const auto inv_h2 = 1 / (s.h[d] * s.h[d]);
    for (int z = d == 2 ? -1 : 0; z < s.n.nz; ++z) {
      for (int y = d == 1 ? -1 : 0; y < s.n.ny; ++y) {
        for (int x = d == 0 ? -1 : 0; x < s.n.nx; ++x) {
          const std::size_t i = s.index(z, y, x);
          const int along = d == 0 ? x : d == 1 ? y : z;
          const auto [a, b] = m.half[static_cast<std::size_t>(along + 1)];
          const Real next = s.u[i + stride[d]], here = s.u[i];
          m.psi_terms[i] = b * (m.psi_terms[i] + std::abs(double(m.psi[i]))) -
                           a * inv_h2 * (std::abs(double(next)) + std::abs(double(here)));
          m.psi[i] =
              static_cast<Real>(b) * m.psi[i] + static_cast<Real>(a * inv_h2) * (next - here);
        }
      }
    }
  }
}

/// D psi + zeta at a cell along axis d, after reference_psi(); `l` is L_d(u), `terms` those of it,
/// to which it adds its own.
template <class Real>
Real reference_zeta(ReferenceState<Real>& s, std::size_t d, std::size_t i, int along,
                    std::int64_t stride, Real l, double& terms) {
  auto& m = s.memory[d];
  const std::size_t before = i - static_cast<std::size_t>(stride);
  const auto [a, b] = m.cell[static_cast<std::size_t>(along + 1)];
  const Real d_psi = m.psi[i] - m.psi[before];
  const double psi_terms = m.psi_terms[i] + m.psi_terms[before];
  m.zeta_terms[i] = b * (m.zeta_terms[i] + std::abs(double(m.zeta[i]))) - a * (terms + psi_terms);
  m.zeta[i] = static_cast<Real>(b) * m.zeta[i] + static_cast<Real>(a) * (l + d_psi);
  terms += psi_terms + m.zeta_terms[i];
  return d_psi + m.zeta[i];
}

/// One step: reads u, writes u+ over u- in `next` and phi+ over phi; then the caller swaps.
/// Fills u_terms and phi_terms, from which verify's bound is made.
template <class Real>
void reference_step(ReferenceState<Real>& s) {
  if (s.layers.free_top) reference_mirror(s);
  const bool convolutional = !s.memory[0].psi.empty();
  if (convolutional) reference_psi(s);
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
          terms *= inv_h2;
          if (convolutional) {
            const int along = d == 0 ? x : d == 1 ? y : z;
            l += reference_zeta(s, static_cast<std::size_t>(d), i, along, stride[d], sum * inv_h2,
                                terms);
          }
          l_terms += terms;
        }
        const Real u_minus = s.next[i];
        const double vp = s.vp[i];
        if (convolutional || inner.contains(z, y, x)) {
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
