// SPDX-License-Identifier: Apache-2.0
// The stability limits of the time step and of thin layers: bounded just below them, without bound
// above, and refused by the solver.
#include <cmath>

#include "base/grid/transfer.hpp"
#include "fixtures/acoustic_run.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera::acoustic {
namespace {

using test::error_of;
using test::has;

acoustic::Setup near_the_limit(int pml_cells) {
  acoustic::Setup setup;
  setup.n = {25, 27, 29};
  setup.cfl = 0.999;
  setup.pml_cells = pml_cells;
  return setup;
}

/// Largest |u| after `steps` steps from random fields.
template <class Real>
double largest_after(Solver<Real>& solver, int steps) {
  const Selected how = fast_variant(solver);
  const ExecSpace exec;
  solver.set_random(1);
  for (int step = 0; step < steps; ++step) {
    solver.update(exec, how);
    exec.fence();
    solver.advance();
  }
  const ValueRange range = solver.range();
  return std::max(std::abs(range.min), std::abs(range.max));
}

template <class Real>
class Stability : public AcousticTest<Real> {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Stability, Reals);

TYPED_TEST(Stability, BoundedJustBelowTheLimit) {
  for (const int pml_cells : {0, 8}) {
    const auto setup = near_the_limit(pml_cells);
    Solver<TypeParam> solver(setup);
    solver.set_velocity(setup.v_max);
    // Random data hold all wavenumbers, those at the limit too; near it amplitudes of the size of
    // 1/sqrt(1 - cfl^2) = 22 times the data's are no instability.
    EXPECT_LT(largest_after(solver, 500), 100) << "pml_cells = " << pml_cells;
  }
}

TYPED_TEST(Stability, GrowsWithoutBoundJustAboveTheLimit) {
  const auto setup = near_the_limit(0);
  Solver<TypeParam> solver(setup);
  // Past the solver's own check: 2 % above the limit.
  const double step = 1.02 * setup.largest_stable_velocity() * setup.dt();
  from_host(solver.vp(), [&](int, int, int) { return static_cast<TypeParam>(step * step); });
  EXPECT_GT(largest_after(solver, 200), 1e6);
}

acoustic::Setup small_with_thin_layers(double share) {
  acoustic::Setup setup = thin_layers(share);
  setup.n = {17, 19, 23};
  return setup;
}

TYPED_TEST(Stability, ThinLayersAreBoundedBelowTheirLimitAndGrowAboveIt) {
  const auto stable = small_with_thin_layers(0.95);
  Solver<TypeParam> below(stable);
  below.set_velocity(stable.v_max);
  EXPECT_LT(largest_after(below, 500), 100) << "cfl = " << stable.cfl;
  // The condition is sufficient: growth begins within 1.25 times it.
  const auto setup = small_with_thin_layers(1.25);
  Solver<TypeParam> above(setup);
  EXPECT_TRUE(has(error_of([&] { above.set_velocity(setup.v_max); }), "3 or more"));
  const double step = setup.v_max * setup.dt();  // past the solver's own check
  from_host(above.vp(), [&](int, int, int) { return static_cast<TypeParam>(step * step); });
  EXPECT_GT(largest_after(above, 500), 1e6) << "cfl = " << setup.cfl;
}

TYPED_TEST(Stability, ConvolutionalLayersOfAnyWidthAreBounded) {
  for (const int pml_cells : {1, 2, 5}) {
    acoustic::Setup setup = near_the_limit(pml_cells);
    setup.layer_kind = LayerKind::convolutional;
    Solver<TypeParam> solver(setup);
    solver.set_velocity(setup.v_max);
    EXPECT_LT(largest_after(solver, 500), 100) << "pml_cells = " << pml_cells;
    if (pml_cells < 5) continue;  // much comes back
    const Selected how = fast_variant(solver);
    for (int step = 0; step < 1500; ++step) {
      solver.update(ExecSpace(), how);
      solver.advance();
    }
    EXPECT_LT(solver.range().max, 2);  // little is left in the end, and no offset
  }
}

TYPED_TEST(Stability, RangeAndPlaceOfAFieldThatIsNotFinite) {
  const auto setup = near_the_limit(8);
  Solver<TypeParam> solver(setup);
  solver.set_random(1);
  EXPECT_LE(solver.range().max, 1);
  EXPECT_GE(solver.range().min, -1);
  const double not_a_number = std::nan("");
  from_host(solver.u(), [&](int z, int y, int x) {
    const bool here = z == 3 && y == 5 && x == 7;
    return static_cast<TypeParam>(here ? not_a_number : 0.5);
  });
  EXPECT_TRUE(std::isinf(solver.range().min));
  EXPECT_TRUE(std::isinf(solver.range().max));
  EXPECT_EQ(solver.first_non_finite(), (std::array<int, 3>{3, 5, 7}));
}

TYPED_TEST(Stability, VelocitiesAboveTheLimitAreRefused) {
  acoustic::Setup setup;
  setup.n = {9, 9, 9};
  setup.pml_cells = 3;
  Solver<TypeParam> solver(setup);  // v_max 4500, cfl 0.8: up to 5625 m/s
  EXPECT_NO_THROW(solver.set_velocity(5624.99));
  const std::string message = error_of([&] { solver.set_velocity(5625.01); });
  EXPECT_TRUE(has(message, "5625 m/s"));
  EXPECT_TRUE(has(message, "5625.01"));
  EXPECT_TRUE(has(message, "acoustic.v_max"));
  // One cell is enough.
  EXPECT_TRUE(has(error_of([&] {
                    solver.set_velocity([](int z, int y, int x) {
                      return z == 8 && y == 0 && x == 4 ? 6000.0 : 2000.0;
                    });
                  }),
                  "6000 m/s"));
  EXPECT_TRUE(has(error_of([&] {
                    solver.set_velocity(
                        [](int, int, int x) { return x == 4 ? std::nan("") : 2000.0; });
                  }),
                  "x = 4"));
  EXPECT_TRUE(has(error_of([&] { solver.set_velocity(0); }), "velocity 0"));
  EXPECT_TRUE(has(error_of([&] { solver.set_velocity(-2000); }), "velocity -2000"));
}

}  // namespace
}  // namespace tessera::acoustic
