// SPDX-License-Identifier: Apache-2.0
// Two steps a pass, out of place, against the reference and against naive: what the solver does
// around a pass that plain loops make on a host.
#include <gtest/gtest.h>

#include <string>

#include "fixtures/acoustic_run.hpp"
#include "fixtures/plain_pair.hpp"
#include "variants/acoustic/case/verify.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
namespace tessera::acoustic {
namespace {

template <class Real>
class PlainPairs : public AcousticTest<Real> {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PlainPairs, Precisions);

TYPED_TEST(PlainPairs, EqualTheReferenceOnAllGrids) {
  const PlainPairVariant variant;
  for (const RaggedGrid& grid : ragged_grids()) {
    SCOPED_TRACE(grid.pml_cells);
    for (const Decomposition kind : {Decomposition::seven, Decomposition::seven_concurrent}) {
      const Verdict verdict = verify_on<TypeParam>(grid, {&variant, 0}, kind, 11);
      EXPECT_TRUE(verdict.ok) << verdict.reason;
    }
  }
}

TYPED_TEST(PlainPairs, EqualNaive) {
  const PlainPairVariant variant;
  for (const RaggedGrid& grid : ragged_grids()) {
    SCOPED_TRACE(grid.pml_cells);
    Setup setup;
    setup.n = grid.n;
    setup.pml_cells = grid.pml_cells;
    setup.free_surface = grid.free_surface;
    setup.decomposition = Decomposition::seven;
    Solver<TypeParam> solver(setup);
    solver.set_velocity(2000);
    solver.reserve_passes({&variant, 0});
    Field<TypeParam> next("next", setup.n, kR), phi("phi", setup.n, kR);
    const Verdict verdict = verify_against_naive(solver, {&variant, 0},
                                                 all_variants().find("acoustic/naive"), next, phi);
    EXPECT_TRUE(verdict.ok) << verdict.reason;
  }
}

}  // namespace
}  // namespace tessera::acoustic
#endif
