// SPDX-License-Identifier: Apache-2.0
// Phi and the cascade on the six synthetic applications of Sewall et al. 2020 ("Interpreting and
// visualizing performance portability metrics"): ten platforms, A to J.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/support/error.hpp"
#include "program/compare/portability.hpp"

namespace tessera::compare {
namespace {

constexpr int kPlatforms = 10;

template <class F>
Efficiencies on_ten(F&& efficiency) {
  Efficiencies e;
  for (int i = 0; i < kPlatforms; ++i) e.push_back(efficiency(i));
  return e;
}

TEST(PerformancePortability, OfThePublishedApplications) {
  const auto unportable = on_ten([](int i) { return i == 0 ? 1.0 : 0.0; });
  const auto single_target = on_ten([](int i) { return i == 0 ? 1.0 : 0.1; });
  const auto multi_target = on_ten([](int i) { return i % 2 == 0 ? 1.0 : 0.1; });
  const auto inconsistent = on_ten([](int i) { return 0.1 * (i + 1); });
  EXPECT_EQ(performance_portability(unportable), 0);
  EXPECT_NEAR(performance_portability(single_target), 10.0 / 91, 1e-12);
  EXPECT_NEAR(performance_portability(multi_target), 10.0 / 55, 1e-12);
  EXPECT_NEAR(performance_portability(on_ten([](int) { return 0.3; })), 0.3, 1e-12);
  EXPECT_NEAR(performance_portability(on_ten([](int) { return 0.7; })), 0.7, 1e-12);
  // 10 / (10 + 5 + 10/3 + ... + 1): one over the tenth harmonic number.
  EXPECT_NEAR(performance_portability(inconsistent), 1 / 2.9289682539682538, 1e-12);
}

TEST(PerformancePortability, RefusesWhatIsNoEfficiency) {
  EXPECT_THROW((void)performance_portability({}), Error);
  EXPECT_THROW((void)performance_portability({0.5, -0.1}), Error);
  EXPECT_THROW((void)performance_portability({std::numeric_limits<double>::quiet_NaN()}), Error);
}

TEST(Cascade, FallsFromTheBestPlatformToAll) {
  const auto steps = cascade(on_ten([](int i) { return 0.1 * (i + 1); }));
  ASSERT_EQ(steps.size(), 10U);
  EXPECT_EQ(steps.front().platform, 9U);
  EXPECT_NEAR(steps.front().phi, 1.0, 1e-12);
  EXPECT_NEAR(steps[1].phi, 2 / (1 + 1 / 0.9), 1e-12);
  EXPECT_EQ(steps.back().platform, 0U);
  EXPECT_NEAR(steps.back().phi, 1 / 2.9289682539682538, 1e-12);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_LE(steps[i].efficiency, steps[i - 1].efficiency);
    EXPECT_LE(steps[i].phi, steps[i - 1].phi);
  }
}

TEST(Cascade, KeepsTheOrderOfTies) {
  const auto steps = cascade({0.5, 0.5, 0});
  EXPECT_EQ(steps[0].platform, 0U);
  EXPECT_EQ(steps[1].platform, 1U);
  EXPECT_EQ(steps[2].phi, 0);
}

TEST(RankCorrelation, OfRankingsAlikeOppositeAndTied) {
  EXPECT_EQ(rank_correlation({1, 2, 3}, {10, 20, 30}), 1.0);
  EXPECT_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1.0);
  // Five pairs of six agree: (5 - 1) / 6.
  EXPECT_NEAR(*rank_correlation({1, 2, 3, 4}, {1, 3, 2, 4}), 4.0 / 6, 1e-12);
  // A tie in one list: 2 pairs agree, of 2 that differ there and 3 in the other.
  EXPECT_NEAR(*rank_correlation({1, 1, 2}, {1, 2, 3}), 2 / std::sqrt(6.0), 1e-12);
  EXPECT_FALSE(rank_correlation({1, 1}, {1, 2}));
  EXPECT_FALSE(rank_correlation({1}, {1}));
  EXPECT_THROW((void)rank_correlation({1, 2}, {1}), Error);
}

}  // namespace
}  // namespace tessera::compare
