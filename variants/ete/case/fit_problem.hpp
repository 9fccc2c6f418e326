// SPDX-License-Identifier: Apache-2.0
// The least-squares problem of the fit (variants/ete/case/fit.hpp): samples of the zone, and what
// all columns share.
#pragma once

#include "base/support/error.hpp"
#include "variants/ete/case/fit.hpp"
#include "variants/ete/case/symbol.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace tessera::ete {

inline constexpr int kInside = 14;   ///< wavenumbers an axis, of the ball of the band
inline constexpr int kOutside = 12;  ///< and of the whole zone

/// A wavenumber in radians a cell, |k| hx, and its weight in the sum.
struct Wavenumber {
  double x, y, z, size, weight;
};

/// Midpoints of a grid of an octant (x >= y, twice: S is the same with both exchanged).
template <class Keep>
[[nodiscard]] std::vector<Wavenumber> wavenumbers(int per_axis, double reach, double reach_z,
                                                  double z_spacing, const Keep& keep) {
  std::vector<Wavenumber> list;
  for (int i = 0; i < per_axis; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int l = 0; l < per_axis; ++l) {
        Wavenumber s{reach * (i + 0.5) / per_axis, reach * (j + 0.5) / per_axis,
                     reach_z * (l + 0.5) / per_axis, 0, i == j ? 1.0 : 2.0};
        s.size = std::hypot(s.x, s.y, s.z / z_spacing);
        if (keep(s)) list.push_back(s);
      }
    }
  }
  return list;
}

/// The part of the problem that all columns share. With the centre's row eliminated by the
/// constraint, the unknowns' basis is psi_r = (row's symbol) - (its points), the data cos - 1. In
/// the coordinates of the band's orthogonal factor Q (Q R = sqrt(w) psi) the normal equations of a
/// column are (I + w Z'Z) y = Q' b + w Z' b_out, R c = y: no condition number is squared.
struct FitProblem {
  std::vector<int> rows;          // unknown rows
  std::vector<double> in_weight;  // sqrt of each sample's weight
  std::vector<Wavenumber> in, out;
  std::vector<double> q, r, z;  // [sample][unknown], [unknown][unknown], [sample][unknown]
};

/// The problem of the stencil that FitShape describes. Throws Error where the band is too narrow to
/// distinguish its points.
template <class FitShape>
[[nodiscard]] FitProblem fit_problem(const FitOptions& o) {
  FitProblem c;
  const double band = o.band * std::numbers::pi;
  c.in = wavenumbers(kInside, band, band * o.z_spacing, o.z_spacing,
                     [&](const Wavenumber& s) { return s.size <= band; });
  c.out = wavenumbers(kOutside, std::numbers::pi, std::numbers::pi, o.z_spacing,
                      [&](const Wavenumber& s) { return s.size > band; });
  for (int row = 0; row < FitShape::kRows; ++row) {
    const Point first = FitShape::kList.point[FitShape::kList.first[row]];
    const bool centre =
        FitShape::points_of(row) == 1 && first.z == 0 && first.y == 0 && first.x == 0;
    if (FitShape::points_of(row) > 0 && !centre) c.rows.push_back(row);
  }
  const std::size_t n = c.rows.size();
  const auto basis = [&](const std::vector<Wavenumber>& list) {
    std::vector<double> psi(list.size() * n);
    for (std::size_t s = 0; s < list.size(); ++s) {
      const Harmonics x(list[s].x), y(list[s].y), z(list[s].z);
      for (std::size_t r = 0; r < n; ++r) {
        psi[s * n + r] = row_symbol<FitShape>(c.rows[r], x, y, z) - FitShape::points_of(c.rows[r]);
      }
    }
    return psi;
  };
  // Weights normalised to a sum of 1 in and out of the band.
  const auto normalise = [](std::vector<Wavenumber>& list) {
    double sum = 0;
    for (const Wavenumber& s : list) sum += s.weight;
    for (Wavenumber& s : list) s.weight /= sum;
  };
  for (Wavenumber& s : c.in) s.weight *= std::pow(s.size / band, o.power);
  normalise(c.in);
  normalise(c.out);
  // Q and R by Gram and Schmidt, twice.
  c.q = basis(c.in);
  c.r.assign(n * n, 0.0);
  for (std::size_t s = 0; s < c.in.size(); ++s) {
    c.in_weight.push_back(std::sqrt(c.in[s].weight));
    for (std::size_t r = 0; r < n; ++r) c.q[s * n + r] *= c.in_weight[s];
  }
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t s = 0; s < c.in.size(); ++s) sum += c.q[s * n + a] * c.q[s * n + b];
    return sum;
  };
  for (std::size_t b = 0; b < n; ++b) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t a = 0; a < b; ++a) {
        const double part = dot(a, b);
        c.r[a * n + b] += part;
        for (std::size_t s = 0; s < c.in.size(); ++s) c.q[s * n + b] -= part * c.q[s * n + a];
      }
    }
    const double size = std::sqrt(dot(b, b));
    require(size > 0, "fit.band = {}: too narrow to distinguish the stencil's points", o.band);
    c.r[b * n + b] = size;
    for (std::size_t s = 0; s < c.in.size(); ++s) c.q[s * n + b] /= size;
  }
  // Z = psi_out R^-1, scaled by sqrt of the weights.
  c.z = basis(c.out);
  for (std::size_t s = 0; s < c.out.size(); ++s) {
    double* row = &c.z[s * n];
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t a = 0; a < b; ++a) row[b] -= row[a] * c.r[a * n + b];
      row[b] /= c.r[b * n + b];
    }
    for (std::size_t b = 0; b < n; ++b) row[b] *= std::sqrt(c.out[s].weight);
  }
  return c;
}

}  // namespace tessera::ete
