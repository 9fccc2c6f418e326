// SPDX-License-Identifier: Apache-2.0
// The paper's run in small: 800 steps with a velocity of its own in each cell stay bounded, and a
// constant medium keeps plane waves at their amplitude.
#include <gtest/gtest.h>

#include <cmath>

#include "fixtures/catalogue.hpp"
#include "variants/ete/case/fit.hpp"
#include "variants/ete/case/solver.hpp"

namespace tessera::ete {
namespace {

Selected runnable(int points) {
  const Region region = Solver<float>::whole_grid({30, 40, 50});
  for (const Selected& how : all_variants().select({"ete/base_simd*"})) {
    const Problem problem{points == 37 ? "ete/37pt" : "ete/73pt", 4};
    if (how.variant->plan(how.configuration, region, problem).supported()) return how;
  }
  return {};
}

class EteStability : public testing::TestWithParam<int> {};

TEST_P(EteStability, RandomVelocitiesStayBoundedFor800Steps) {
  if (!can_fit()) GTEST_SKIP() << "built without Kokkos Kernels";
  std::vector<double> alpha;
  for (int i = 0; i < 902; ++i) alpha.push_back(0.4 * (1500 + 3000.0 * i / 901) / 4500);
  const CoefficientTable table = fit(GetParam(), alpha, {});
  Solver<float> solver({30, 40, 50}, table);
  solver.set_columns(ColumnPattern::random, 5);
  solver.set_random(5);
  const ExecSpace exec;
  const Selected how = runnable(GetParam());
  ASSERT_NE(how.variant, nullptr);
  double after_100 = 0;
  for (int step = 1; step <= 800; ++step) {
    solver.update(exec, how);
    solver.advance();
    if (step == 100) after_100 = std::max(-solver.range().min, solver.range().max);
  }
  const auto [low, high] = solver.range();
  ASSERT_TRUE(std::isfinite(low) && std::isfinite(high));
  // Random p and p- put energy into slow waves, whose amplitude is their velocity over frequency;
  // what must not happen is growth from then on.
  EXPECT_LT(std::max(-low, high), 4 * after_100) << after_100;
  EXPECT_GT(std::max(-low, high), 0.01);
}

INSTANTIATE_TEST_SUITE_P(Points, EteStability, testing::Values(37, 73));

}  // namespace
}  // namespace tessera::ete
