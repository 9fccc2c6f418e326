// SPDX-License-Identifier: Apache-2.0
// The PML in one dimension, with the point functions alone: a plane wave at normal incidence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "variants/acoustic/case/setup.hpp"
#include "variants/acoustic/formula.hpp"

namespace tessera::acoustic {
namespace {

constexpr int kInner = 300;     // cells between the layers
constexpr int kLayer = 27;      // the paper's
constexpr double kV = 2000;     // m/s
constexpr int kSteps = 2400;    // the wave crosses 0.16 cells a step
constexpr int kSource = 100;    // inner cells left of the source
constexpr int kReceiver = 290;  // inner cells left of the receiver: 10 before the layer

Setup setup_1d() {
  Setup setup;
  setup.n = {1000, 1000, kInner + 2 * kLayer};
  return setup;
}

/// The trace at the receiver of a line that is constant along y and z: `pad` cells of the inner
/// formula on either side, then layers with `damping` times the paper's profile, then zeros.
std::vector<double> trace(int pad, double damping) {
  const Setup setup = setup_1d();
  const double dt = setup.dt();
  const double vp = kV * dt * (kV * dt);
  const Coefficients<double> k(setup.h[0], setup.h[1], setup.h[2]);
  const int cells = setup.n.nx + 2 * pad;
  const auto size = static_cast<std::size_t>(cells) + 2 * kR;
  std::vector<double> u(size), next(size), phi(size), eta(size);
  for (int x = 0; pad == 0 && x < cells; ++x) eta[x + kR] = damping * setup.eta(500, 500, x);
  const int first = kR + pad + kLayer;  // element of the first inner cell
  std::vector<double> recorded;
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = kR; i < size - kR; ++i) {
      const auto along_x = [&](auto m) { return u[i + m]; };
      const auto constant = [&](auto) { return u[i]; };
      const double l = laplacian(k, along_x, constant, constant);
      const bool inner = pad != 0 || setup.eta(500, 500, static_cast<int>(i) - kR) == 0;
      if (inner) {
        next[i] = inner_value(u[i], next[i], vp, l);
      } else {
        next[i] = pml_value(u[i], next[i], vp, l, phi[i], eta[i]);
        phi[i] = pml_phi(k, phi[i], eta[i], eta[i + 1] - eta[i - 1], u[i + 1] - u[i - 1], 0.0, 0.0,
                         0.0, 0.0);
      }
    }
    next[first + kSource] += paper_wavelet(step * dt, setup.f_max);
    std::swap(u, next);
    recorded.push_back(u[first + kReceiver]);
  }
  return recorded;
}

double peak(const std::vector<double>& values) {
  double p = 0;
  for (const double v : values) p = std::max(p, std::abs(v));
  return p;
}

/// Peak of the reflection below the peak of the incident wave, in dB.
double reflection_db(double damping) {
  const std::vector<double> incident = trace(kSteps / 5, 0);  // its ends are out of reach
  std::vector<double> reflected = trace(0, damping);
  for (std::size_t i = 0; i < reflected.size(); ++i) reflected[i] -= incident[i];
  return 20 * std::log10(peak(incident) / peak(reflected));
}

TEST(Pml1d, ReflectsAtLeast60DbBelowTheIncidentPeak) {
  const double db = reflection_db(1);
  RecordProperty("reflection_db", std::to_string(db));
  EXPECT_GE(db, 60);
  EXPECT_LE(db, 120) << "too good for 27 cells: is the reference really another domain?";
}

TEST(Pml1d, MeasureSeesTheReflectionOfALayerWithoutDamping) {
  EXPECT_LE(reflection_db(0), 1);
  EXPECT_LE(reflection_db(0.1), 40);
}

}  // namespace
}  // namespace tessera::acoustic
