// SPDX-License-Identifier: Apache-2.0
// The ete family (Fang II): explicit time evolution with spatially variable coefficients.
//
//   p+ = 2 sum_j c_j(v) p(x + dx_j) - p-
//
// 37 points: 25 on the axes and 12 at (+-1, +-1) in the three coordinate planes. 73 points: 25 on
// the axes and 48 at (+-m, +-m), m = 1..4, in the three coordinate planes; the paper does not list
// the 48, this choice has its 33 points in a layer and its 17 columns that leave the plane.
//
// Points that symmetry makes equal form a class and share a row of the coefficient table; a column
// is a velocity. The formula sums a class first, then multiplies.
#pragma once

#include "base/device/fma.hpp"
#include "base/device/static_for.hpp"
#include "base/tile/vec.hpp"

#include <array>
#include <cstdint>

namespace tessera::ete {

/// Reach of both stencils along each axis: 8th order.
inline constexpr int kR = 4;

/// Which points share a row of the table.
///   z_distinct: equal under reflections and under x <-> y (11 rows of 37 points, 17 of 73)
///   isotropic:  equal under every exchange of axes (6 and 9)
///   full:       none (37 and 73)
enum class Rows { z_distinct, isotropic, full };

/// A point's place relative to the cell.
struct Point {
  int z = 0, y = 0, x = 0;
};

/// Points of a stencil in the order of their rows, and the rows themselves. With z_distinct rows
/// those of the planes above and below come first, in pairs (along z, diagonal) of one distance,
/// then those of the cell's own plane, so that neighbouring rows are needed together:
///   73: z1 d1 z2 d2 z3 d3 z4 d4 | a1 a2 a3 a4 e1 e2 e3 e4 c
///   37: z1 d1 z2 z3 z4 . | a1 a2 a3 a4 e1 c          (a dot: no row, to align what follows)
/// c the cell, a and e in its plane (on the axes, diagonal), z and d out of it.
template <int NPoints, Rows kKind = Rows::z_distinct>
struct Shape {
  static_assert(NPoints == 37 || NPoints == 73);
  static constexpr int kPoints = NPoints;
  static constexpr Rows kRowKind = kKind;
  static constexpr int kDiagonals = NPoints == 37 ? 1 : 4;  ///< m = 1 ... of (+-m, +-m)

  static constexpr int kBeside = 2 * kR + 8 * kDiagonals;  ///< points at another x than the cell

  // Rows of z_distinct tables.
  static constexpr int kZRows = kR + kDiagonals;               ///< rows out of the plane
  static constexpr int kInPlane = NPoints == 37 ? 6 : kZRows;  ///< first row of the plane: even
  static constexpr int kPlaneRows = 1 + kR + kDiagonals;       ///< rows of the plane

  /// Rows that a table stores, unused ones included.
  static constexpr int kRows = kKind == Rows::full        ? NPoints
                               : kKind == Rows::isotropic ? 1 + kR + kDiagonals
                                                          : kInPlane + kPlaneRows;
  /// Rows without unused ones: what the paper counts.
  static constexpr int kClasses = kKind == Rows::z_distinct ? kZRows + kPlaneRows : kRows;
  /// Row of the points at distance m along z, m = 1..4, and of those diagonal in xz and yz.
  [[nodiscard]] static constexpr int z_row(int m) {
    return NPoints == 73 ? 2 * (m - 1) : m == 1 ? 0 : m;
  }
  [[nodiscard]] static constexpr int z_diagonal_row(int m) { return z_row(m) + 1; }
  /// Rows of the plane: on its axes, diagonal, and the cell.
  [[nodiscard]] static constexpr int axis_row(int m) { return kInPlane + m - 1; }
  [[nodiscard]] static constexpr int diagonal_row(int m) { return kInPlane + kR + m - 1; }
  static constexpr int kCentreRow = kInPlane + kR + kDiagonals;

  struct List {
    std::array<Point, NPoints> point{};
    std::array<int, kRows + 1> first{};  ///< points of row r are first[r] ... first[r + 1] - 1
  };

  /// Row of a point, in a table of this kind of symmetry; full: its place in the isotropic order.
  [[nodiscard]] static constexpr int row_of(const Point& p) {
    const auto size = [](int v) { return v < 0 ? -v : v; };
    const int m = size(p.z) > size(p.y) ? (size(p.z) > size(p.x) ? size(p.z) : size(p.x))
                                        : (size(p.y) > size(p.x) ? size(p.y) : size(p.x));
    const bool diagonal = (p.z != 0) + (p.y != 0) + (p.x != 0) == 2;
    if constexpr (kKind == Rows::isotropic) {
      return m == 0 ? 0 : diagonal ? kR + m : m;
    } else if constexpr (kKind == Rows::z_distinct) {
      if (m == 0) return kCentreRow;
      if (p.z == 0) return diagonal ? diagonal_row(m) : axis_row(m);
      return diagonal ? z_diagonal_row(m) : z_row(m);
    } else {
      for (int j = 0; j < NPoints; ++j) {
        const Point& q = kCanonical[j];
        if (q.z == p.z && q.y == p.y && q.x == p.x) return j;
      }
      return -1;
    }
  }

