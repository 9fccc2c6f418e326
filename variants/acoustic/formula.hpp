// SPDX-License-Identifier: Apache-2.0
// The acoustic family (Sai III.A): constant-density acoustic isotropic wave equation with a
// perfectly matched layer (PML), 8th order in space (25 points), 2nd in time, in the formulation of
// Minimod (Meng et al. 2020, arXiv:2007.06048).
//
// Per axis L_d(u) = (c0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, L = L_x + L_y + L_z,
// vp = (V dt)^2:
//   inner: u+ = 2u - u- + vp L(u)
//   PML:   u+ = [ (2 - eta^2 + 2 eta) u - u- + vp (L(u) + phi) ] / (1 + 2 eta), then
//          phi+ = [ phi - sum_d (eta_{+d} - eta_{-d}) (u_{+d} - u_{-d}) / (4 h_d^2) ] / (1 + eta)
#pragma once

#include "base/device/fma.hpp"
#include "base/device/static_for.hpp"
#include "base/grid/decomposition.hpp"
#include "base/tile/block16.hpp"
#include "base/tile/packed.hpp"
#include "base/tile/vec.hpp"

#include <array>
#include <cstdint>

namespace tessera::acoustic {

/// Radius of the stencil: half its spatial order (Sai IV).
inline constexpr int kR = 4;

/// c0 ... c4 of the 8th-order second derivative, times h^2.
inline constexpr std::array<double, kR + 1> kC = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0,
                                                  -1.0 / 560.0};

/// Points of L: the cell and R to each side along three axes.
inline constexpr int kPoints = 6 * kR + 1;

/// The paper's experiment (Sai IV): fastest velocity, m/s; highest frequency, Hz; spacing, m.
inline constexpr double kPaperVMax = 4500, kPaperFMax = 25, kPaperSpacing = 20;

/// Width of its layers: three wavelengths of f_max at v_max, in whole cells.
[[nodiscard]] constexpr int paper_pml_cells(double v_max, double f_max, double h) {
  constexpr double kMost = 1 << 20;
  const double cells = 3 * (v_max / f_max) / h;
  return static_cast<int>(cells < kMost ? cells : kMost);
}
inline constexpr int kPaperLayer = paper_pml_cells(kPaperVMax, kPaperFMax, kPaperSpacing);

/// Floating-point operations of a cell by the paper's convention (Sai, Table IV): 12 additions and
/// 13 multiplications an axis-wise sum of 25 terms, and the update.
inline constexpr int kFlopsInner = 41;
inline constexpr int kFlopsPml = 64;

/// What convolutional layers (absorb.hpp) move and compute beside the inner formula, a cell of a
/// face: u, vp, u+ read and written, psi of two steps, zeta read and written.
inline constexpr int kAbsorbElements = 8;
inline constexpr int kFlopsAbsorb = 26;

/// The coefficients of L and of the gradient products, divided by powers of the grid spacing.
template <class Real>
struct Coefficients {
  Real c0;                      ///< c0 (1/hx^2 + 1/hy^2 + 1/hz^2)
  Real cx[kR], cy[kR], cz[kR];  ///< c_m / h_d^2, m = 1..4
  Real qx, qy, qz;              ///< 1 / (4 h_d^2)

  Coefficients() = default;

  /// Grid spacings in metres.
  Coefficients(double hx, double hy, double hz)
      : c0(static_cast<Real>(kC[0] * (1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz)))),
        qx(static_cast<Real>(1 / (4 * hx * hx))),
        qy(static_cast<Real>(1 / (4 * hy * hy))),
        qz(static_cast<Real>(1 / (4 * hz * hz))) {
    for (int m = 1; m <= kR; ++m) {
      cx[m - 1] = static_cast<Real>(kC[m] / (hx * hx));
      cy[m - 1] = static_cast<Real>(kC[m] / (hy * hy));
      cz[m - 1] = static_cast<Real>(kC[m] / (hz * hz));
    }
  }
};

