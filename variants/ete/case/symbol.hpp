// SPDX-License-Identifier: Apache-2.0
// The Fourier symbol of a column of coefficients: what one application does to a plane wave.
#pragma once

#include "variants/ete/formula.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>

namespace tessera::ete {

/// cos(m kappa), m = 1 ... kR, along an axis; kappa in radians a cell.
struct Harmonics {
  double m[kR];

  KOKKOS_INLINE_FUNCTION explicit Harmonics(double kappa) {
    const double c = std::cos(kappa);
    double before = 1;
    double here = c;
    for (double& value : m) {
      value = here;
      const double next = 2 * c * here - before;
      before = here;
      here = next;
    }
  }
};

/// Sum of cos(kappa . dx_j) over the points of a row (of Shape<..., z_distinct or isotropic>).
template <class ShapeType>
[[nodiscard]] KOKKOS_INLINE_FUNCTION double row_symbol(int row, const Harmonics& x,
                                                       const Harmonics& y, const Harmonics& z) {
  constexpr bool kIso = ShapeType::kRowKind == Rows::isotropic;
  const auto in_plane = [&](int i) {  // i: place among the rows of the plane
    return i < kR ? 2 * (x.m[i] + y.m[i]) : 4 * x.m[i - kR] * y.m[i - kR];
  };
  const auto out = [&](int m, bool diagonal) {
    return diagonal ? 4 * z.m[m - 1] * (x.m[m - 1] + y.m[m - 1]) : 2 * z.m[m - 1];
  };
  if constexpr (kIso) {
    if (row == 0) return 1;
    const int i = row - 1;
    return i < kR ? in_plane(i) + out(i + 1, false) : in_plane(i) + out(i - kR + 1, true);
  } else {
    if (row == ShapeType::kCentreRow) return 1;
    if (row >= ShapeType::kInPlane) return in_plane(row - ShapeType::kInPlane);
    for (int m = 1; m <= kR; ++m) {
      if (row == ShapeType::z_row(m)) return out(m, false);
      if (m <= ShapeType::kDiagonals && row == ShapeType::z_diagonal_row(m)) return out(m, true);
    }
    return 0;  // an unused row
  }
}

/// S(kappa) = sum_j c_j cos(kappa . dx_j) for a column of a z_distinct table.
template <class ShapeType>
[[nodiscard]] KOKKOS_INLINE_FUNCTION double symbol(const double* column, const Harmonics& x,
                                                   const Harmonics& y, const Harmonics& z) {
  double sum = column[ShapeType::kCentreRow];
  for (int m = 1; m <= kR; ++m) {
    const double a = x.m[m - 1];
    const double b = y.m[m - 1];
    const double c = z.m[m - 1];
    sum += 2 * (column[ShapeType::axis_row(m)] * (a + b) + column[ShapeType::z_row(m)] * c);
    if (m <= ShapeType::kDiagonals) {
      sum += 4 * (column[ShapeType::diagonal_row(m)] * a * b +
                  column[ShapeType::z_diagonal_row(m)] * c * (a + b));
    }
  }
  return sum;
}

}  // namespace tessera::ete
