// SPDX-License-Identifier: Apache-2.0
// Source time functions of a shot.
#pragma once

#include "variants/acoustic/case/setup.hpp"

#include <cmath>
#include <numbers>

namespace tessera::shot {

/// f(t) of one source: amplitude times a Ricker wavelet, or times the paper's wavelet.
struct Wavelet {
  enum class Kind { ricker, paper };
  Kind kind = Kind::ricker;
  double f_peak = 10;    ///< Hz: peak of the Ricker wavelet's spectrum
  double t0 = 0.12;      ///< s: time of the Ricker wavelet's peak
  double amplitude = 1;  ///< of f, Pa m: in a uniform medium u = f(t - r/V) / (4 pi r)
  double f_max = 25;     ///< Hz: the paper's wavelet is scaled by it

  /// f at time t in seconds.
  [[nodiscard]] double operator()(double t) const {
    if (kind == Kind::paper) return amplitude * acoustic::paper_wavelet(t, f_max);
    const double a = std::numbers::pi * f_peak * (t - t0);
    return amplitude * (1 - 2 * a * a) * std::exp(-a * a);
  }

  /// The largest |f| there is.
  [[nodiscard]] double strength() const {
    if (kind == Kind::ricker) return std::abs(amplitude);
    return std::abs(amplitude * acoustic::paper_wavelet(1 / (0.6 * f_max), f_max));
  }

  /// Peak of the spectrum, Hz. The paper's wavelet is the second derivative of
  /// exp(-s (sigma t - tau)^2) too, with s = 8 and sigma = 0.6 f_max: pi f_peak = sigma sqrt(s).
  [[nodiscard]] double peak_frequency() const {
    return kind == Kind::ricker ? f_peak : 0.6 * f_max * std::sqrt(8.0) / std::numbers::pi;
  }
};

/// A Ricker spectrum falls to 3 % of its peak at this multiple of the peak frequency.
inline constexpr double kRickerBand = 2.5;

}  // namespace tessera::shot
