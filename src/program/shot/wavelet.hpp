// SPDX-License-Identifier: Apache-2.0
// What a source radiates: f(t).
#pragma once

#include "base/io/deck.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace tessera::shot {

/// A Ricker spectrum falls to 3 % of its peak at this multiple of the peak frequency.
inline constexpr double kRickerBand = 2.5;

/// A wavelet that is given by even samples; 0 outside them.
struct SampledWavelet {
  double first = 0, interval = 0;  ///< s
  std::vector<double> values;
  double peak = 0, highest = 0;  ///< Hz: of its spectrum, and where that is last 3 % of the peak
  std::uint64_t hash = 0;        ///< of the samples

  /// By a windowed sinc between the samples (io::windowed_sinc).
  [[nodiscard]] double at(double t) const;
};

/// Reads lines time_s,value (number_table.hpp). Throws Error where the times do not rise evenly
/// from 0 or later.
[[nodiscard]] SampledWavelet read_wavelet_file(const std::filesystem::path& path);

/// f(t) of one source: amplitude times a Ricker wavelet, the paper's wavelet, or that of a file.
struct Wavelet {
  enum class Kind { ricker, paper, file };
  Kind kind = Kind::ricker;
  double f_peak = 10;    ///< Hz: peak of the Ricker wavelet's spectrum
  double t0 = 0.12;      ///< s: time of the Ricker wavelet's peak
  double amplitude = 1;  ///< of f, Pa m: in a uniform medium u = f(t - r/V) / (4 pi r)
  double f_max = 25;     ///< Hz: the paper's wavelet is scaled by it
  std::shared_ptr<const SampledWavelet> samples = nullptr;  ///< of a file

  /// f at time t in seconds.
  [[nodiscard]] double operator()(double t) const;
  /// "ricker", "paper", "file".
  [[nodiscard]] const char* name() const;
  /// The largest |f| there is.
  [[nodiscard]] double strength() const;
  /// Peak of the spectrum, Hz.
  [[nodiscard]] double peak_frequency() const;
  /// Where the spectrum falls to 3 % of its peak, Hz; 0 of the paper's, which f_max scales.
  [[nodiscard]] double highest_frequency() const;
};

/// The wavelet of a [[source]].
[[nodiscard]] Wavelet read_wavelet(const io::Deck& source);

}  // namespace tessera::shot
