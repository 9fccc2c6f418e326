// SPDX-License-Identifier: Apache-2.0
// L(u) converges with the 8th order of the grid spacing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "variants/acoustic/formula.hpp"

namespace tessera::acoustic {
namespace {

/// Largest error of L(u) over a box of side 1 at n cells an axis, h_y and h_z different fractions.
double error_of_laplacian(int n) {
  const double h[3] = {1.0 / n, 0.9 / n, 0.8 / n};
  const double k[3] = {2 * std::numbers::pi, 3 * std::numbers::pi, 2.5 * std::numbers::pi};
  const auto u = [&](double x, double y, double z) {
    return std::sin(k[0] * x + 0.3) * std::sin(k[1] * y + 0.5) * std::sin(k[2] * z + 0.7);
  };
  const Coefficients<double> coefficients(h[0], h[1], h[2]);
  double worst = 0;
  for (int iz = 0; iz < n; ++iz) {
    for (int iy = 0; iy < n; ++iy) {
      for (int ix = 0; ix < n; ++ix) {
        const double x = ix * h[0];
        const double y = iy * h[1];
        const double z = iz * h[2];
        const double got = laplacian(
            coefficients, [&](auto m) { return u(x + m * h[0], y, z); },
            [&](auto m) { return u(x, y + m * h[1], z); },
            [&](auto m) { return u(x, y, z + m * h[2]); });
        const double wanted = -(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) * u(x, y, z);
        worst = std::max(worst, std::abs(got - wanted));
      }
    }
  }
  return worst;
}

TEST(Convergence, LaplacianIsOf8thOrder) {
  // From 8 to 32 points a wavelength of y, the shortest; finer ones meet rounding.
  std::vector<double> errors;
  for (const int n : {12, 18, 24, 36}) errors.push_back(error_of_laplacian(n));
  const double refinement[] = {18.0 / 12, 24.0 / 18, 36.0 / 24};
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
    const double order = std::log(errors[i] / errors[i + 1]) / std::log(refinement[i]);
    EXPECT_GE(order, 7.5) << "errors " << errors[i] << ", " << errors[i + 1];
    EXPECT_LE(order, 8.5) << "errors " << errors[i] << ", " << errors[i + 1];
  }
}

}  // namespace
}  // namespace tessera::acoustic
