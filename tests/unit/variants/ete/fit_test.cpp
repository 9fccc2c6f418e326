// SPDX-License-Identifier: Apache-2.0
// The least-squares fit of the ete coefficients: constraint, misfit, stability.
#include "variants/ete/case/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/support/error.hpp"
#include "fixtures/scratch_directory.hpp"
#include "variants/ete/case/symbol.hpp"

namespace tessera::ete {
namespace {

constexpr double kPi = std::numbers::pi;

/// S by its definition, point by point.
double symbol_by_points(const CoefficientTable& t, int column, double kx, double ky, double kz) {
  return with_shape(t.points, [&](auto shape) {
    using S = decltype(shape);
    double sum = 0;
    for (const Point& p : S::kCanonical) {
      sum += t.at(column, S::row_of(p)) * std::cos(kx * p.x + ky * p.y + kz * p.z);
    }
    return sum;
  });
}

class EteFit : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!can_fit()) GTEST_SKIP() << "built without Kokkos Kernels";
  }
};

TEST_P(EteFit, SymbolIsTheSumOverPoints) {
  const CoefficientTable t = random_table(GetParam(), 3, false, 5);
  with_shape(GetParam(), [&](auto shape) {
    using S = decltype(shape);
    const double k[3] = {0.3, 1.1, 2.3};
    double rows = 0;
    for (int row = 0; row < S::kRows; ++row) {
      rows += t.at(1, row) * row_symbol<S>(row, Harmonics(k[0]), Harmonics(k[1]), Harmonics(k[2]));
    }
    const double wanted = symbol_by_points(t, 1, k[0], k[1], k[2]);
    EXPECT_NEAR(rows, wanted, 1e-14);
    EXPECT_NEAR(symbol<S>(&t.values[S::kRows], Harmonics(k[0]), Harmonics(k[1]), Harmonics(k[2])),
                wanted, 1e-14);
  });
}

TEST_P(EteFit, ConstantFieldsStayWhatTheyAre) {
  const std::vector<double> alpha = {0.05, 0.2, 0.4};
  std::vector<FitQuality> quality;
  const CoefficientTable t = fit(GetParam(), alpha, {}, &quality);
  ASSERT_EQ(t.columns(), 3);
  ASSERT_EQ(quality.size(), 3U);
  for (int v = 0; v < 3; ++v) {
    EXPECT_NEAR(symbol_by_points(t, v, 0, 0, 0), 1, 1e-14) << "the coefficients' sum";
    EXPECT_TRUE(quality[v].stable()) << quality[v].growth;
    EXPECT_EQ(quality[v].alpha, alpha[v]);
  }
  EXPECT_TRUE(t.isotropic()) << "one spacing: axes are alike";
}

TEST_P(EteFit, FollowsTheCosineWithinTheBand) {
  const FitOptions options;
  std::vector<FitQuality> quality;
  const CoefficientTable t = fit(GetParam(), {0.1, 0.25}, options, &quality);
  const double band = options.band * kPi;
  for (int v = 0; v < 2; ++v) {
    for (const double part : {0.3, 0.7, 1.0}) {
      const double k = part * band;
      // Along x, along a diagonal of a plane, along that of space.
      for (const auto& d :
           {std::array{1.0, 0.0, 0.0}, std::array{0.0, std::sqrt(0.5), std::sqrt(0.5)},
            std::array{std::sqrt(1. / 3), std::sqrt(1. / 3), std::sqrt(1. / 3)}}) {
        const double miss =
            symbol_by_points(t, v, k * d[0], k * d[1], k * d[2]) - std::cos(t.alpha[v] * k);
        EXPECT_LE(std::abs(miss), quality[v].misfit_max * (1 + 1e-9) + 1e-15);
      }
    }
    EXPECT_LE(quality[v].misfit_rms, quality[v].misfit_max);
    EXPECT_GT(quality[v].misfit_rms, 0);
  }
  // The paper's 1e-6, in the maximum norm over |k| h <= 0.3 pi.
  EXPECT_LE(quality[0].misfit_max, 1e-6);
  EXPECT_LE(quality[1].misfit_max, 1e-6);
}

