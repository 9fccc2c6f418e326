// SPDX-License-Identifier: Apache-2.0
#include "program/compare/portability.hpp"

#include "base/support/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::compare {

double performance_portability(const Efficiencies& efficiencies) {
  require(!efficiencies.empty(), "performance portability of no platform");
  double inverse = 0;
  bool fails_somewhere = false;
  for (const double e : efficiencies) {
    require(std::isfinite(e) && e >= 0, "an efficiency of {} is none", e);
    fails_somewhere = fails_somewhere || e == 0;
    inverse += 1 / e;
  }
  return fails_somewhere ? 0 : static_cast<double>(efficiencies.size()) / inverse;
}

std::vector<CascadeStep> cascade(const Efficiencies& efficiencies) {
  std::vector<std::size_t> order(efficiencies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return efficiencies[a] > efficiencies[b]; });
  std::vector<CascadeStep> steps;
  Efficiencies so_far;
  for (const std::size_t platform : order) {
    so_far.push_back(efficiencies[platform]);
    steps.push_back({platform, efficiencies[platform], performance_portability(so_far)});
  }
  return steps;
}

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  require(a.size() == b.size(), "rankings of {} and {} variants", a.size(), b.size());
  const auto sign = [](double x) { return (x > 0) - (x < 0); };
  int agree = 0;  // pairs in the same order less pairs in the opposite one
  int in_a = 0;   // pairs that differ in a
  int in_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      const int of_a = sign(a[i] - a[j]);
      const int of_b = sign(b[i] - b[j]);
      agree += of_a * of_b;
      in_a += of_a != 0;
      in_b += of_b != 0;
    }
  }
  if (in_a == 0 || in_b == 0) return std::nullopt;
  return agree / std::sqrt(static_cast<double>(in_a) * in_b);
}

}  // namespace tessera::compare
