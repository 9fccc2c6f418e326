// SPDX-License-Identifier: Apache-2.0
// The coefficients of the ete family: a least-squares fit of the stencil's symbol to the exact time
// evolution (Fang II, formula (3)), and what can be said of its quality.
//
// For a column with alpha = v dt / hx, S(k) = sum_j c_j cos(k . dx_j) should be cos(alpha |k| hx).
#pragma once

#include "variants/ete/case/coefficients.hpp"

#include <string>
#include <vector>

namespace tessera::ete {

/// What the fit minimises: sum over wavenumbers of w (S - cos)^2, with sum_j c_j = 1.
struct FitOptions {
  double band = 0.3;      ///< wavenumbers |k| hx <= band pi have weight 1 ...
  double power = 0;       ///< ... times (|k| hx / (band pi))^power
  double outside = 0;     ///< weight of those of the rest of the zone
  bool stabilise = true;  ///< raise it, column by column, until |S| <= 1
  double z_spacing = 1;   ///< hz / hx
};

/// Throws Error for options that make no sense.
void check(const FitOptions& options);

/// Quality of one column.
struct FitQuality {
  double alpha = 0;
  double misfit_max = 0;  ///< largest |S - cos| over the band
  double misfit_rms = 0;  ///< square root of the mean square over the band
  double growth = 0;      ///< largest |S| over the whole zone, less 1
  double outside = 0;     ///< weight outside the band that was used
  [[nodiscard]] bool stable() const { return growth <= kGrowthLimit; }
  static constexpr double kGrowthLimit = 1e-12;
};

/// True where this build can fit: it has Kokkos Kernels.
[[nodiscard]] bool can_fit();

/// Fits a column for each alpha, all at once, in double, with the batched dense routines of Kokkos
/// Kernels in the default execution space. `quality`, if not null, is filled. Columns that cannot
/// be made stable are left as the plain fit has them; their quality says so. Throws Error where
/// can_fit() is false and for options that make no sense.
[[nodiscard]] CoefficientTable fit(int points, const std::vector<double>& alpha,
                                   const FitOptions& options,
                                   std::vector<FitQuality>* quality = nullptr);

/// Quality of any table; the band is `band` pi.
[[nodiscard]] std::vector<FitQuality> quality_of(const CoefficientTable& table, double band);

/// The largest alpha below which all fits with these options are stable.
[[nodiscard]] double largest_stable_alpha(int points, const FitOptions& options);

/// Throws Error, naming the limit, for the first column that is not stable.
void require_stable(const std::vector<FitQuality>& quality, const std::string& what);

}  // namespace tessera::ete
