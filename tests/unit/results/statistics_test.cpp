// SPDX-License-Identifier: Apache-2.0
// Order statistics by samples that can be checked by hand.
#include "program/results/statistics.hpp"

#include "base/support/error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace tessera::machine {
namespace {

TEST(Statistics, QuartilesAreLinearBetweenSamples) {
  for (const auto& [samples, wanted] :
       {std::pair(std::vector<double>{5, 1, 4, 2, 3}, std::array{1.0, 2.0, 3.0, 4.0, 5.0}),
        {{4, 1, 3, 2}, {1, 1.75, 2.5, 3.25, 4}},
        {{7}, {7, 7, 7, 7, 7}}}) {
    const Summary s = summarise(samples);
    EXPECT_EQ(s.count, static_cast<int>(samples.size()));
    const double found[] = {s.min, s.q1, s.median, s.q3, s.max};
    for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(found[i], wanted[i]) << i;
    EXPECT_DOUBLE_EQ(s.iqr(), wanted[3] - wanted[1]);
  }
}

TEST(Statistics, NoisyAboveThreePercentOfTheMedian) {
  EXPECT_FALSE(summarise({99, 99, 100, 101.9, 101.9}).noisy());
  EXPECT_TRUE(summarise({98, 98, 100, 101.1, 101.1}).noisy());
  EXPECT_FALSE(summarise({100, 100, 100, 100, 500}).noisy()) << "one slow sample";
  EXPECT_FALSE(summarise({7}).noisy());
}

TEST(Statistics, RateIsLowestForTheLongestTime) {
  const Rate r = rate(12, summarise({2, 3, 4}));
  EXPECT_DOUBLE_EQ(r.min, 3);
  EXPECT_DOUBLE_EQ(r.median, 4);
  EXPECT_DOUBLE_EQ(r.max, 6);
}

TEST(Statistics, RefusesWhatIsNoSample) {
  EXPECT_THROW((void)summarise({}), Error);
  EXPECT_THROW((void)summarise({1, std::numeric_limits<double>::quiet_NaN()}), Error);
  EXPECT_THROW((void)quantile({1, 2}, 1.5), Error);
  EXPECT_THROW((void)rate(1, summarise({0, 1})), Error);
}

}  // namespace
}  // namespace tessera::machine