/// eta without its field: the sum of a profile along each axis, which a kernel reads from L1. Each
/// holds kOutside beyond the grid, from index -kProfileHalo to n + kProfileHalo - 1.
template <class Real>
struct EtaProfiles {
  static constexpr Real kOutside = Real(-1e30);
  const Real *x, *y, *z;  ///< index 0; x on a multiple of 128 bytes

  /// What the field holds, to the bit: zero outside the grid.
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION Real sum(Real at_x, Real at_y, Real at_z) {
    const Real eta = at_x + at_y + at_z;
    return eta > 0 ? eta : Real(0);
  }
};
inline constexpr int kProfileHalo = 32;

/// Formats of the wavefields: what stores a value, whether the difference d = u - u- is kept in
/// place of u-, and whether blocks of a row are written at once. Plain: as the arithmetic has them.
struct Plain {
  static constexpr Storage kStorage = Storage::plain;
  static constexpr bool kDifference = false, kBlocks = false;
};
template <class ValueFormat, Storage kOf>
struct StoredIn {
  using Value = ValueFormat;
  static constexpr Storage kStorage = kOf;
  static constexpr bool kDifference = keeps_difference(kOf), kBlocks = kOf == Storage::block16;
};
using StoredHalf = StoredIn<Half, Storage::half>;
using StoredDifference = StoredIn<Half, Storage::half_difference>;
using StoredBHalf = StoredIn<BHalf, Storage::bhalf>;
using StoredFloat24 = StoredIn<Float24, Storage::float24>;
using StoredBlock16 = StoredIn<Block16, Storage::block16>;

/// The addresses of a format's fields.
template <class Real, class Format>
struct Addresses {
  using Read = Packed<typename Format::Value>;
  using Write = Read;
  using Vp = Linear16;
};
template <class Real>
struct Addresses<Real, Plain> {
  using Read = const Real*;
  using Write = Real*;
  using Vp = const Real*;
};

/// What a kernel sees: the address of cell (0, 0, 0) of each field, and the strides they share.
template <class Real, class Format = Plain>
struct Fields {
  using At = Addresses<Real, Format>;
  typename At::Read u;  ///< wavefield at step n; halo of kR cells, zero outside the grid
  /// Wavefield at step n - 1, or the difference to it, which a kernel then overwrites with that of
  /// step n + 1.
  typename At::Read u_minus;
  typename At::Write next;  ///< u+ (step n+1) on return; may be u_minus, but not with a difference:
                            ///< a cell's u- is read by that cell alone, before its u+ is written
  typename At::Vp vp;       ///< (V dt)^2, m^2
  Real* phi;                ///< PML memory variable, same unit as L(u)
  const Real* eta;          ///< PML damping profile (dimensionless); halo zero
  int row, plane;           ///< elements from y to y + 1 and from z to z + 1
  Coefficients<Real> k;
  EtaProfiles<Real> profiles;  ///< the same as eta, for kernels that do not read its field
  /// Where the deck requests it (acoustic.vp_storage), vp once more: a cell's value is by "index"
  /// vp_values[vp_index[offset]], by "linear" vp_step * vp_index[offset]; then vp_values is null.
  /// Else both are. 0 stands for zero, which vp is outside the grid.
  const std::uint16_t* vp_index = nullptr;
  const Real* vp_values = nullptr;
  int vp_count = 0;
  float vp_step = 0;

  /// Offset of a cell from cell (0, 0, 0), in elements.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(int z, int y, int x) const {
    return static_cast<std::int64_t>(z) * plane + static_cast<std::int64_t>(y) * row + x;
  }
};

/// Fields in a format that is not known yet: what Fields<float, Format> are made of.
struct StoredFields {
  Fields<float> rest;  ///< all but the wavefields and vp
  StoredAddress u, u_minus, next;
  Linear16 vp;

  template <class Format>
  [[nodiscard]] Fields<float, Format> as() const {
    using Address = Packed<typename Format::Value>;
    return {Address(u), Address(u_minus), Address(next), vp,     rest.phi,
            rest.eta,   rest.row,         rest.plane,    rest.k, rest.profiles};
  }
};

