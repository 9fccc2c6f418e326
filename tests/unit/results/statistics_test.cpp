// SPDX-License-Identifier: Apache-2.0
// Order statistics by samples that can be checked by hand.
#include "program/results/statistics.hpp"

#include "base/support/error.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tessera::machine {
namespace {

TEST(Statistics, SummaryOfAnOddCount) {
  const Summary s = summarise({5, 1, 4, 2, 3});
  EXPECT_EQ(s.count, 5);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.q1, 2);
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.q3, 4);
  EXPECT_DOUBLE_EQ(s.max, 5);
  EXPECT_DOUBLE_EQ(s.iqr(), 2);
}

TEST(Statistics, QuartilesAreLinearBetweenSamples) {
  const Summary s = summarise({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(s.q1, 1.75);
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.q3, 3.25);
}

TEST(Statistics, OneSampleIsItsOwnSummary) {
  const Summary s = summarise({7});
  EXPECT_DOUBLE_EQ(s.min, 7);
  EXPECT_DOUBLE_EQ(s.median, 7);
  EXPECT_DOUBLE_EQ(s.max, 7);
  EXPECT_FALSE(s.noisy());
}

TEST(Statistics, NoisyAboveThreePercentOfTheMedian) {
  EXPECT_FALSE(summarise({99, 99, 100, 101.9, 101.9}).noisy());
  EXPECT_TRUE(summarise({98, 98, 100, 101.1, 101.1}).noisy());
}

TEST(Statistics, OneSlowSampleIsNotNoise) {
  EXPECT_FALSE(summarise({100, 100, 100, 100, 500}).noisy());
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
