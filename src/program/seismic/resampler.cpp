// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/resampler.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/support/bessel.hpp"

namespace tessera::io {
namespace {

constexpr double kHalfWidth = 12.0;  // zero crossings of the sinc to each side
constexpr double kBeta = 8.96;       // Kaiser: 0.1102 * (90 dB - 8.7)
constexpr double kTie = 1e-9;        // rounding of times given in other units, in samples

}  // namespace

Resampler::Resampler(int traces, double input_interval, double first_time, double output_interval)
    : traces_(traces),
      ratio_(output_interval / input_interval),
      first_(first_time / input_interval),
      stretch_(std::max(1.0, ratio_)),
      reach_(static_cast<std::int64_t>(std::ceil(kHalfWidth * stretch_))),
      ring_(static_cast<std::size_t>((2 * reach_ + 2) * traces)),
      sums_(static_cast<std::size_t>(traces)) {}

double Resampler::kernel(double distance) const {
  const double t = distance / stretch_;
  const double edge = 1.0 - t * t / (kHalfWidth * kHalfWidth);
  if (edge < 0.0) return 0.0;
  const double angle = std::numbers::pi * t;
  const double sinc = std::abs(angle) < 1e-12 ? 1.0 : std::sin(angle) / angle;
  return sinc * bessel_i0(kBeta * std::sqrt(edge));
}

const float* Resampler::input(std::int64_t index) const {
  const std::int64_t slot = index % (2 * reach_ + 2);
  return ring_.data() + slot * traces_;
}

void Resampler::push(const float* samples) {
  float* slot = const_cast<float*>(input(inputs_));
  std::copy_n(samples, traces_, slot);
  ++inputs_;
}

std::int64_t Resampler::output_count(std::int64_t inputs) const {
  if (inputs <= 0) return 0;
  const double last = first_ + static_cast<double>(inputs - 1);
  return last < -kTie ? 0 : static_cast<std::int64_t>(std::floor(last / ratio_ + kTie)) + 1;
}

bool Resampler::pop(float* samples) {
  if (outputs_ >= output_count(inputs_)) return false;
  const double position = static_cast<double>(outputs_) * ratio_ - first_;
  const auto centre = static_cast<std::int64_t>(std::floor(position));
  if (!finished_ && centre + reach_ >= inputs_) return false;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  double total = 0.0;
  for (std::int64_t i = centre - reach_ + 1; i <= centre + reach_; ++i) {
    const double weight = kernel(static_cast<double>(i) - position);
    total += weight;
    const float* sample = input(std::clamp<std::int64_t>(i, 0, inputs_ - 1));
    for (int t = 0; t < traces_; ++t) sums_[static_cast<std::size_t>(t)] += weight * sample[t];
  }
  for (int t = 0; t < traces_; ++t)
    samples[t] = static_cast<float>(sums_[static_cast<std::size_t>(t)] / total);
  ++outputs_;
  return true;
}

}  // namespace tessera::io
