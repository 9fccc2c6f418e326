// SPDX-License-Identifier: Apache-2.0
// The low_order reference and counts against hand-computed values; run-time blocks and their
// divisions.
#include "base/tile/runtime_block.hpp"
#include "variants/low_order/kernels/variant.hpp"
#include "variants/low_order/reference.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "fixtures/cells.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera::low_order {
namespace {

/// u = 1 + x + 10 y + 100 z on one cell and its halo; gamma = 7, kappa = 2 + x.
ReferenceState<double> one_cell() {
  ReferenceState<double> s({1, 1, 1}, 0.5, 0.25);
  test::for_cells({-1, 2, -1, 2, -1, 2}, [&](int z, int y, int x) {
    s.u[s.index(z, y, x)] = 1 + x + 10 * y + 100 * z;
    s.gamma[s.index(z, y, x)] = 7;
    s.kappa[s.index(z, y, x)] = 2 + x;
  });
  return s;
}

double step_of(Stencil stencil) {
  auto s = one_cell();
  reference_step(stencil, s);
  return s.next[s.index(0, 0, 0)];
}

TEST(LowOrderFacts, OfAnUnknownNameAreAnError) {
  EXPECT_EQ(facts_of("low_order/19pt").stencil, Stencil::pt19);
  const std::string message =
      test::error_of([] { static_cast<void>(facts_of("low_order/7pt-4")); });
  EXPECT_TRUE(test::has(message, "\"low_order/7pt-4\" does not exist")) << message;
  EXPECT_TRUE(test::has(message, "did you mean low_order/7pt-")) << message;
}

TEST(LowOrderReference, ByHand) {
  // The six neighbours sum to 6, the twelve on edges to 12.
  EXPECT_DOUBLE_EQ(step_of(Stencil::pt7_1), 0.5 * 1 + 0.25 * 6);
  EXPECT_DOUBLE_EQ(step_of(Stencil::pt7_2), 0.5 * 7 + 0.25 * 6);
  EXPECT_DOUBLE_EQ(step_of(Stencil::pt19), 0.5 * 7 + 0.25 * 6 + 12);
  // Fluxes: x: (3 + 2) 1 - (1 + 2) 1 = 2; y and z: (2 + 2)(10 - 10) = 0 and so on.
  EXPECT_DOUBLE_EQ(step_of(Stencil::pt7_3), 1 + 7 + 0.5 * 2);
}

TEST(LowOrderReference, TermsAreMagnitudes) {
  auto s = one_cell();
  reference_step(Stencil::pt7_1, s);
  // |u| of the six: x 0 and 2, y 9 and 11, z 99 and 101.
  EXPECT_DOUBLE_EQ(s.terms[s.index(0, 0, 0)], 0.5 * 1 + 0.25 * 222);
}

TEST(LowOrderCounts, AreTheSeeds) {
  EXPECT_EQ(loads_of_a_cell(Stencil::pt7_1).aligned, 5);  // section 3.1
  EXPECT_EQ(loads_of_a_cell(Stencil::pt7_1).misaligned, 2);
  const CellLoads chunked = loads_in_chunks(Stencil::pt7_1, 8);  // section 3.5
  EXPECT_DOUBLE_EQ(8 * chunked.aligned, 3 * 8 + 2);
  EXPECT_DOUBLE_EQ(8 * chunked.misaligned, 2 * 8);
  for (const StencilFacts& facts : kStencils) {
    const CellLoads one = loads_in_chunks(facts.stencil, 1);
    const CellLoads plain = loads_of_a_cell(facts.stencil);
    EXPECT_LE(plain.aligned + plain.misaligned, one.aligned + one.misaligned) << facts.name;
  }
}

TEST(RuntimeBlocks, CountTeamsAndThreads) {
  const Box box{0, 47, 0, 53, 0, 61};
  const RuntimeBlocks baseline(box, 32, 4, 2);
  EXPECT_EQ(baseline.league(), 2 * 14 * 24);
  EXPECT_EQ(baseline.threads(), 256);
  const RuntimeBlocks chunks(box, 32, 4, 16, {1, 16});
  EXPECT_EQ(chunks.league(), 2 * 14 * 3);
  EXPECT_EQ(chunks.threads(), 128);
  const RuntimeBlocks vectors(box, 128, 4, 16, {4, 16});
  EXPECT_EQ(vectors.threads(), 128);
}

}  // namespace
}  // namespace tessera::low_order
