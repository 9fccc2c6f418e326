// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/case/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fixtures/scratch_directory.hpp"

namespace tessera::acoustic {
namespace {

using test::error_of;
using test::has;

Setup setup_of(int pml_cells, bool free_surface = false) {
  Setup setup;
  setup.n = {40, 40, 40};
  setup.pml_cells = pml_cells;
  setup.free_surface = free_surface;
  return setup;
}

/// What a spread reads of f(cell).
template <class Function>
double read(const AxisSpread& spread, const Function& f) {
  double sum = 0;
  for (std::size_t i = 0; i < spread.weights.size(); ++i) {
    sum += spread.weights[i] * f(spread.first + static_cast<int>(i));
  }
  return sum;
}

TEST(Spread, AtACellItIsTheCell) {
  for (const double at : {7.0, 7 + 1e-12, 7 - 1e-12}) {
    const AxisSpread spread = sinc_spread(at);
    EXPECT_EQ(spread.first, 7);
    EXPECT_EQ(spread.weights, std::vector<double>{1});
  }
}

TEST(Spread, WavesOfFourCellsAndMoreAreReadBetweenTheCells) {
  double worst = 0;
  for (double wavelength = 4; wavelength < 60; wavelength *= 1.1) {
    for (double at = 10.05; at < 11; at += 0.1) {
      for (const double phase : {0.0, 1.0}) {
        const auto wave = [&](double x) {
          return std::cos(2 * std::numbers::pi * x / wavelength + phase);
        };
        worst = std::max(worst, std::abs(read(sinc_spread(at), wave) - wave(at)));
      }
    }
  }
  EXPECT_LT(worst, 0.005);   // of an amplitude of 1
  EXPECT_GT(worst, 0.0001);  // and it is no exact interpolation
}

TEST(Spread, UnderAFreeSurfaceItIsFolded) {
  // A field that is odd about z = 0 is read as if the cells above were there.
  const auto wave = [](double z) { return std::sin(2 * std::numbers::pi * z / 9); };
  for (const double z : {0.3, 1.0, 1.7, 2.5, 3.9, 5.2}) {
    const Spread folded = spread_of(setup_of(5, true), {z, 12, 13}, Interpolation::sinc, "here");
    EXPECT_GE(folded.box().z0, 1);
    EXPECT_NEAR(read(folded.axis[0], wave), read(sinc_spread(z), wave), 1e-14) << z;
  }
  // On the surface there is nothing to read.
  const Spread on_it = spread_of(setup_of(5, true), {0, 12, 13}, Interpolation::nearest, "here");
  EXPECT_EQ(on_it.weights(), std::vector<double>{0});
}

TEST(Spread, WeightsOfTheBoxAreProducts) {
  const Spread spread = spread_of(setup_of(5), {10.25, 12, 13.5}, Interpolation::sinc, "here");
  const Box box = spread.box();
  EXPECT_EQ(box, (Box{7, 15, 12, 13, 10, 18}));
  const std::vector<double> weights = spread.weights();
  ASSERT_EQ(static_cast<std::int64_t>(weights.size()), box.cells());
  EXPECT_EQ(weights[2 * 8 + 5], spread.axis[0].weights[2] * spread.axis[2].weights[5]);
}

TEST(Spread, BeyondTheGridItIsRefused) {
  const auto message = [](const acoustic::Setup& s, double x) {
    return error_of([&] {
      static_cast<void>(spread_of(s, {10, 10, x}, Interpolation::sinc, "here"));
    });
  };
  EXPECT_TRUE(has(message(setup_of(0), 1.5), "here: "));
  EXPECT_TRUE(has(message(setup_of(0), 38.5), "acoustic.pml_cells to 4"));
  EXPECT_EQ(message(setup_of(0), 1.0), "");
  EXPECT_EQ(message(setup_of(4), 4.5), "");
  EXPECT_NO_THROW(
      static_cast<void>(spread_of(setup_of(0), {0, 39, 1.2}, Interpolation::nearest, "here")));
}

}  // namespace
}  // namespace tessera::acoustic