TEST_P(EteFit, SeedsMisfitAtTheDecksLargestStep) {
  // At v dt / h = 0.4: 73 points keep 1e-6 in the maximum norm; 37 points 1.3e-6 in the mean
  // square.
  std::vector<FitQuality> quality;
  static_cast<void>(fit(GetParam(), {0.4}, {}, &quality));
  if (GetParam() == 73) {
    EXPECT_LE(quality[0].misfit_max, 1e-6);
  } else {
    EXPECT_LE(quality[0].misfit_rms, 1.3e-6);
    EXPECT_LE(quality[0].misfit_max, 6e-6);  // where the diagonals leave the ball
  }
}

TEST_P(EteFit, UnevenSpacingsAreFittedToo) {
  FitOptions options;
  options.z_spacing = 1.5;
  std::vector<FitQuality> quality;
  const CoefficientTable t = fit(GetParam(), {0.2}, options, &quality);
  EXPECT_FALSE(t.isotropic());
  EXPECT_TRUE(quality[0].stable());
  // A wave along z with |k| hx = 0.6 has 0.9 radians a cell.
  EXPECT_NEAR(symbol_by_points(t, 0, 0, 0, 0.9), std::cos(0.2 * 0.6), 1e-5);
}

TEST_P(EteFit, LimitOfStabilityIsALimit) {
  FitOptions plain;
  plain.stabilise = false;
  const double limit = largest_stable_alpha(GetParam(), plain);
  EXPECT_GT(limit, 0.4);
  EXPECT_LT(limit, 0.5) << "37 points fail at 0.5 without weight outside the band";
  std::vector<FitQuality> quality;
  static_cast<void>(fit(GetParam(), {limit, 1.01 * limit}, plain, &quality));
  EXPECT_TRUE(quality[0].stable());
  EXPECT_FALSE(quality[1].stable());
  EXPECT_THROW(require_stable(quality, "test"), Error);
  // Weight outside the band buys a longer step.
  EXPECT_GT(largest_stable_alpha(GetParam(), {}), limit);
}

TEST_P(EteFit, GrowthIsFoundWhereItIs) {
  // S = 1.001 at the zone's corner and 1 at k = 0: found, and by how much.
  CoefficientTable t = random_table(GetParam(), 1, true, 1);
  std::fill(t.values.begin(), t.values.end(), 0.0);
  with_shape(GetParam(), [&](auto shape) {
    using S = decltype(shape);
    // sum over the axis rows m = 1: 6 c; at the corner -6 c: centre + 6 c = 1, centre - 6 c =
    // -1.001
    const double c = 2.001 / 12;
    t.at(0, S::axis_row(1)) = c;
    t.at(0, S::z_row(1)) = c;
    t.at(0, S::kCentreRow) = 1 - 6 * c;
  });
  const auto quality = quality_of(t, 0.3);
  EXPECT_NEAR(quality[0].growth, 0.001, 1e-12);
}

TEST_P(EteFit, BadOptionsAreRefused) {
  const auto with = [&](FitOptions o) { static_cast<void>(fit(GetParam(), {0.1}, o)); };
  FitOptions band;
  band.band = 1.5;
  EXPECT_TRUE(test::has(test::error_of([&] { with(band); }), "fit.band"));
  FitOptions tall;
  tall.band = 0.5;
  tall.z_spacing = 3;
  EXPECT_TRUE(test::has(test::error_of([&] { with(tall); }), "hz / hx"));
  EXPECT_THROW(static_cast<void>(fit(GetParam(), {-0.1}, {})), Error);
}

INSTANTIATE_TEST_SUITE_P(Points, EteFit, testing::Values(37, 73));

}  // namespace
}  // namespace tessera::ete
