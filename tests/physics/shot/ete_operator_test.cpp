// SPDX-License-Identifier: Apache-2.0
// Shots with the ete operator: the traces, before anything comes back from a boundary, against the
// analytic solution u(r, t) = f(t - r/V) / (4 pi r), and against finite differences at finer steps
// (Fang II: about five times finer for a similar accuracy).
#include "base/grid/transfer.hpp"
#include "fixtures/acoustic_run.hpp"
#include "fixtures/scratch_directory.hpp"
#include "fixtures/shot_run.hpp"
#include "variants/ete/case/fit.hpp"

namespace tessera::acoustic::ete_operator_test {
namespace {

constexpr double kV = 2000;        // m/s
constexpr double kPeak = 16;       // Hz; 2.5 times as much has 5 cells of 10 m on a wavelength
constexpr double kH = 10;          // m
constexpr int kInner = 85;         // cells
constexpr int kLayer = 8;          // cells
constexpr double kReceiver = 200;  // m from the source
constexpr double kTime = 0.25;     // s: the wavelet has passed; the next face is 420 m off

/// A shot at `fraction` of the finite differences' largest time step.
std::string deck_of(const std::string& op, double fraction) {
  const int n = kInner + 2 * kLayer;
  const int middle = (kInner - 1) / 2;
  const double centre = middle * kH;
  return fmt::format(
      "[case]\nnx = {0}\nny = {0}\nnz = {0}\nduration_s = {1}\nprecision = \"double\"\n"
      "[acoustic]\nh = {2}\npml_cells = {3}\ncfl = {4}\nv_max = {5}\n"
      "[model]\nkind = \"uniform\"\nv = {5}\n"
      "[[source]]\nx = {6}\ny = {6}\nz = {6}\nf_peak = {7}\namplitude = 1e3\n"
      "[[receivers]]\nstart = [{8}, {6}, {6}]\n[[receivers]]\nstart = [{9}, {9}, {6}]\n"
      "[shot]\noperator = \"{10}\"\n",
      n, kTime, kH, kLayer, fraction, kV, centre, kPeak, centre + kReceiver, centre + 140, op);
}

/// Largest relative L2 error of the two traces.
double error_of(const std::string& op, double fraction) {
  const Traces traces = run_deck(deck_of(op, fraction));
  const double r[2] = {kReceiver, std::hypot(140.0, 140.0)};
  double worst = 0;
  for (int i = 0; i < 2; ++i) {
    worst = std::max(
        worst, error_of_trace(traces, i, [&](double t) { return green(t, r[i], kV, kPeak); }));
  }
  return worst;
}

using EteShot = AcousticTest<double>;

TEST_F(EteShot, FiniteDifferencesNeedAFinerStepForTheSameGather) {
  if (!ete::can_fit()) GTEST_SKIP() << "built without Kokkos Kernels";
  const double ete = error_of("ete", 0.8);
  const double same_step = error_of("fd", 0.8);
  const double two = error_of("fd", 0.8 / 2);
  const double four = error_of("fd", 0.8 / 4);
  RecordProperty("ete", std::to_string(ete));
  RecordProperty("fd", std::to_string(same_step));
  RecordProperty("fd_half_step", std::to_string(two));
  RecordProperty("fd_quarter_step", std::to_string(four));
  EXPECT_LT(ete, same_step / 5) << same_step;
  EXPECT_LT(ete, two) << "half the step does not suffice";
  EXPECT_LT(ete, four * 2) << "a quarter comes close: " << four;
}

/// A shot in layers of 2 cells whose damping in a corner is `share` of the largest stable one.
std::string deck_of_thin_layers(const std::string& op, double share) {
  return fmt::format(
      "[case]\nnx = 23\nny = 25\nnz = 27\nsteps = 600\nprecision = \"double\"\n"
      "[acoustic]\nh = 10\npml_cells = 2\ncfl = {}\nv_max = 2000\n"
      "[model]\nkind = \"uniform\"\nv = 2000\n"
      "[[source]]\nx = 20\ny = 20\nz = 20\nf_peak = 16\namplitude = 1e3\n"
      "[[receivers]]\nstart = [0, 0, 0]\n[[receivers]]\nstart = [180, 200, 220]\n"
      "[shot]\noperator = \"{}\"\n",
      thin_layers(share).cfl, op);
}

/// Of each trace the largest value of the second half over that of the first.
std::vector<double> late_over_early(const Traces& traces) {
  std::vector<double> ratios;
  for (const auto& trace : traces.u) {
    double largest[2] = {0, 0};
    for (std::size_t k = 0; k < trace.size(); ++k) {
      double& of = largest[k < trace.size() / 2 ? 0 : 1];
      of = std::max(of, std::abs(trace[k]));
    }
    ratios.push_back(largest[1] / largest[0]);
  }
  return ratios;
}

// In two corners: the traces die away where layers are stable, whichever the operator.
TEST_F(EteShot, ThinLayersAreBoundedBelowTheirLimitGrowAboveItAndAreRefused) {
  for (const std::string op : {"fd", "ete"}) {
    if (op == "ete" && !ete::can_fit()) continue;
    const std::string deck = deck_of_thin_layers(op, 0.95);
    for (const double trace : late_over_early(run_deck(deck))) EXPECT_LT(trace, 0.1) << op;
    // With more damping, past the check, both grow.
    const Traces grown = run_deck(deck, nullptr, [](shot::Shot<double>& run) {
      const acoustic::Setup& s = run.solver().setup();
      from_host(run.solver().eta(), [&](int z, int y, int x) { return 1.4 * s.eta(z, y, x); });
    });
    for (const double trace : late_over_early(grown)) EXPECT_GT(trace, 1e6) << op;
    EXPECT_TRUE(
        test::has(test::error_of([&] { run_deck(deck_of_thin_layers(op, 1.25)); }), "3 or more"))
        << op;
  }
}

}  // namespace
}  // namespace tessera::acoustic::ete_operator_test
