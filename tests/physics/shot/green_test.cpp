// SPDX-License-Identifier: Apache-2.0
// A shot in a uniform medium against the analytic solution.
#include "fixtures/acoustic_run.hpp"
#include "fixtures/shot_run.hpp"

namespace tessera::acoustic::green_test {
namespace {

constexpr double kV = 2000;      // m/s
constexpr double kPeak = 10;     // Hz: wavelength 200 m
constexpr double kTime = 0.32;   // s: the wavelet passes the receivers
constexpr double kWidth = 640;   // m of the inner region, alike for all spacings
constexpr int kLayer = 8;        // cells
constexpr double kCentre = 320;  // m

std::string deck_of(double h) {
  const int n = static_cast<int>(kWidth / h) + 1 + 2 * kLayer;
  return fmt::format(
      "[case]\nnx = {0}\nny = {0}\nnz = {0}\nduration_s = {1}\nprecision = \"double\"\n"
      "[acoustic]\nh = {2}\npml_cells = {3}\ncfl = 0.4\n[model]\nkind = \"uniform\"\nv = {4}\n"
      "[[source]]\nx = {5}\ny = {5}\nz = {5}\nf_peak = {6}\namplitude = 1e3\n"
      // On an axis, on a diagonal of a plane, and off all planes.
      "[[receivers]]\nstart = [480, 320, 320]\n[[receivers]]\nstart = [440, 440, 320]\n"
      "[[receivers]]\nstart = [400, 240, 440]\n",
      n, kTime, h, kLayer, kV, kCentre, kPeak);
}

/// Largest relative L2 error of the three traces. The receivers are 160 to 190 m off, so what comes
/// back from the layers, 320 m off, travelled more than 270 m further, 0.13 s, and is damped
/// besides.
double error_at(double h) {
  Traces traces = run_deck(deck_of(h));
  // Not the steps after kTime that resampling takes: what comes back from the layers is in these.
  for (auto& trace : traces.u) trace.resize(static_cast<std::size_t>(kTime / traces.dt));
  const double r[3] = {160, std::hypot(120.0, 120.0), std::hypot(80.0, 80.0, 120.0)};
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    worst = std::max(
        worst, error_of_trace(traces, i, [&](double t) { return green(t, r[i], kV, kPeak); }));
  }
  return worst;
}

using ShotGreen = AcousticTest<double>;

TEST_F(ShotGreen, TracesAreTheAnalyticSolution) {
  const double coarse = error_at(20);
  const double fine = error_at(40.0 / 3);
  RecordProperty("error_at_20_m", std::to_string(coarse));
  RecordProperty("error_at_13_m", std::to_string(fine));
  // A wrong factor (V dt)^2 / h^3, a sample's delay by a step, or a sign would each give more.
  EXPECT_LT(coarse, 0.015);  // 0.0064 seen
  EXPECT_LT(fine, 0.007);    // 0.0028 seen
  // Second order in time, and dt falls with h: 1.5^2 = 2.25 less the asymptote's slack.
  EXPECT_LT(fine, coarse / 1.9) << coarse << " " << fine;
}

}  // namespace
}  // namespace tessera::acoustic::green_test
