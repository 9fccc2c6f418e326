// SPDX-License-Identifier: Apache-2.0
// The directional family (AMD): second derivatives of a cube along x, y, z, xy or xyz, of order 2R
// in space, R a template parameter. One input and one output cube.
//
//   out = sum over the directions d of (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, m = 1 ... R
//
// The input's halo, R cells at each face, is data like the rest: it is read, never written.
#pragma once

#include "base/device/fma.hpp"
#include "base/device/static_for.hpp"
#include "base/grid/extents.hpp"
#include "base/tile/vec.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera::directional {

/// The radii that kernels are built for: half the order in space.
inline constexpr int kRadii[] = {1, 2, 3, 4, 5, 6, 7, 8};
inline constexpr int kMaxR = 8;

/// The directions that one kernel differentiates along, a bit an axis.
enum class Directions { x = 1, y = 2, z = 4, xy = 3, xyz = 7 };
inline constexpr Directions kDirections[] = {Directions::x, Directions::y, Directions::z,
                                             Directions::xy, Directions::xyz};

/// True if `d` contains `axis`, one of x, y and z.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool has(Directions d, Directions axis) {
  return (static_cast<int>(d) & static_cast<int>(axis)) != 0;
}

/// How many axes.
[[nodiscard]] constexpr int axes(Directions d) {
  return int{has(d, Directions::x)} + int{has(d, Directions::y)} + int{has(d, Directions::z)};
}

/// One stencil of the family, "directional/xyz-r4".
struct Operator {
  Directions directions = Directions::xyz;
  int radius = 4;
  friend bool operator==(const Operator&, const Operator&) = default;
};

/// "directional/xyz-r4"
[[nodiscard]] std::string stencil_name(const Operator& op);
/// Inverse of stencil_name; the family's name may be left out. Throws Error naming the nearest.
[[nodiscard]] Operator parse_stencil(std::string_view name);
/// The stencils of these directions with every radius; all of the family by default.
[[nodiscard]] std::vector<std::string> stencil_names(const std::vector<Directions>& directions = {
                                                         std::begin(kDirections),
                                                         std::end(kDirections)});

/// c_0 ... c_R of the second derivative of order 2R, times h^2; the rest zero:
/// c_m = 2 (-1)^(m+1) (R!)^2 / (m^2 (R-m)! (R+m)!), and all of them together are zero.
[[nodiscard]] std::array<double, kMaxR + 1> second_derivative(int radius);

/// Cells around the grid that fields have: R rounded up to a whole vector of four, so that a
/// neighbouring vector may be loaded whole.
[[nodiscard]] constexpr int halo_width(int radius) { return (radius + 3) / 4 * 4; }

/// Cells that an operator reads for one.
[[nodiscard]] constexpr int points(const Operator& op) {
  return 2 * op.radius * axes(op.directions) + 1;
}

/// Floating-point operations of a cell: R additions, R multiplications and R - 1 additions an axis,
/// what joins the axes, and the centre's multiplication and addition.
[[nodiscard]] constexpr double flops(const Operator& op) {
  return axes(op.directions) * (3 * op.radius - 1) + (axes(op.directions) - 1) + 2;
}

/// The coefficients of an operator, divided by the squares of the grid spacings.
template <class Real>
struct Coefficients {
  Real c0 = 0;                                          ///< c_0 / h_d^2, of all directions together
  Real cx[kMaxR] = {}, cy[kMaxR] = {}, cz[kMaxR] = {};  ///< c_m / h_d^2, m = 1 ... R

  Coefficients() = default;

  /// Grid spacings in metres.
  Coefficients(const Operator& op, double hx, double hy, double hz) {
    const auto c = second_derivative(op.radius);
    double centre = 0;
    const auto set = [&](Directions axis, Real(&to)[kMaxR], double h) {
      for (int m = 1; m <= op.radius; ++m) to[m - 1] = static_cast<Real>(c[m] / (h * h));
      if (has(op.directions, axis)) centre += c[0] / (h * h);
    };
    set(Directions::x, cx, hx);
    set(Directions::y, cy, hy);
    set(Directions::z, cz, hz);
    c0 = static_cast<Real>(centre);
  }
};

/// What a kernel sees: the address of cell (0, 0, 0) of both cubes, and the strides they share.
template <class Real>
struct Cubes {
  const Real* in;
  Real* out;
  int row, plane;  ///< elements from y to y + 1 and from z to z + 1
  Coefficients<Real> k;

  /// Offset of a cell from cell (0, 0, 0), in elements.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(int z, int y, int x) const {
    return static_cast<std::int64_t>(z) * plane + static_cast<std::int64_t>(y) * row + x;
  }
};

/// sum_m c_m (u_{+m} + u_{-m}) along one axis, m = 1 first. `along(Constant<m>)` is u at distance
/// m: a value, or a Pack of neighbouring cells' values.
template <int R, class Real, class Along>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto axis_sum(const Real (&c)[kMaxR],
                                                        const Along& along) {
  auto sum = c[0] * (along(Constant<1>{}) + along(Constant<-1>{}));
  static_for<R - 1>([&](auto i) {
    constexpr int kM = decltype(i)::value + 2;
    sum = multiply_add(c[kM - 1], along(Constant<kM>{}) + along(Constant<-kM>{}), sum);
  });
  return sum;
}

/// out of a cell from the sum of its axes: the centre comes last.
template <class Real, class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value with_centre(const Coefficients<Real>& k,
                                                            const Value& centre, const Value& sum) {
  return multiply_add(k.c0, centre, sum);
}

/// out of a cell: the sums of the directions' axes, added in the order x, y, z, then the centre.
template <int R, Directions D, class Real, class X, class Y, class Z>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto derivative(const Coefficients<Real>& k, const X& x,
                                                          const Y& y, const Z& z) {
  if constexpr (D == Directions::x) {
    return with_centre(k, x(Constant<0>{}), axis_sum<R>(k.cx, x));
  } else if constexpr (D == Directions::y) {
    return with_centre(k, y(Constant<0>{}), axis_sum<R>(k.cy, y));
  } else if constexpr (D == Directions::z) {
    return with_centre(k, z(Constant<0>{}), axis_sum<R>(k.cz, z));
  } else {
    const auto xy = axis_sum<R>(k.cx, x) + axis_sum<R>(k.cy, y);
    if constexpr (D == Directions::xy) {
      return with_centre(k, x(Constant<0>{}), xy);
    } else {
      return with_centre(k, x(Constant<0>{}), xy + axis_sum<R>(k.cz, z));
    }
  }
}

}  // namespace tessera::directional
