// SPDX-License-Identifier: Apache-2.0
// The jacobi family: the nine iterative stencils of EBISU's Table 2, in two and three dimensions.
//
//   u+(c) = sum_j w_j u(c + d_j)      w_j > 0, sum_j w_j = 1: values stay within those they began
//   in
//
// R cells outside the nx x ny x nz updated ones are fixed. The axis that a temporally blocked
// kernel streams along, y in two dimensions and z in three, is called s here; a plane is what lies
// at one s: a row in two dimensions (its y is always 0), an xy plane in three.
#pragma once

#include "base/device/fma.hpp"
#include "base/device/static_for.hpp"
#include "base/grid/extents.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::jacobi {

/// Which points of the (2R + 1)-cell neighbourhood a stencil has.
enum class Shape {
  star,                ///< along the axes
  box,                 ///< all
  middle_and_corners,  ///< j3d17pt: 3 x 3 of the middle plane, four corners above and below
  faces_and_edges,     ///< poisson: all but the eight corners
};

/// Offset of a point: along the streamed axis, y and x.
struct Point {
  int s, y, x;
};

/// A stencil: its points in the one order of summation, s slowest and x fastest, and its weights.
template <int Dims, int R, Shape kShape, bool kBinomial = false>
struct Stencil {
  static constexpr int kDims = Dims;
  static constexpr int kR = R;
  static constexpr int kRy = Dims == 2 ? 0 : R;  ///< radius along y, in a plane
  static constexpr bool kStar = kShape == Shape::star;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr bool has(int s, int y, int x) {
    const int away = (s != 0) + (y != 0) + (x != 0);
    switch (kShape) {
      case Shape::star:
        return away <= 1;
      case Shape::middle_and_corners:
        return s == 0 || away == 3;
      case Shape::faces_and_edges:
        return away <= 2;
      case Shape::box:
        return true;
    }
    return false;
  }

  /// Points of the neighbourhood, the cell itself included.
  [[nodiscard]] static constexpr int count() {
    int n = 0;
    for (int s = -R; s <= R; ++s) {
      for (int y = -kRy; y <= kRy; ++y) {
        for (int x = -R; x <= R; ++x) n += has(s, y, x);
      }
    }
    return n;
  }
  static constexpr int kPoints = count();
  /// A multiplication and an addition a point, as in Table 2 (which prints 25 for gaussian: 50).
  static constexpr int kFlops = 2 * kPoints;

  /// In the order of summation: s slowest, x fastest.
  [[nodiscard]] static constexpr std::array<Point, kPoints> points() {
    std::array<Point, kPoints> list{};
    int n = 0;
    for (int s = -R; s <= R; ++s) {
      for (int y = -kRy; y <= kRy; ++y) {
        for (int x = -R; x <= R; ++x) {
          if (has(s, y, x)) list[n++] = {s, y, x};
        }
      }
    }
    return list;
  }

  /// Before normalisation. The paper's references name shapes and no common weights: these fall
  /// with the distance and differ along the axes, so that a mixed-up axis or sign shows. gaussian
  /// has its binomial ones.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr double raw_weight(int s, int y, int x) {
    if constexpr (kBinomial) {
      return binomial(s) * binomial(x);
    } else {
      return 30.0 / (1 + 2 * (s * s + y * y + x * x)) + 0.3 * s + 0.2 * y + 0.1 * x;
    }
  }
  /// What raw_weight() adds up to over all points, in double: what weights() divides by.
  [[nodiscard]] static constexpr double raw_sum() {
    double sum = 0;
    for (const Point& p : points()) sum += raw_weight(p.s, p.y, p.x);
    return sum;
  }

  /// The weights of points(), which add up to 1.
  [[nodiscard]] static constexpr std::array<double, kPoints> weights() {
    std::array<double, kPoints> list{};
    for (int j = 0; j < kPoints; ++j) {
      const Point p = points()[j];
      list[j] = raw_weight(p.s, p.y, p.x) / raw_sum();
    }
    return list;
  }

 private:
  /// 1, 4, 6, 4, 1
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr double binomial(int i) {
    return i == 0 ? 6 : i * i == 1 ? 4 : 1;
  }
};

