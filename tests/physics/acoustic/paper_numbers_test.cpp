// SPDX-License-Identifier: Apache-2.0
// Time step, damping profile and wavelet of the paper's experiment (Sai III.A, IV; Meng et al.
// 2020) against digits computed by hand from the formulas, with 40-digit decimals.
#include <gtest/gtest.h>

#include <cmath>

#include "fixtures/scratch_directory.hpp"
#include "variants/acoustic/case/setup.hpp"

namespace tessera::acoustic {
namespace {

Setup paper_experiment() {
  Setup setup;
  setup.n = {1000, 1000, 1000};
  return setup;
}

// acoustic::Setup: testing::Test hides the short name.
TEST(PaperNumbers, TimeStep) {
  // |c0| + 2 sum |c_m| = 6.501587...; dt = 1.6 / (4500 sqrt(3 * 6.501587... / 400)).
  EXPECT_NEAR(paper_experiment().dt(), 1.6101529717988265e-3, 1e-17);
  acoustic::Setup anisotropic = paper_experiment();
  anisotropic.h = {20, 25, 15};
  EXPECT_NEAR(anisotropic.dt(), 1.5085366103649734e-3, 1e-17);
  EXPECT_DOUBLE_EQ(paper_experiment().largest_stable_velocity(), 5625);
}

TEST(PaperNumbers, LayerWidth) {
  EXPECT_EQ(paper_pml_cells(4500, 25, 20), 27);
  EXPECT_EQ(paper_pml_cells(4500, 25, 15), 36);
  EXPECT_EQ(paper_experiment().pml_cells, 27);
}

TEST(PaperNumbers, DampingProfile) {
  // (i/27)^2 dt 3 4500 ln(1000) / (2 27 20)
  const acoustic::Setup setup = paper_experiment();
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(setup.damping(axis, 1), 1.9071575258765638e-4, 1e-17);
    EXPECT_NEAR(setup.damping(axis, 13), 3.2230962187313928e-2, 1e-15);
    EXPECT_NEAR(setup.damping(axis, 27), 1.3903178363640150e-1, 1e-15);
  }
}

TEST(PaperNumbers, EtaIsZeroInsideAndAlikeOnBothSides) {
  const acoustic::Setup setup = paper_experiment();
  const double d1 = setup.damping(0, 1);
  const double d27 = setup.damping(0, 27);
  EXPECT_EQ(setup.eta(500, 500, 500), 0);
  EXPECT_EQ(setup.eta(27, 27, 27), 0);
  EXPECT_EQ(setup.eta(972, 972, 972), 0);
  // The first cell of a layer is the one next to the inner region.
  EXPECT_EQ(setup.eta(500, 500, 26), d1);
  EXPECT_EQ(setup.eta(500, 500, 973), d1);
  EXPECT_EQ(setup.eta(500, 26, 500), d1);
  EXPECT_EQ(setup.eta(973, 500, 500), d1);
  EXPECT_EQ(setup.eta(0, 500, 500), d27);
  EXPECT_EQ(setup.eta(500, 999, 500), d27);
  // In edges and corners the axes add up.
  EXPECT_DOUBLE_EQ(setup.eta(500, 0, 26), d27 + d1);
  EXPECT_DOUBLE_EQ(setup.eta(0, 999, 0), 3 * d27);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(setup.eta(500, 500, i), setup.eta(500, 500, 999 - i)) << i;
  }
}

TEST(PaperNumbers, DampingOfUnequalSpacings) {
  acoustic::Setup setup = paper_experiment();
  setup.h = {20, 25, 10};
  const double dt = setup.dt();
  const double ln1000 = 6.907755278982137;
  EXPECT_NEAR(setup.damping(0, 27), dt * 3 * 4500 * ln1000 / (2 * 27 * 20), 1e-15);
  EXPECT_NEAR(setup.damping(1, 27), dt * 3 * 4500 * ln1000 / (2 * 27 * 25), 1e-15);
  EXPECT_NEAR(setup.damping(2, 27), dt * 3 * 4500 * ln1000 / (2 * 27 * 10), 1e-15);
}

TEST(PaperNumbers, Wavelet) {
  // sigma = 15 1/s, tau = 1, s = 8; at t = 0: 54000 e^-8.
  EXPECT_NEAR(paper_wavelet(0, 25), 18.114981906735639, 1e-12);
  const double dt = 1.6101529717988265e-3;
  EXPECT_NEAR(paper_wavelet(dt, 25), 25.185424744657725, 1e-11);
  EXPECT_NEAR(paper_wavelet(20 * dt, 25), 1390.3886883626599, 1e-9);
  EXPECT_NEAR(paper_wavelet(41 * dt, 25), -3591.7818350521090, 1e-9);
  EXPECT_NEAR(paper_wavelet(60 * dt, 25), 1596.8914626574390, 1e-9);
  // The trough lies at t = tau / sigma and is -2 s sigma^2.
  EXPECT_NEAR(paper_wavelet(1.0 / 15, 25), -3600, 1e-9);
}

TEST(PaperNumbers, ParametersThatMakeNoSenseAreRefused) {
  using test::error_of;
  using test::has;
  const auto message = [](auto change) {
    acoustic::Setup setup = paper_experiment();
    change(setup);
    return error_of([&] { check(setup); });
  };
  EXPECT_EQ(message([](acoustic::Setup&) {}), "");
  EXPECT_TRUE(has(message([](acoustic::Setup& s) { s.h[1] = 0; }), "acoustic.h = 0"));
  EXPECT_TRUE(has(message([](acoustic::Setup& s) { s.v_max = -1; }), "acoustic.v_max = -1"));
  EXPECT_TRUE(has(message([](acoustic::Setup& s) { s.f_max = 0; }), "acoustic.f_max = 0"));
  EXPECT_TRUE(has(message([](acoustic::Setup& s) { s.cfl = 1.01; }), "the limit is 1"));
  EXPECT_TRUE(has(message([](acoustic::Setup& s) { s.cfl = std::nan(""); }), "acoustic.cfl = nan"));
  EXPECT_TRUE(has(message([](acoustic::Setup& s) { s.n.ny = 54; }), "case.ny = 54"));
}

}  // namespace
}  // namespace tessera::acoustic
