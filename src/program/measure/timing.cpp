// SPDX-License-Identifier: Apache-2.0
#include "program/measure/timing.hpp"

#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tessera::measure {

Sampler::Sampler(const ExecSpace& exec, StepFunction step, int steps_per_sample,
                 PrepareFunction prepare)
    : exec_(exec),
      step_(std::move(step)),
      prepare_(std::move(prepare)),
      steps_per_sample_(steps_per_sample) {
  require(steps_per_sample >= 1, "steps per sample is {}, must be at least 1", steps_per_sample);
}

double Sampler::run(int steps) {
  using Clock = std::chrono::steady_clock;
  stop_if_interrupted();
  if (prepare_) prepare_();
  exec_.fence();
  const auto start = Clock::now();
  for (int i = 0; i < steps; ++i) {
    stop_if_interrupted();
    step_(exec_);
  }
  exec_.fence();
  return std::chrono::duration<double>(Clock::now() - start).count() / steps;
}

double Sampler::warm_up(double seconds, const std::function<double(double)>& agree) {
  const auto timed = [&](int steps) { return agree ? agree(run(steps)) : run(steps); };
  // The time of `prepare` does not count: a device left idle meanwhile would not be warm.
  double per_step = timed(1);
  for (double spent = per_step; spent < seconds;) {
    const double left = std::ceil((seconds - spent) / std::max(per_step, 1e-9));
    const int steps = static_cast<int>(std::min(left, static_cast<double>(steps_per_sample_)));
    per_step = timed(std::max(steps, 1));
    spent += per_step * std::max(steps, 1);
  }
  return per_step;
}

void Sampler::lengthen(double seconds, double seconds_per_step) {
  const double steps = std::ceil(seconds / std::max(seconds_per_step, 1e-9));
  steps_per_sample_ = std::max(steps_per_sample_, static_cast<int>(std::min(steps, 1e6)));
}

double Sampler::take() {
  samples_s_.push_back(run(steps_per_sample_));
  return samples_s_.back();
}

std::vector<double> measure(const ExecSpace& exec, double warmup_s, int repetitions,
                            const StepFunction& step, int steps_per_sample,
                            const PrepareFunction& prepare) {
  std::vector<Sampler> one = {Sampler(exec, step, steps_per_sample, prepare)};
  measure_interleaved(one, warmup_s, repetitions);
  return one.front().samples_s();
}

void measure_interleaved(std::vector<Sampler>& samplers, double warmup_s, int repetitions) {
  for (Sampler& sampler : samplers) sampler.warm_up(warmup_s);
  for (int round = 0; round < std::max(repetitions, kMinRepetitions); ++round) {
    for (Sampler& sampler : samplers) sampler.take();
  }
}

std::int64_t enough_work(const ExecSpace& exec, const WorkFunction& work, double sample_s,
                         std::int64_t first, std::int64_t most) {
  constexpr std::int64_t kGrowth = 3;
  constexpr double kProportional = 0.7;
  constexpr double kLongest = 0.25;
  constexpr int kTrials = 3;
  std::int64_t amount = first;
  Sampler sampler(exec, [&](const ExecSpace& instance) { work(instance, amount); });
  const auto shortest = [&] {
    double seconds = sampler.warm_up(0);
    for (int i = 1; i < kTrials; ++i) seconds = std::min(seconds, sampler.warm_up(0));
    return seconds;
  };
  double before = 0, seconds = shortest();
  do {
    amount *= kGrowth;
    before = std::exchange(seconds, shortest());
  } while ((seconds < sample_s || seconds < kProportional * kGrowth * before) &&
           seconds < kLongest && amount < most);
  return amount;
}

bool quick_roofs() {
  static const bool quick = std::getenv("TESSERA_QUICK_ROOFS") != nullptr;
  return quick;
}

double sample_seconds(double seconds) {
  return quick_roofs() ? std::min(0.1 * seconds, 0.0005) : seconds;
}

std::vector<machine::Summary> steadiest(
    const std::function<std::vector<std::vector<double>>()>& take) {
  std::vector<machine::Summary> best;
  for (int attempt = 0; attempt <= kRetakes; ++attempt) {
    bool spoiled = false;
    const std::vector<std::vector<double>> sets = take();
    best.resize(sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const machine::Summary summary = machine::summarise(sets[i]);
      const bool first = best[i].count == 0;
      if (first || summary.iqr() * best[i].median < best[i].iqr() * summary.median) {
        best[i] = summary;
      }
      spoiled = spoiled || best[i].iqr() > kSpoiledFraction * best[i].median;
    }
    if (!spoiled) break;
  }
  return best;
}

}  // namespace tessera::measure
