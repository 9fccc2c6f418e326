// SPDX-License-Identifier: Apache-2.0
// The function behind Kaiser's window.
#pragma once

namespace tessera {

/// Modified Bessel function of the first kind, order 0, by its power series; for |x| up to 20.
[[nodiscard]] inline double bessel_i0(double x) {
  double sum = 1.0;
  double term = 1.0;
  for (int k = 1; k < 60; ++k) {
    term *= (0.5 * x / k) * (0.5 * x / k);
    sum += term;
  }
  return sum;
}

}  // namespace tessera
