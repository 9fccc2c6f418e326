// SPDX-License-Identifier: Apache-2.0
// Band-limited resampling of traces that arrive sample by sample.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::io {

/// Resamples all traces of a gather from the time step of a run to another interval, as the run
/// goes. Output sample j (at j * output_interval) is a sum over input samples with a sinc windowed
/// by a Kaiser window (90 dB), 12 samples to each side; when the output is coarser than the input
/// the sinc is widened, so that what the output cannot hold is filtered out and not aliased.
/// Exact for a constant; error below 1e-4 of the amplitude up to 0.38 of the lower sampling rate.
/// Before the first and after the last sample a trace is continued with that sample.
class Resampler {
 public:
  /// `first_time` is the time of the first input sample; times in s.
  Resampler(int traces, double input_interval, double first_time, double output_interval);

  /// Takes the next input sample of every trace.
  void push(const float* samples);
  /// Declares the input as complete, so that pop() gives the samples near the end too.
  void finish() { finished_ = true; }
  /// Computes the next output sample of every trace into `samples`; false when its inputs haven't
  /// all arrived, or when it lies after the last input sample.
  [[nodiscard]] bool pop(float* samples);

  /// Output samples that `inputs` input samples give.
  [[nodiscard]] std::int64_t output_count(std::int64_t inputs) const;

 private:
  [[nodiscard]] double kernel(double distance) const;
  [[nodiscard]] const float* input(std::int64_t index) const;

  int traces_;
  double ratio_;        // output interval / input interval
  double first_;        // first_time / input interval
  double stretch_;      // of the kernel: max(1, ratio)
  std::int64_t reach_;  // input samples to each side
  std::int64_t inputs_ = 0;
  std::int64_t outputs_ = 0;
  bool finished_ = false;
  std::vector<float> ring_;  // the last inputs, [slot][trace]
  std::vector<double> sums_;
};

}  // namespace tessera::io
