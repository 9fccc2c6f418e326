// SPDX-License-Identifier: Apache-2.0
// The sampler's bookkeeping; samples that a preemption spoiled are taken again, and the steadiest
// count.

#include "program/measure/timing.hpp"
#include "base/support/error.hpp"
#include "program/results/statistics.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::measure {
namespace {

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
  CountingStep least(0);  // at least one warm-up step and five samples
  EXPECT_EQ(measure(ExecSpace(), 0, 1, least.function()).size(), 5U);
  EXPECT_EQ(least.calls(), 6);
}

TEST(Timing, PrepareRunsBeforeEachSampleAndIsNotTimed) {
  CountingStep step(0);
  int prepared = 0;
  const auto samples = measure(ExecSpace(), 0, 5, step.function(), 2, [&prepared] {
    ++prepared;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_EQ(prepared, 6);  // the warm-up too
  EXPECT_LT(machine::summarise(samples).min, 0.01);
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

/// Samples that are taken until they are steady: the n-th time what `at` gives for n.
std::pair<int, double> takes_and_median(const std::function<std::vector<double>(int)>& at) {
  int takes = 0;
  const auto best = steadiest([&] { return std::vector<std::vector<double>>{at(++takes)}; });
  return {takes, best[0].median};
}

TEST(Steadiest, TakesSpoiledSamplesAgainAndKeepsTheSteadiest) {
  const std::vector<double> spoiled = {1, 2, 3, 4, 5};
  EXPECT_EQ(takes_and_median([](int) { return std::vector<double>(5, 2.0); }), std::pair(1, 2.0));
  EXPECT_EQ(takes_and_median([&](int take) {
              return take == 1 ? spoiled : std::vector<double>{1, 1, 1, 1, 1.5};
            }),
            std::pair(2, 1.0));
  // It gives up after so many.
  EXPECT_EQ(takes_and_median([&](int take) {
              return take == 1 + kRetakes ? std::vector<double>{1, 1, 1.2, 1.3, 1.4} : spoiled;
            }),
            std::pair(1 + kRetakes, 1.2));
  const auto two = steadiest([] {
    return std::vector<std::vector<double>>{std::vector<double>(5, 1.0),
                                            std::vector<double>(5, 2.0)};
  });
  EXPECT_EQ(two[1].median, 2);
}

}  // namespace
}  // namespace tessera::measure
