// SPDX-License-Identifier: Apache-2.0
// The verification of the directional family finds variants that are wrong.
#include <gtest/gtest.h>

#include "base/grid/cell_policy.hpp"
#include "base/support/precision.hpp"
#include "fixtures/bare_facts.hpp"
#include "variants/directional/case/verify.hpp"
#include "variants/directional/kernels/variant.hpp"

namespace tessera::directional {
namespace {

enum class Flaw { none, leaves_out_the_outermost, misses_a_cell, writes_halo };

template <class Real, int R, Directions D, Flaw kFlaw>
struct FlawedKernel {
  Cubes<Real> f;
  Box box;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const std::int64_t i = f.offset(z, y, x);
    const bool last = x == box.x1 - 1 && y == box.y1 - 1 && z == box.z1 - 1;
    if (kFlaw == Flaw::misses_a_cell && last) return;
    const Real* u = f.in + i;
    const auto along = [&](int stride) {
      return [u, stride, last](auto m) {
        const bool left_out = kFlaw == Flaw::leaves_out_the_outermost && last && m == R;
        return left_out ? Real(0) : u[m * stride];
      };
    };
    f.out[i] = derivative<R, D>(f.k, along(1), along(f.row), along(f.plane));
    if (kFlaw == Flaw::writes_halo && last) f.out[i + 1] = Real(1);
  }
};

template <class Real, Flaw kFlaw>
struct Flawed : test::ThreadACell {
  void step(const ExecSpace& exec, const Cubes<Real>& cubes, const Region& region,
            const Operator& op) const {
    AllDirections::with(op.directions, [&](auto d) {
      AllRadii::with(op.radius, [&](auto r) {
        Kokkos::parallel_for("tessera::test::flawed", cells_of(exec, region.box),
                             FlawedKernel<Real, r(), d(), kFlaw>{cubes, region.box});
      });
    });
  }
};

template <Flaw kFlaw>
Verdict verdict_of(const Operator& op) {
  DirectionalVariant variant(test::bare_facts("flawed"),
                             {std::begin(kDirections), std::end(kDirections)});
  variant.offer({"default", Origin::ours, ""},
                [](auto real) { return Flawed<decltype(real), kFlaw>{}; });
  return verify_on<double>({17, 19, 23}, op, RowAlignment::line, {&variant, 0}, 7);
}

TEST(DirectionalCheck, FindsFlawsAndNothingElse) {
  if (!precision_is_built(8)) GTEST_SKIP() << "not built in this precision";
  for (const Directions d : kDirections) {
    for (const int radius : {1, 4, 8}) {
      const Operator op{d, radius};
      const Verdict right = verdict_of<Flaw::none>(op);
      EXPECT_TRUE(right.ok) << right.reason;
      EXPECT_FALSE(verdict_of<Flaw::leaves_out_the_outermost>(op).ok) << stencil_name(op);
      EXPECT_FALSE(verdict_of<Flaw::misses_a_cell>(op).ok) << stencil_name(op);
      EXPECT_FALSE(verdict_of<Flaw::writes_halo>(op).ok) << stencil_name(op);
    }
  }
}

}  // namespace
}  // namespace tessera::directional