  /// All points: by distance the axes x, y, z, then the diagonals xy, xz, yz; the cell comes last,
  /// since its coefficient is the largest: a sum in this order rounds little.
  static constexpr std::array<Point, NPoints> kCanonical = [] {
    std::array<Point, NPoints> list{};
    int n = 0;  // the last one stays {0, 0, 0}
    for (int m = 1; m <= kR; ++m) {
      for (const int s : {m, -m}) list[n++] = {0, 0, s};
      for (const int s : {m, -m}) list[n++] = {0, s, 0};
      for (const int s : {m, -m}) list[n++] = {s, 0, 0};
    }
    for (int m = 1; m <= kDiagonals; ++m) {
      for (const int s : {m, -m}) {
        for (const int t : {m, -m}) {
          list[n++] = {0, s, t};
          list[n++] = {s, 0, t};
          list[n++] = {s, t, 0};
        }
      }
    }
    return list;
  }();

  static constexpr List kList = [] {
    List list;
    if constexpr (kKind == Rows::full) {  // a point a row: searching takes clang too many steps
      list.point = kCanonical;
      for (int row = 0; row <= kRows; ++row) list.first[row] = row;
      return list;
    }
    int n = 0;
    for (int row = 0; row < kRows; ++row) {
      list.first[row] = n;
      for (const Point& p : kCanonical) {
        if (row_of(p) == row) list.point[n++] = p;
      }
    }
    list.first[kRows] = n;
    return list;
  }();

  /// Points of a row.
  [[nodiscard]] static constexpr int points_of(int row) {
    return kList.first[row + 1] - kList.first[row];
  }
};

/// Operations of a cell: a multiplication and an addition a point, the factor 2 and p-.
template <class ShapeType>
inline constexpr int kFlops = 2 * ShapeType::kPoints + 1;

/// Elements from a velocity to the next where `rows` rows are stored by velocity: whole vectors of
/// 16 bytes, and an odd number of them. Random velocities then start in all of the eight groups of
/// four banks of a scratch-pad alike.
template <class Real>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr int padded_rows(int rows) {
  constexpr int kVector = 16 / static_cast<int>(sizeof(Real));
  return ((rows + kVector - 1) / kVector | 1) * kVector;
}

/// Elements from a row to the next where a table is stored by class.
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr int class_pitch(int columns) {
  return (columns + 3) / 4 * 4;
}

/// Tables in device memory, one column a velocity. By velocity: element
/// [v * padded_rows<Real>(rows) + row]; by class: [row * pitch + v].
template <class Real>
struct Tables {
  const Real* by_velocity = nullptr;
  const Real* by_class = nullptr;
  const Real* isotropic = nullptr;  ///< by velocity; null where the table distinguishes z
  const Real* full = nullptr;       ///< by velocity
  int columns = 0;                  ///< velocities
  int pitch = 0;                    ///< of by_class
};

/// What a kernel sees of the fields: addresses of cell (0, 0, 0) and strides.
template <class Real>
struct Fields {
  const Real* p = nullptr;  ///< wavefield at step n; halo of kR cells, zero outside the grid
  Real* next = nullptr;     ///< holds p- (step n - 1) on entry, p+ on return
  const std::uint16_t* index = nullptr;       ///< column of each cell; no halo
  const std::uint32_t* wide_index = nullptr;  ///< instead, where there are over 65536 columns
  int row = 0, plane = 0;                     ///< elements from y to y + 1, z to z + 1: p, next
  int index_row = 0, index_plane = 0;         ///< the same of index
  Tables<Real> tables;
  std::uint64_t stamp = 0;  ///< differs where contents of index or tables do

  /// Offset of a cell in p and next, in elements.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(int z, int y, int x) const {
    return static_cast<std::int64_t>(z) * plane + static_cast<std::int64_t>(y) * row + x;
  }
  /// Offset of a cell in index.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t index_offset(int z, int y, int x) const {
    return static_cast<std::int64_t>(z) * index_plane + static_cast<std::int64_t>(y) * index_row +
           x;
  }
};

/// Sum of p over the points of a row; at(Constant<z>, Constant<y>, Constant<x>) is p at a point.
template <class ShapeType, int kRow, class At>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto class_sum(const At& at) {
  constexpr int kFirst = ShapeType::kList.first[kRow];
  constexpr Point kP = ShapeType::kList.point[kFirst];
  auto sum = at(Constant<kP.z>{}, Constant<kP.y>{}, Constant<kP.x>{});
  static_for<ShapeType::points_of(kRow) - 1>([&](auto j) {
    constexpr Point kQ = ShapeType::kList.point[kFirst + 1 + decltype(j)::value];
    sum += at(Constant<kQ.z>{}, Constant<kQ.y>{}, Constant<kQ.x>{});
  });
  return sum;
}

/// Most rows that are summed one after the other: a longer sum rounds more than the bound allows.
inline constexpr int kLongestRun = 20;

/// sum_j c_j p_j over the rows First ... Last - 1, row by row, of full tables in runs of at most
/// kLongestRun. c(Constant<row>) is a coefficient.
template <class ShapeType, int First, int Last, class Real, class Coefficient, class At>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real convolve_rows(Real sum, const Coefficient& c,
                                                             const At& at) {
  if constexpr (Last - First > kLongestRun) {
    constexpr int kMiddle = (First + Last) / 2;
    sum = convolve_rows<ShapeType, First, kMiddle>(sum, c, at);
    return sum + convolve_rows<ShapeType, kMiddle, Last>(Real(0), c, at);
  } else {
    static_for<Last - First>([&](auto i) {
      constexpr int kRow = First + decltype(i)::value;
      if constexpr (ShapeType::points_of(kRow) > 0) {
        sum = multiply_add(c(Constant<kRow>{}), class_sum<ShapeType, kRow>(at), sum);
      }
    });
    return sum;
  }
}

/// p+ from the sum over all points.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real advanced(Real sum, Real p_minus) {
  return multiply_add(Real(2), sum, -p_minus);
}

}  // namespace tessera::ete
