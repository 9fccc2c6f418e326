// SPDX-License-Identifier: Apache-2.0
#include "program/shot/accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace tessera::shot {
namespace {

constexpr int kSteps = 200;
constexpr double kDt = 1e-3;

/// samples[step][receiver] of three receivers: a wave of 10 Hz, a tenth of it, and next to nothing;
/// with `noise` of 300 Hz on the second.
std::vector<float> samples(double noise, double drift) {
  std::vector<float> all;
  for (int i = 0; i < kSteps; ++i) {
    const auto wave = [&](double hz) { return std::sin(2 * std::numbers::pi * hz * i * kDt); };
    for (const double value :
         {wave(10) * (1 + drift), wave(10) / 10 + noise * wave(300), 1e-6 * wave(10 + 1e3 * drift)})
      all.push_back(static_cast<float>(value));
  }
  return all;
}

TEST(Accuracy, IsOfTheWorstReceiverWhoseTraceIsNotFaint) {
  const nlohmann::json found = compare_traces(samples(0, 0.02), samples(0, 0), 3, kDt, 25);
  EXPECT_EQ(found["steps"], kSteps);
  EXPECT_EQ(found["receivers"], 2);
  EXPECT_EQ(found["receiver"], 1);
  EXPECT_NEAR(found["raw"].get<double>(), 0.02, 1e-6);
  EXPECT_NEAR(found["in_band"].get<double>(), 0.02, 1e-6);
}

TEST(Accuracy, NoiseBeyondTheBandIsInRawAlone) {
  const nlohmann::json found = compare_traces(samples(0.001, 0), samples(0, 0), 3, kDt, 25);
  EXPECT_EQ(found["receiver"], 2);
  EXPECT_NEAR(found["raw"].get<double>(), 0.01, 1e-6);
  EXPECT_LT(found["in_band"].get<double>(), 1e-6);
  EXPECT_NEAR(
      compare_traces(samples(0.001, 0), samples(0, 0), 3, kDt, 310)["in_band"].get<double>(), 0.01,
      1e-6);
}

TEST(Accuracy, ZerosAreNotCompared) {
  const std::vector<float> zeros(30);
  const nlohmann::json found = compare_traces(zeros, zeros, 3, kDt, 25);
  EXPECT_EQ(found["receivers"], 0);
  EXPECT_EQ(found["receiver"], 0);
}

}  // namespace
}  // namespace tessera::shot
