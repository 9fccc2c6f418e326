// SPDX-License-Identifier: Apache-2.0
// Order statistics by hand-checkable samples, and the sampler's bookkeeping.
#include "machine/statistics.hpp"

#include "measure/timing.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <thread>

namespace tessera::measure {
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

// A step that takes a known time and counts its calls.
class CountingStep {
 public:
  explicit CountingStep(double milliseconds) : pause_(milliseconds) {}
  StepFunction function() {
    return [this](const ExecSpace&) {
      ++calls_;
      std::this_thread::sleep_for(pause_);
    };
  }
  [[nodiscard]] int calls() const { return calls_; }

 private:
  std::chrono::duration<double, std::milli> pause_;
  int calls_ = 0;
};

TEST(Timing, WarmsUpByTimeAndThenSamples) {
  CountingStep step(2);
  const auto samples = measure(ExecSpace(), 0.02, 6, step.function(), 3);
  EXPECT_EQ(samples.size(), 6U);
  EXPECT_GE(step.calls(), 1 + 6 * 3);
  // Seconds a step, not a sample; sleeping never ends early.
  for (const double sample : samples) EXPECT_GE(sample, 0.002);
}

TEST(Timing, AtLeastOneWarmUpStepAndFiveSamples) {
  CountingStep step(0);
  const auto samples = measure(ExecSpace(), 0, 1, step.function());
  EXPECT_EQ(samples.size(), 5U);
  EXPECT_EQ(step.calls(), 6);
}

TEST(Timing, PrepareRunsBeforeEachSampleAndIsNotTimed) {
  CountingStep step(0);
  int prepared = 0;
  const auto samples = measure(ExecSpace(), 0, 5, step.function(), 2, [&prepared] {
    ++prepared;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_EQ(prepared, 6);  // the warm-up too
  EXPECT_LT(summarise(samples).min, 0.01);
}

TEST(Timing, InterleavedSamplersTakeTurns) {
  std::string order;
  std::vector<Sampler> samplers;
  samplers.emplace_back(ExecSpace(), [&order](const ExecSpace&) { order += 'a'; });
  samplers.emplace_back(ExecSpace(), [&order](const ExecSpace&) { order += 'b'; });
  measure_interleaved(samplers, 0, 5);
  EXPECT_EQ(order, "abababababab");
  EXPECT_EQ(samplers[1].samples_s().size(), 5U);
}

TEST(Timing, LengthensShortSamples) {
  Sampler sampler(ExecSpace(), [](const ExecSpace&) {});
  sampler.lengthen(0.01, 0.001);
  EXPECT_EQ(sampler.steps_per_sample(), 10);
  sampler.lengthen(0.01, 1.0);
  EXPECT_EQ(sampler.steps_per_sample(), 10);
  EXPECT_THROW(Sampler(ExecSpace(), nullptr, 0), Error);
}

}  // namespace
}  // namespace tessera::measure