/// sum_m c_m (u_{+m} + u_{-m}) along one axis, m = 1 first. `along(Constant<m>)` is u at distance
/// m.
template <class Real, class Along>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto axis_sum(const Real (&c)[kR], const Along& along) {
  auto sum = c[0] * (along(Constant<1>{}) + along(Constant<-1>{}));
  static_for<kR - 1>([&](auto i) {
    constexpr int kM = decltype(i)::value + 2;
    sum = multiply_add(c[kM - 1], along(Constant<kM>{}) + along(Constant<-kM>{}), sum);
  });
  return sum;
}

/// The part of L(u) that lies in the cell's plane: the x sum, then the y sum.
template <class Real, class X, class Y>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto plane_sum(const Coefficients<Real>& k, const X& x,
                                                         const Y& y) {
  return axis_sum(k.cx, x) + axis_sum(k.cy, y);
}

/// L(u) from plane_sum(), the z sum and the centre, added in this order.
template <class Real, class Value, class Z>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto finish_laplacian(const Coefficients<Real>& k,
                                                                Value plane, Value centre,
                                                                const Z& z) {
  return multiply_add(k.c0, centre, plane + axis_sum(k.cz, z));
}

/// L(u): x, y and z sums, added in this order, then the centre.
template <class Real, class X, class Y, class Z>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto laplacian(const Coefficients<Real>& k, const X& x,
                                                         const Y& y, const Z& z) {
  return finish_laplacian(k, plane_sum(k, x, y), x(Constant<0>{}), z);
}

/// u+ of an inner cell from L(u). Value is the element type, or a Pack of neighbouring cells.
template <class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value inner_value(Value u, Value u_minus, Value vp,
                                                            Value l) {
  return multiply_add(vp, l, multiply_add(PackScalar<Value>(2), u, -u_minus));
}

/// u+ of a PML cell from L(u).
template <class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value pml_value(Value u, Value u_minus, Value vp, Value l,
                                                          Value phi, Value eta) {
  using Real = PackScalar<Value>;
  const Value factor = multiply_add(eta, Real(2) - eta, Real(2));
  const Value sum = multiply_add(vp, l + phi, multiply_add(factor, u, -u_minus));
  return divide(sum, multiply_add(Real(2), eta, Real(1)));
}

/// phi+ of a PML cell; d_eta_d and d_u_d are the differences over two cells along axis d.
template <class Real, class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value pml_phi(const Coefficients<Real>& k, Value phi,
                                                        Value eta, Value d_eta_x, Value d_u_x,
                                                        Value d_eta_y, Value d_u_y, Value d_eta_z,
                                                        Value d_u_z) {
  Value sum = (k.qx * d_eta_x) * d_u_x;
  sum = multiply_add(k.qy * d_eta_y, d_u_y, sum);
  sum = multiply_add(k.qz * d_eta_z, d_u_z, sum);
  return divide(phi - sum, Real(1) + eta);
}

/// eta around a cell, read from its field: eta(dz, dy, dx). Variants that stage eta bring their
/// own.
template <class Real>
struct EtaInField {
  const Real* at;
  int row, plane;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(int dz, int dy, int dx) const {
    return at[dz * plane + dy * row + dx];
  }
};

/// u- of a cell whose value is `u`, from what is kept of it.
template <class Format, class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value u_minus_of(const Value& u, const Value& kept) {
  if constexpr (Format::kDifference) {
    return u - kept;
  } else {
    return kept;
  }
}

/// Stores u+ of the cell whose value is `u`.
struct PutNext {
  template <class Real, class Format>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Fields<Real, Format>& f, std::int64_t i, Real u,
                                              Real next) const {
    put(f.next, i, next);
    if constexpr (Format::kDifference) put(f.u_minus, i, next - u);
  }
};
/// Keeps u+ of a cell for its block.
struct KeepNext {
  float& made;
  template <class Of>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Of&, std::int64_t, float, float next) const {
    made = next;
  }
};

/// Advances an inner cell whose offset is `i` from L(u) = `l`.
template <class Real, class Format, class Put>
KOKKOS_FORCEINLINE_FUNCTION void update_inner(const Fields<Real, Format>& f, std::int64_t i, Real l,
                                              Real u, const Put& put) {
  put(f, i, u, inner_value(u, u_minus_of<Format>(u, Real(f.u_minus[i])), f.vp[i], l));
}