struct J2d5pt : Stencil<2, 1, Shape::star> {
  static constexpr const char* kName = "jacobi/j2d5pt";
};
struct J2d9pt : Stencil<2, 2, Shape::star> {
  static constexpr const char* kName = "jacobi/j2d9pt";
};
struct J2d9ptGol : Stencil<2, 1, Shape::box> {
  static constexpr const char* kName = "jacobi/j2d9pt-gol";
};
struct J2d25pt : Stencil<2, 2, Shape::box, true> {
  static constexpr const char* kName = "jacobi/j2d25pt";
};
struct J3d7pt : Stencil<3, 1, Shape::star> {
  static constexpr const char* kName = "jacobi/j3d7pt";
};
struct J3d13pt : Stencil<3, 2, Shape::star> {
  static constexpr const char* kName = "jacobi/j3d13pt";
};
struct J3d17pt : Stencil<3, 1, Shape::middle_and_corners> {
  static constexpr const char* kName = "jacobi/j3d17pt";
};
struct J3d27pt : Stencil<3, 1, Shape::box> {
  static constexpr const char* kName = "jacobi/j3d27pt";
};
struct Poisson : Stencil<3, 1, Shape::faces_and_edges> {
  static constexpr const char* kName = "jacobi/poisson";
};

/// All of them, in the order of Table 2.
using AllStencils =
    std::tuple<J2d5pt, J2d9pt, J2d9ptGol, J2d25pt, J3d7pt, J3d13pt, J3d17pt, J3d27pt, Poisson>;
inline constexpr int kStencils = std::tuple_size_v<AllStencils>;

/// Points and weights as constants, made once a stencil.
template <class StencilType>
inline constexpr auto kPointsOf = StencilType::points();
template <class StencilType>
inline constexpr auto kWeightsOf = StencilType::weights();

/// The weight at an offset, for unrolled loops over registers: a constant once they are unrolled.
template <class StencilType, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real weight_at(int s, int y, int x) {
  constexpr double kSum = StencilType::raw_sum();
  return static_cast<Real>(StencilType::raw_weight(s, y, x) / kSum);
}

/// Calls body(stencil) for each of them.
template <class Body>
void for_each_stencil(const Body& body) {
  std::apply([&](auto... stencil) { (body(stencil), ...); }, AllStencils{});
}

/// Calls body(stencil) for the one with this full name, if there is one.
template <class Body>
void with_stencil(const std::string& name, const Body& body) {
  for_each_stencil([&](auto stencil) {
    if (name == decltype(stencil)::kName) body(stencil);
  });
}

/// Continues the sum of a point by the terms whose offsets along s are `S0`: plane by plane, in the
/// order of summation. `at(Constant<y>, Constant<x>)` is u there. The first term starts the sum.
template <class StencilType, int S0, class Real, class At>
KOKKOS_FORCEINLINE_FUNCTION void add_plane(Real& sum, const At& at) {
  static_for<StencilType::kPoints>([&](auto j) {
    constexpr Point kPoint = kPointsOf<StencilType>[j];
    if constexpr (kPoint.s == S0) {
      constexpr Real kWeight = static_cast<Real>(kWeightsOf<StencilType>[j]);
      const Real value = at(Constant<kPoint.y>{}, Constant<kPoint.x>{});
      if constexpr (j == 0) {
        sum = kWeight * value;
      } else {
        sum = multiply_add(kWeight, value, sum);
      }
    }
  });
}

/// u+ of a cell. `at(Constant<s>, Constant<y>, Constant<x>)` is u at an offset from it.
template <class StencilType, class Real, class At>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real point_value(const At& at) {
  Real sum = 0;
  static_for<2 * StencilType::kR + 1>([&](auto i) {
    constexpr int kS = i - StencilType::kR;
    add_plane<StencilType, kS>(sum, [&](auto y, auto x) { return at(Constant<kS>{}, y, x); });
  });
  return sum;
}

/// What a kernel sees: u before and after, and where which plane lies. In two dimensions ns is the
/// deck's ny, and ny is 1.
template <class Real>
struct Fields {
  const Real* from;    ///< cell (0, 0, 0); R fixed cells around
  Real* to;            ///< the same layout, with the same fixed cells
  int ns, ny, nx;      ///< updated cells along s, y, x
  std::int64_t plane;  ///< elements from s to s + 1
  int row;             ///< elements from y to y + 1

  /// Elements from cell (0, 0, 0) of `from` or `to` to cell (s, y, x); fixed cells have negative
  /// indices or indices past the extents.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(int s, int y, int x) const {
    return s * plane + static_cast<std::int64_t>(y) * row + x;
  }
  /// Whether a step updates the cell: it is none of the fixed ones.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool updated(int s, int y, int x) const {
    return s >= 0 && s < ns && y >= 0 && y < ny && x >= 0 && x < nx;
  }
  /// Updated or fixed: memory that exists. Ry is R in three dimensions and 0 in two.
  template <int R, int Ry>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool exists(int s, int y, int x) const {
    return s >= -R && s < ns + R && y >= -Ry && y < ny + Ry && x >= -R && x < nx + R;
  }
};

/// The updated cells as kernels see them: planes along s.
[[nodiscard]] inline Extents streamed(const Extents& n, int dims) {
  return dims == 2 ? Extents{n.ny, 1, n.nx} : n;
}

}  // namespace tessera::jacobi
