// SPDX-License-Identifier: Apache-2.0
// All jacobi variants add a point's terms in one order, so that they agree bit for bit with `step`,
// in every configuration and after any number of steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/grid/transfer.hpp"
#include "fixtures/bare_facts.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/precision_test.hpp"
#include "variants/jacobi/case/solver.hpp"
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "variants/jacobi/skewed/launcher.hpp"
#include "variants/jacobi/skewed/stream.hpp"
#endif

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

/// Hosts: rows of 9 cells have fewer vectors than those lanes; 48 with the fixed ones are whole
/// vectors, so that the periodic row has nothing between its fixed cells; 300 are several tiles of
/// any width.
TYPED_TEST(JacobiBitwise, RowsOfAnyLengthEqualSweeps) {
  const Selected step{&all_variants().find("jacobi/step"), 0};
  for (const std::string& stencil : step.variant->stencils) {
    for (const int nx : {9, 44, 46, 300}) {
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

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
/// jacobi/skewed in blocks of several planes and rows, which builds with few configurations lack:
/// of one stencil of each radius.
struct BlocksVariant : JacobiVariant {
  std::vector<std::string> of;  ///< the configurations' stencils

  BlocksVariant() : JacobiVariant(test::bare_facts("blocks")) {
    add<RowTile{.nx = 64, .planes = 4}, J2d9pt>();
    add<RowTile{.nx = 64, .ny = 8, .planes = 2, .rows = 2}, J3d7pt>();
    add<RowTile{.nx = 64, .ny = 8, .planes = 4, .rows = 2}, J3d13pt>();
  }

 private:
  template <RowTile kTile, class StencilType>
  void add() {
    of.emplace_back(StencilType::kName);
    offer({kTile.text(), Origin::ours, ""}, [](auto stencil, auto real) {
      if constexpr (std::is_same_v<decltype(stencil), StencilType>) {
        using Kernel = SkewedStreamingKernel<StencilType, decltype(real), kTile.block()>;
        return SkewedLauncher<Kernel, decltype(real)>{kTile, 5};
      } else {
        return Unsupported{"another stencil's"};
      }
    });
  }
};

TYPED_TEST(JacobiBitwise, BlocksOfPlanesAndRowsEqualSweeps) {
  const Selected step{&all_variants().find("jacobi/step"), 0};
  const BlocksVariant blocks;
  for (std::size_t i = 0; i < blocks.of.size(); ++i) {
    const std::string& stencil = blocks.of[i];
    for (const int nx : {9, 44, 300}) {
      const Extents n = facts_of(stencil).dims == 2 ? Extents{1, 30, nx} : Extents{14, 23, nx};
      const auto wanted = after<TypeParam>(stencil, n, step, 13);
      const auto got = after<TypeParam>(stencil, n, {&blocks, i}, 13);
      EXPECT_EQ(0, std::memcmp(got.data(), wanted.data(), wanted.size() * sizeof(TypeParam)))
          << blocks.configurations[i].text << " " << stencil << " " << nx;
    }
  }
}
#endif

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
