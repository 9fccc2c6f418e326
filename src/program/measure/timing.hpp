// SPDX-License-Identifier: Apache-2.0
// Timing of steps on an execution-space instance: warm-up by time, fenced samples.
#pragma once

#include "base/device/space.hpp"
#include "program/results/statistics.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::measure {

/// Fewest samples that a result rests on.
inline constexpr int kMinRepetitions = 5;

/// Enqueues one step on the instance that it is given; neither fences nor allocates.
using StepFunction = std::function<void(const ExecSpace&)>;

/// Brings the fields to the state that a sample starts from; not timed.
using PrepareFunction = std::function<void()>;

/// Times one thing, a sample at a time, so that the caller can go round several of them: drifting
/// clocks and other load then meet all alike. Throws Interrupted between two steps.
class Sampler {
 public:
  /// A sample is `steps_per_sample` calls of `step` between two fences, preceded by `prepare` if
  /// there is one. Throws Error where steps_per_sample is below one.
  Sampler(const ExecSpace& exec, StepFunction step, int steps_per_sample = 1,
          PrepareFunction prepare = nullptr);

  /// Runs untimed samples until `seconds` have passed, at least one step: past first-touch, lazy
  /// loading and the clock ramp of a device. Returns the last observed seconds a step.
  /// `agree` is given the seconds of each run and returns those that decide: of several ranks, all
  /// must do the same steps.
  double warm_up(double seconds, const std::function<double(double)>& agree = nullptr);

  /// Raises the steps per sample until a sample lasts about `seconds`, given the time of a step.
  void lengthen(double seconds, double seconds_per_step);

  /// Takes one sample and returns it: seconds a step, work on other instances not waited for.
  double take();

  [[nodiscard]] const std::vector<double>& samples_s() const { return samples_s_; }
  [[nodiscard]] int steps_per_sample() const { return steps_per_sample_; }

 private:
  double run(int steps);

  ExecSpace exec_;
  StepFunction step_;
  PrepareFunction prepare_;
  int steps_per_sample_;
  std::vector<double> samples_s_;
};

/// Warms up max(one step, warmup_s) and takes max(5, repetitions) samples; returns seconds a step.
[[nodiscard]] std::vector<double> measure(const ExecSpace& exec, double warmup_s, int repetitions,
                                          const StepFunction& step, int steps_per_sample = 1,
                                          const PrepareFunction& prepare = nullptr);

/// The same for several samplers in turn: each is warmed up, then each gives one sample a round.
void measure_interleaved(std::vector<Sampler>& samplers, double warmup_s, int repetitions);

/// Enqueues a launch that does `amount` of something.
using WorkFunction = std::function<void(const ExecSpace&, std::int64_t amount)>;

/// The amount, `first` times a power of three, whose launch takes `sample_s` or more and most of
/// three times as long as a third of it: beside other work a short launch lasts as long as its
/// threads wait for their turn, whatever they do. At most about `most`, or what takes 0.25 s.
[[nodiscard]] std::int64_t enough_work(const ExecSpace& exec, const WorkFunction& work,
                                       double sample_s, std::int64_t first, std::int64_t most);

/// True where the environment has TESSERA_QUICK_ROOFS: roofs in a tenth of a second, for tests of
/// everything but the roofs. Streams over arrays of a few MiB, samples below a millisecond; results
/// doubt them.
[[nodiscard]] bool quick_roofs();
/// `seconds`, or with quick_roofs() a tenth and at most half a millisecond.
[[nodiscard]] double sample_seconds(double seconds);

/// Samples are spoiled, by other work on the machine, where their inter-quartile range exceeds this
/// fraction of the median: three times what is called noisy.
inline constexpr double kSpoiledFraction = 3 * machine::kNoisyFraction;
/// How often spoiled samples are taken again, at most.
inline constexpr int kRetakes = 1;

/// Takes samples with `take`, which returns a set for each of several loops, and takes them again
/// while one of the sets is spoiled. Returns of each loop the summary with the smallest spread.
[[nodiscard]] std::vector<machine::Summary> steadiest(
    const std::function<std::vector<std::vector<double>>()>& take);

}  // namespace tessera::measure
