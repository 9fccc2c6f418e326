// SPDX-License-Identifier: Apache-2.0
// The 8th-order second derivative: its coefficients, and what L(u) makes of polynomials.
#include <gtest/gtest.h>

#include <cmath>

#include "variants/acoustic/formula.hpp"

namespace tessera::acoustic {
namespace {

TEST(Coefficients, SumToZero) {
  double sum = kC[0];
  for (int m = 1; m <= kR; ++m) sum += 2 * kC[m];
  EXPECT_NEAR(sum, 0, 4e-16);
}

TEST(Coefficients, EqualTheClosedForm) {
  // Central differences of order 2R: c_m = 2 (-1)^(m+1) R!^2 / (m^2 (R-m)! (R+m)!).
  for (int m = 1; m <= kR; ++m) {
    const double sign = m % 2 == 1 ? 1 : -1;
    const double c = 2 * sign * std::pow(std::tgamma(kR + 1.0), 2) /
                     (m * m * std::tgamma(kR - m + 1.0) * std::tgamma(kR + m + 1.0));
    EXPECT_NEAR(kC[m], c, 1e-15) << m;
  }
}

/// L of u(z, y, x) in metres at one place.
template <class Real, class Function>
Real laplacian_at(const double (&h)[3], double x, double y, double z, const Function& u) {
  const Coefficients<Real> k(h[0], h[1], h[2]);
  return laplacian(
      k, [&](auto m) { return static_cast<Real>(u(x + m * h[0], y, z)); },
      [&](auto m) { return static_cast<Real>(u(x, y + m * h[1], z)); },
      [&](auto m) { return static_cast<Real>(u(x, y, z + m * h[2])); });
}

TEST(Laplacian, IsExactForPolynomialsUpToDegree9) {
  const double h[3] = {0.20, 0.25, 0.15};
  const double at[3] = {0.3, -0.2, 0.4};
  for (int axis = 0; axis < 3; ++axis) {
    for (int p = 0; p <= 10; ++p) {
      const auto u = [&](double x, double y, double z) {
        const double r[3] = {x, y, z};
        return std::pow(r[axis], p);
      };
      const double wanted = p < 2 ? 0 : p * (p - 1) * std::pow(at[axis], p - 2);
      const auto got = laplacian_at<double>(h, at[0], at[1], at[2], u);
      if (p <= 9) {
        EXPECT_NEAR(got, wanted, 1e-11) << "axis " << axis << " degree " << p;
      } else {
        EXPECT_GT(std::abs(got - wanted), 1e-7) << "axis " << axis;
      }
    }
  }
}

TEST(Laplacian, ConstantsVanishInBothPrecisions) {
  const double h[3] = {20, 25, 15};
  const auto one = [](double, double, double) { return 1.0; };
  EXPECT_NEAR(laplacian_at<double>(h, 0, 0, 0, one), 0, 1e-17);
  EXPECT_NEAR(laplacian_at<float>(h, 0, 0, 0, one), 0, 1e-8);
}

TEST(Coefficients, ScaleWithEachSpacing) {
  const Coefficients<double> k(20, 25, 10);
  EXPECT_DOUBLE_EQ(k.cx[0], 1.6 / 400);
  EXPECT_DOUBLE_EQ(k.cy[1], -0.2 / 625);
  EXPECT_DOUBLE_EQ(k.cz[3], -1.0 / 560 / 100);
  EXPECT_DOUBLE_EQ(k.qx, 1.0 / 1600);
  EXPECT_DOUBLE_EQ(k.qy, 1.0 / 2500);
  EXPECT_DOUBLE_EQ(k.qz, 1.0 / 400);
  EXPECT_DOUBLE_EQ(k.c0, -205.0 / 72 * (1.0 / 400 + 1.0 / 625 + 1.0 / 100));
}

}  // namespace
}  // namespace tessera::acoustic