/// Advances a PML cell whose offset is `i`: u+ from L(u) = `l` and phi, then phi+.
template <class Real, class Format, class X, class Y, class Z, class Eta, class Put>
KOKKOS_FORCEINLINE_FUNCTION void update_pml(const Fields<Real, Format>& f, std::int64_t i, Real l,
                                            const X& x, const Y& y, const Z& z, const Eta& eta,
                                            const Put& put) {
  const Real centre = eta(0, 0, 0);
  const Real phi = f.phi[i];
  const Real u = x(Constant<0>{});
  put(f, i, u, pml_value(u, u_minus_of<Format>(u, Real(f.u_minus[i])), f.vp[i], l, phi, centre));
  f.phi[i] = pml_phi(f.k, phi, centre,                                                    //
                     eta(0, 0, 1) - eta(0, 0, -1), x(Constant<1>{}) - x(Constant<-1>{}),  //
                     eta(0, 1, 0) - eta(0, -1, 0), y(Constant<1>{}) - y(Constant<-1>{}),  //
                     eta(1, 0, 0) - eta(-1, 0, 0), z(Constant<1>{}) - z(Constant<-1>{}));
}

/// Advances cell (cz, cy, cx), whose offset is `i`, by the formula that `kUpdate` and, where it
/// branches, `hole` demand. x, y, z return u along the axes, as in laplacian(); `l()` is L(u) and
/// `eta` as in EtaInField; `put` takes u+.
template <Update kUpdate, class Real, class Format, class L, class X, class Y, class Z, class Eta,
          class Put = PutNext>
KOKKOS_FORCEINLINE_FUNCTION void update_cell(const Fields<Real, Format>& f, const Box& hole, int cz,
                                             int cy, int cx, std::int64_t i, const L& l, const X& x,
                                             const Y& y, const Z& z, const Eta& eta,
                                             const Put& put = {}) {
  if constexpr (kUpdate == Update::inner) {
    update_inner(f, i, l(), x(Constant<0>{}), put);
  } else if constexpr (kUpdate == Update::pml) {
    update_pml(f, i, l(), x, y, z, eta, put);
  } else if (!hole.contains(cz, cy, cx)) {
    update_pml(f, i, l(), x, y, z, eta, put);
  } else if constexpr (kUpdate == Update::branched) {
    update_inner(f, i, l(), x(Constant<0>{}), put);
  }
}

/// The same with L(u) summed here and eta read from its field.
template <Update kUpdate, class Real, class Format, class X, class Y, class Z, class Put = PutNext>
KOKKOS_FORCEINLINE_FUNCTION void update_cell(const Fields<Real, Format>& f, const Box& hole, int cz,
                                             int cy, int cx, std::int64_t i, const X& x, const Y& y,
                                             const Z& z, const Put& put = {}) {
  update_cell<kUpdate>(
      f, hole, cz, cy, cx, i, [&] { return laplacian(f.k, x, y, z); }, x, y, z,
      EtaInField<Real>{f.eta + i, f.row, f.plane}, put);
}

/// The share of the region's cells that the PML formula updates, 0 to 1: what a plan weighs the
/// PML's extra traffic with.
[[nodiscard]] inline double pml_share(const Region& region) {
  const auto pml = static_cast<double>(region.pml_cells());
  const auto all = pml + static_cast<double>(region.inner_cells());
  return all == 0 ? 0 : pml / all;
}

/// Calls body(std::integral_constant<Update, update>): a kernel is compiled for each formula. A
/// shell, whose hole cuts rows anywhere, is none for a format that has blocks.
template <class Format = Plain, class Body>
void with_update(Update update, const Body& body) {
  switch (update) {
    case Update::inner:
      return body(std::integral_constant<Update, Update::inner>{});
    case Update::pml:
      return body(std::integral_constant<Update, Update::pml>{});
    case Update::branched:
      return body(std::integral_constant<Update, Update::branched>{});
    case Update::shell:
      if constexpr (!Format::kBlocks) body(std::integral_constant<Update, Update::shell>{});
  }
}

}  // namespace tessera::acoustic
