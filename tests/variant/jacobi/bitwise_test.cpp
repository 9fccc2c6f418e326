// SPDX-License-Identifier: Apache-2.0
// All jacobi variants add a point's terms in one order, so that they agree bit for bit with `step`,
// in every configuration and after any number of steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/grid/transfer.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/precision_test.hpp"
#include "variants/jacobi/case/solver.hpp"

namespace tessera::jacobi {
namespace {

constexpr Extents kFlat{1, 70, 1100}, kDeep{21, 35, 43};

template <class Real>
std::vector<Real> after(const std::string& stencil, const Extents& n, const Selected& how,
                        int steps) {
  Solver<Real> solver(stencil, n);
  solver.set_random(11);
  const ExecSpace exec;
  for (int left = steps; left > 0;) left -= solver.advance(exec, how, left);
  exec.fence();
  return to_host(solver.u());
}

template <class Real>
class JacobiBitwise : public test::PrecisionTest<Real> {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(JacobiBitwise, Reals);

TYPED_TEST(JacobiBitwise, EveryConfigurationEqualsSweeps) {
  const Selected step{&all_variants().find("jacobi/step"), 0};
  for (const int steps : {1, 13}) {
    for (const std::string& stencil : step.variant->stencils) {
      const Extents n = facts_of(stencil).dims == 2 ? kFlat : kDeep;
      const auto wanted = after<TypeParam>(stencil, n, step, steps);
      EXPECT_GT(*std::max_element(wanted.begin(), wanted.end()), TypeParam(0.001));
      const Region all{"inner", Update::inner, whole(n), {}};
      for (const Selected& how : all_variants().select({"jacobi/*"})) {
        if (!how.variant->plan(how.configuration, all, {stencil, sizeof(TypeParam)}).supported()) {
          continue;
        }
        const auto got = after<TypeParam>(stencil, n, how, steps);
        EXPECT_EQ(0, std::memcmp(got.data(), wanted.data(), wanted.size() * sizeof(TypeParam)))
            << how.full_name() << " " << stencil << " after " << steps << " steps";
      }
    }
  }
}

/// Hosts: 48 cells with the fixed ones are whole vectors, so that the periodic row has
/// nothing between its fixed cells.
TYPED_TEST(JacobiBitwise, RowsThatFillTheirVectorsEqualSweeps) {
  const Selected step{&all_variants().find("jacobi/step"), 0};
  for (const std::string& stencil : step.variant->stencils) {
    for (const int nx : {44, 46}) {
      const Extents n = facts_of(stencil).dims == 2 ? Extents{1, 30, nx} : Extents{14, 13, nx};
      const auto wanted = after<TypeParam>(stencil, n, step, 13);
      const Region all{"inner", Update::inner, whole(n), {}};
      for (const Selected& how : all_variants().select({"jacobi/warps", "jacobi/skewed"})) {
        if (!how.variant->plan(how.configuration, all, {stencil, sizeof(TypeParam)}).supported()) {
          continue;
        }
        const auto got = after<TypeParam>(stencil, n, how, 13);
        EXPECT_EQ(0, std::memcmp(got.data(), wanted.data(), wanted.size() * sizeof(TypeParam)))
            << how.full_name() << " " << stencil << " " << nx;
      }
    }
  }
}

TYPED_TEST(JacobiBitwise, ValuesStayWithinThoseTheyBeganIn) {
  for (const Selected& how :
       all_variants().select({"jacobi/step", "jacobi/warps", "jacobi/skewed"})) {
    for (const std::string& stencil : how.variant->stencils) {
      const Extents n = facts_of(stencil).dims == 2 ? kFlat : kDeep;
      const Region all{"inner", Update::inner, whole(n), {}};
      if (!how.variant->plan(how.configuration, all, {stencil, sizeof(TypeParam)}).supported()) {
        continue;
      }
      Solver<TypeParam> solver(stencil, n);
      solver.set_constant(0, 1);
      for (int left = 40; left > 0;) left -= solver.advance(ExecSpace(), how, left);
      const auto [min, max] = solver.range();
      EXPECT_GT(min, -1e-12) << stencil << " " << how.full_name();
      EXPECT_LT(max, 1 + 1e-5) << stencil << " " << how.full_name();
      EXPECT_GT(max, 0.4) << stencil << ": heat comes in from the fixed cells";
    }
  }
}

}  // namespace
}  // namespace tessera::jacobi
