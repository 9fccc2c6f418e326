// SPDX-License-Identifier: Apache-2.0
#include "program/results/statistics.hpp"

#include "base/support/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tessera::machine {

double quantile(const std::vector<double>& sorted, double p) {
  require(!sorted.empty(), "statistics of an empty set of samples");
  require(p >= 0 && p <= 1, "a quantile lies between 0 and 1, not at {}", p);
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

Summary summarise(std::vector<double> samples) {
  for (const double sample : samples) {
    require(std::isfinite(sample), "a sample is not a finite number: {}", sample);
  }
  std::sort(samples.begin(), samples.end());
  Summary summary;
  summary.count = static_cast<int>(samples.size());
  summary.min = quantile(samples, 0.0);
  summary.q1 = quantile(samples, 0.25);
  summary.median = quantile(samples, 0.5);
  summary.q3 = quantile(samples, 0.75);
  summary.max = quantile(samples, 1.0);
  return summary;
}

Rate rate(double amount, const Summary& seconds) {
  require(seconds.min > 0, "a sample took {} s: too short for the clock", seconds.min);
  return {amount / seconds.max, amount / seconds.median, amount / seconds.min};
}

}  // namespace tessera::machine
