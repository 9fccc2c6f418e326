// SPDX-License-Identifier: Apache-2.0
#include "program/shot/wavelet.hpp"

#include "base/support/error.hpp"
#include "program/seismic/gather.hpp"
#include "program/shot/keys.hpp"
#include "program/shot/number_table.hpp"
#include "variants/acoustic/case/setup.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

namespace tessera::shot {
namespace {

/// Sets the peak of the spectrum and where it is last 3 % of that.
void find_band(SampledWavelet& w) {
  constexpr std::size_t kMostBins = 2000;
  const std::size_t bins = std::min(2 * w.values.size(), kMostBins);
  std::vector<double> spectrum;
  for (std::size_t k = 0; k <= bins; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(bins);
    const std::complex<double> turn = std::polar(1.0, angle);
    std::complex<double> phase = 1, sum = 0;
    for (const double value : w.values) {
      sum += value * phase;
      phase *= turn;
    }
    spectrum.push_back(std::abs(sum));
  }
  const double per_bin = 0.5 / w.interval / static_cast<double>(bins);
  const auto most = std::max_element(spectrum.begin(), spectrum.end());
  w.peak = std::max(1.0, static_cast<double>(most - spectrum.begin())) * per_bin;
  w.highest = w.peak;
  for (std::size_t k = 0; k <= bins; ++k) {
    if (spectrum[k] >= 0.03 * *most) w.highest = std::max(w.peak, static_cast<double>(k) * per_bin);
  }
}

}  // namespace

double SampledWavelet::at(double t) const {
  const double position = (t - first) / interval;
  const auto count = static_cast<double>(values.size());
  if (!(position > -io::kSincHalfWidth && position < count + io::kSincHalfWidth)) return 0;
  const auto centre = static_cast<std::int64_t>(std::floor(position));
  const auto reach = static_cast<std::int64_t>(io::kSincHalfWidth);
  double sum = 0, total = 0;
  for (std::int64_t i = centre - reach + 1; i <= centre + reach; ++i) {
    const double weight = io::windowed_sinc(static_cast<double>(i) - position);
    total += weight;
    if (i >= 0 && i < static_cast<std::int64_t>(values.size())) {
      sum += weight * values[static_cast<std::size_t>(i)];
    }
  }
  return sum / total;
}

SampledWavelet read_wavelet_file(const std::filesystem::path& path) {
  const auto rows = read_number_table(
      path, {"time_s,value", "a sample of a wavelet", "two numbers, time in s and value", 100'000});
  SampledWavelet w;
  w.first = rows.front()[0];
  w.interval =
      (rows.back()[0] - w.first) / static_cast<double>(std::max<std::size_t>(rows.size() - 1, 1));
  for (const auto& row : rows) {
    const double due = w.first + static_cast<double>(w.values.size()) * w.interval;
    require(w.interval > 0 && w.first >= 0 && std::abs(row[0] - due) <= 0.01 * w.interval,
            "{}: its times do not rise evenly from 0 s or later (at {:g} s): resample it",
            path.string(), row[0]);
    w.values.push_back(row[1]);
    for (const double number : {row[0], row[1]}) {
      w.hash = (w.hash ^ std::bit_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15ULL;
      w.hash ^= w.hash >> 32;
    }
  }
  find_band(w);
  return w;
}

double Wavelet::operator()(double t) const {
  if (kind == Kind::paper) return amplitude * acoustic::paper_wavelet(t, f_max);
  if (kind == Kind::file) return amplitude * samples->at(t);
  const double a = std::numbers::pi * f_peak * (t - t0);
  return amplitude * (1 - 2 * a * a) * std::exp(-a * a);
}

const char* Wavelet::name() const {
  return kind == Kind::ricker ? "ricker" : kind == Kind::paper ? "paper" : "file";
}

double Wavelet::strength() const {
  if (kind == Kind::ricker) return std::abs(amplitude);
  if (kind == Kind::paper) {
    return std::abs(amplitude * acoustic::paper_wavelet(1 / (0.6 * f_max), f_max));
  }
  const auto [low, high] = std::minmax_element(samples->values.begin(), samples->values.end());
  return std::abs(amplitude) * std::max(std::abs(*low), std::abs(*high));
}

// The paper's wavelet is the second derivative of exp(-s (sigma t - tau)^2) too, with s = 8 and
// sigma = 0.6 f_max: pi f_peak = sigma sqrt(s).
double Wavelet::peak_frequency() const {
  if (kind == Kind::file) return samples->peak;
  return kind == Kind::ricker ? f_peak : 0.6 * f_max * std::sqrt(8.0) / std::numbers::pi;
}

double Wavelet::highest_frequency() const {
  if (kind == Kind::file) return samples->highest;
  return kind == Kind::ricker ? kRickerBand * f_peak : 0;
}

Wavelet read_wavelet(const io::Deck& source) {
  Wavelet w;
  source_keys().read(source, w);
  const bool is_file = w.kind == Wavelet::Kind::file;
  require(is_file || !source.contains("file"), "{} is of wavelet = \"file\"", source.where("file"));
  if (w.kind == Wavelet::Kind::ricker) {
    static_cast<void>(source.get<double>("f_peak"));  // which it requires
    if (!source.contains("t0")) w.t0 = 1.2 / w.f_peak;
    return w;
  }
  for (const char* key : {"f_peak", "t0"}) {
    require(!source.contains(key), "{} is of the Ricker wavelet", source.where(key));
  }
  if (is_file) {
    w.samples = std::make_shared<SampledWavelet>(read_wavelet_file(source.get_path("file")));
  }
  return w;
}

}  // namespace tessera::shot
