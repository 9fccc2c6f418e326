// SPDX-License-Identifier: Apache-2.0
// Order statistics of repeated timings, the rates that follow from them, and the memory bandwidths
// that results are set against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::machine {

/// A sample set is noisy where its inter-quartile range exceeds this fraction of its median.
inline constexpr double kNoisyFraction = 0.03;

/// Order statistics of a set of samples, in the samples' unit.
struct Summary {
  int count = 0;
  double min = 0;
  double q1 = 0;  ///< first quartile, linear between order statistics
  double median = 0;
  double q3 = 0;
  double max = 0;

  /// Inter-quartile range.
  [[nodiscard]] double iqr() const { return q3 - q1; }
  /// True where the spread is too large for the median to be taken at its word.
  [[nodiscard]] bool noisy() const { return iqr() > kNoisyFraction * median; }
};

/// Slowest, median and fastest of a rate.
struct Rate {
  double min = 0;
  double median = 0;
  double max = 0;
};

/// The value below which a fraction `p` in [0, 1] of the ascending `sorted` lies, linear between
/// order statistics. Throws Error on an empty set.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double p);

/// Order statistics of `samples` in any order. Throws Error where there are none or one is not a
/// finite number.
[[nodiscard]] Summary summarise(std::vector<double> samples);

/// The rate at which `amount` is done, given the time that it takes: the slowest rate belongs to
/// the longest time. Throws Error where a time is not positive.
[[nodiscard]] Rate rate(double amount, const Summary& seconds);

/// Sustained memory bandwidths of one machine in one run, in GB/s (10^9 bytes). Each array element
/// named in the loop counts once a read and once a write; write-allocate traffic is not counted.
struct StreamRates {
  std::string precision;               ///< "float" or "double"
  std::int64_t array_bytes = 0;        ///< size of each of the arrays
  Rate copy;                           ///< b = a: two accesses an element
  Rate triad;                          ///< c = a + s b: three accesses
  Rate update;                         ///< b = a + q b, q an array: three reads and one write
  std::optional<Rate> copy_streaming;  ///< copy with non-temporal stores, where the host has them
};

}  // namespace tessera::machine
