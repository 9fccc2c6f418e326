// SPDX-License-Identifier: Apache-2.0
// The verification of the low_order family finds variants that are wrong.
#include <gtest/gtest.h>

#include "base/grid/cell_policy.hpp"
#include "base/support/precision.hpp"
#include "fixtures/bare_facts.hpp"
#include "variants/low_order/case/verify.hpp"
#include "variants/low_order/kernels/variant.hpp"

namespace tessera::low_order {
namespace {

enum class Flaw { none, a_thousandth, misses_a_cell, writes_halo };

template <class Real, Stencil kStencil, Flaw kFlaw>
struct FlawedKernel {
  Fields<Real> f;
  Box box;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const std::int64_t i = f.offset(z, y, x);
    const bool last = x == box.x1 - 1 && y == box.y1 - 1 && z == box.z1 - 1;
    if (kFlaw == Flaw::misses_a_cell && last) return;
    const Real value = value_at<kStencil>(f, i);
    f.next[i] = kFlaw == Flaw::a_thousandth && last ? value * Real(1.001) : value;
    if (kFlaw == Flaw::writes_halo && last) f.next[i + 1] = Real(1);
  }
};

template <class Real, Flaw kFlaw>
struct Flawed : test::ThreadACell {
  void step(const ExecSpace& exec, Stencil stencil, const Fields<Real>& fields,
            const Region& region) const {
    with_stencil(stencil, [&](auto chosen) {
      Kokkos::parallel_for("tessera::test::flawed", cells_of(exec, region.box),
                           FlawedKernel<Real, chosen(), kFlaw>{fields, region.box});
    });
  }
};

template <Flaw kFlaw>
Verdict verdict_of(const StencilFacts& facts) {
  LowOrderVariant variant(test::bare_facts("flawed"));
  variant.offer({"default", Origin::ours, ""},
                [](auto real) { return Flawed<decltype(real), kFlaw>{}; });
  return verify_on<double>({{17, 19, 23}, facts.stencil, facts.alpha, facts.beta}, {&variant, 0},
                           7);
}

TEST(LowOrderCheck, FindsFlawsAndNothingElse) {
  if (!precision_is_built(8)) GTEST_SKIP() << "not built in this precision";
  for (const StencilFacts& facts : kStencils) {
    const Verdict right = verdict_of<Flaw::none>(facts);
    EXPECT_TRUE(right.ok) << right.reason;
    EXPECT_FALSE(verdict_of<Flaw::a_thousandth>(facts).ok) << facts.name;
    EXPECT_FALSE(verdict_of<Flaw::misses_a_cell>(facts).ok) << facts.name;
    EXPECT_FALSE(verdict_of<Flaw::writes_halo>(facts).ok) << facts.name;
  }
}

}  // namespace
}  // namespace tessera::low_order
