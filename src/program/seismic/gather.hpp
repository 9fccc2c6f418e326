// SPDX-License-Identifier: Apache-2.0
// Shot gathers: what the receivers record, written to CSV and SEG-Y while the run continues.
#pragma once

#include "base/io/atomic_file.hpp"
#include "program/seismic/segy.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io {

inline constexpr double kNoEnd = std::numeric_limits<double>::infinity();

/// What is recorded, and how it is written. An empty path: the file is not written.
struct GatherOptions {
  std::filesystem::path csv_path;
  std::filesystem::path segy_path;
  std::vector<Position> receivers;  ///< m, from the first cell of the inner region.
  std::vector<Position> sources;    ///< The first one stands in the SEG-Y headers.
  int shot_number = 1;              ///< In the SEG-Y headers.
  double time_step = 0;             ///< s
  double first_time = 0;            ///< Time of the first recorded sample, s.
  std::int64_t samples = 0;         ///< Samples that the whole run will record, one a time step.
  double last_time = kNoEnd;        ///< s: where the SEG-Y traces end, if the run goes beyond.
  int segy_interval_us = 0;         ///< 0: see segy_interval().
  double highest_frequency = 0;     ///< Hz, that the traces hold; 0: not known
  double cell = 0;                  ///< Smallest spacing of the grid, m; 0: not known
  int flush_every = 100;            ///< Samples between writes.
  std::vector<std::string> text;    ///< Lines for the SEG-Y textual header.
};

/// Interval in whole microseconds of the SEG-Y traces of `duration` s: 4, 2 or 1 ms, the coarsest
/// that holds the highest frequency exactly (see Resampler), beyond that or without one the time
/// step rounded down; or, if that gives more than 32,767 samples, the smallest one that doesn't.
/// Throws Error for time steps below a microsecond and when the times don't fit into SEG-Y's 16-bit
/// fields at all.
[[nodiscard]] int segy_interval(double time_step, double duration, double highest_frequency);

/// The coarsest parts of a metre (SegyHeader::parts_of_metre), at least 100, in which places are
/// stored to a tenth of a cell of `cell` m (0: to a centimetre). Throws Error where the header's 32
/// bits cannot hold the largest coordinate `farthest` (m) that finely.
[[nodiscard]] int segy_parts_of_metre(double cell, double farthest);

/// How a gather is written as SEG-Y.
struct SegyPlan {
  int interval_us = 0;
  int samples = 0;  ///< a trace
  int parts_of_metre = 100;
};

/// Plans the SEG-Y file of a gather. Throws Error where the format cannot hold the truth: intervals
/// (segy_interval), more than 32,767 samples, frequencies above half the sampling rate of the file,
/// places to a tenth of a cell. The message ends with the way out.
[[nodiscard]] SegyPlan plan_segy(const GatherOptions& options);

/// A sinc under a Kaiser window (90 dB) of kSincHalfWidth samples to each side, not normalised.
inline constexpr double kSincHalfWidth = 12.0;
[[nodiscard]] double windowed_sinc(double samples);

/// Resamples all traces of a gather from the time step of a run to another interval, as the run
/// goes. Output sample j (at j * output_interval) is a sum over input samples with a sinc windowed
/// by a Kaiser window (90 dB), 12 samples to each side; when the output is coarser than the input
/// the sinc is widened, so that what the output cannot hold is filtered out and not aliased.
/// Exact for a constant; error below 1e-4 of the amplitude up to 0.38 of the lower sampling rate.
/// Before the first and after the last sample a trace is continued with that sample; where inputs
/// go reach() beyond the last output, no output depends on that.
class Resampler {
 public:
  /// `first_time` is the time of the first input sample, no output is later than `last_time`; times
  /// in s.
  Resampler(int traces, double input_interval, double first_time, double output_interval,
            double last_time = kNoEnd);

  /// Input samples after an output sample that it depends on, at most.
  [[nodiscard]] static std::int64_t reach(double input_interval, double output_interval);

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
  [[nodiscard]] const float* input(std::int64_t index) const;

  int traces_;
  double ratio_;        // output interval / input interval
  double first_;        // first_time / input interval
  double last_;         // last_time / input interval
  double stretch_;      // of the kernel: max(1, ratio)
  std::int64_t reach_;  // input samples to each side
  std::int64_t inputs_ = 0;
  std::int64_t outputs_ = 0;
  bool finished_ = false;
  std::vector<float> ring_;  // the last inputs, [slot][trace]
  std::vector<double> sums_;
};

/// Writes a gather. The CSV holds comment lines (#) with the positions, a header line, then one
/// line a time step: time in s, one column a receiver, as recorded. The SEG-Y file holds the same
/// traces resampled to begin at time 0 with an interval of whole microseconds. Until finish() both
/// have names with ".part".
class GatherWriter {
 public:
  /// Creates the files. Throws Error for bad options, an unwritable directory, a full disk.
  explicit GatherWriter(GatherOptions options);

  /// Records `steps` time steps, which from then on are kept whatever happens: samples[step *
  /// receivers + receiver].
  void record(const float* samples, std::int64_t steps);
  /// Completes the files with what was recorded and renames them; also after fewer steps than
  /// planned (SEG-Y traces are then padded with zeros). Nothing can be recorded afterwards.
  void finish();

  [[nodiscard]] std::int64_t recorded() const { return recorded_; }
  /// Sample interval of the SEG-Y file in microseconds; 0 without one.
  [[nodiscard]] int segy_interval_us() const { return interval_us_; }

 private:
  void write_csv_header();
  void drain();  // moves finished SEG-Y samples into the block, and full blocks into the file
  void write_block();

  GatherOptions options_;
  std::optional<AtomicFile> csv_;
  std::optional<Resampler> resampler_;
  std::optional<SegyWriter> segy_;
  std::vector<float> block_;  // [receiver][flush_every]: SEG-Y samples not yet in the file
  std::vector<float> column_;
  int block_samples_ = 0;
  int interval_us_ = 0;
  std::int64_t recorded_ = 0;
  bool finished_ = false;
};

}  // namespace tessera::io
