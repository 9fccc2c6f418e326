// SPDX-License-Identifier: Apache-2.0
// The convolutional PML (Komatitsch and Martin 2007; of the second-order equation Pasalic and
// McGarry 2010), with a frequency shift alpha (Kuzuoglu and Mittra 1996): along each axis d on its
// own, d/dx becomes (1 / s) d/dx with s = 1 + sigma / (alpha + i omega).
//
//   u+ = 2u - u- + vp (L(u) + sum over the axes of (D psi + zeta))
//
// and in the layers of an axis, with D the difference from one half point to the next,
//
//   psi  = b psi + a D u / h^2                    at half points
//   zeta = b zeta + a (L_d(u) + D psi)            at cells
//   b = exp(-(sigma + alpha) dt), a = (b - 1) sigma / (sigma + alpha)
//
// psi and zeta lie in slabs, a pair an axis: near layer, two columns of zeros, far layer. psi at a
// slab's cell is that of the half point on its outer side, and positive outward.
#pragma once

#include "variants/acoustic/formula.hpp"

#include <cstdint>

namespace tessera::acoustic {

/// Columns of zeros between the layers of a slab: what an innermost cell reads on its inner side.
inline constexpr int kSlabGap = 2;

/// What a kernel sees of the layers along one axis.
template <class Real>
struct AbsorbingAxis {
  const Real* psi = nullptr;  ///< of step n - 1, at cell (0, 0, 0) of the slab
  Real* psi_next = nullptr;   ///< of step n, on return
  Real* zeta = nullptr;
  int row = 0, plane = 0;                           ///< of the slab, in elements
  const Real *a = nullptr, *b = nullptr;            ///< at cells, by their column in the slab
  const Real *a_half = nullptr, *b_half = nullptr;  ///< at the half points outside of them; a_half
                                                    ///< over h^2
  Real c[kR] = {}, c0 = 0;                          ///< of the second derivative along this axis
  int near_end = 0;                                 ///< cells before it lie in the near layer,
  int far_begin = 0;                                ///< from it on in the far one,
  int to_far = 0;  ///< whose column in the slab is the cell plus this
};

/// D psi + zeta of one cell, whose memory it advances. `u` at the cell, a pointer or what
/// addresses values in a format, `stride` to the next one
/// along the axis; `at` its offset in the slab, where the next one is `step` away; `column` its
/// column there; `out` is 1 in the far layer and -1 in the near one.
template <class Real, class Address>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real absorb(const AbsorbingAxis<Real>& axis,
                                                      const Address& u, int stride, std::int64_t at,
                                                      int step, int column, int out) {
  const auto along = [&](auto m) { return u[m * stride]; };
  const Real l = multiply_add(axis.c0, u[0], axis_sum(axis.c, along));
  const Real outer = multiply_add(axis.b_half[column], axis.psi[at],
                                  axis.a_half[column] * (u[out * stride] - u[0]));
  const Real inner = multiply_add(axis.b_half[column - out], axis.psi[at - out * step],
                                  axis.a_half[column - out] * (u[0] - u[-out * stride]));
  const Real d_psi = outer - inner;
  const Real zeta = multiply_add(axis.b[column], axis.zeta[at], axis.a[column] * (l + d_psi));
  axis.psi_next[at] = outer;
  axis.zeta[at] = zeta;
  return d_psi + zeta;
}

}  // namespace tessera::acoustic
