// SPDX-License-Identifier: Apache-2.0
// The verification of the jacobi family finds variants that are wrong, each in its own way.
#include <gtest/gtest.h>

#include <string>

#include "fixtures/bare_facts.hpp"
#include "fixtures/precision_test.hpp"
#include "variants/jacobi/case/verify.hpp"
#include "variants/jacobi/kernels/sweep.hpp"

namespace tessera::jacobi {
namespace {

enum class Flaw {
  none,
  last_plane,     // the last plane along the streamed axis is not updated
  border_cells,   // cells beside fixed ones are not updated: what the published code leaves out
  one_step_less,  // a pass of four steps does three
  writes_fixed,   // a fixed cell is written
};

template <class Real>
struct Spoil {
  Fields<Real> f;
  Flaw flaw;
  KOKKOS_FUNCTION void operator()(int) const {
    if (flaw == Flaw::last_plane) {
      for (int x = 0; x < f.nx; ++x) {
        f.to[f.offset(f.ns - 1, f.ny - 1, x)] = f.from[f.offset(f.ns - 1, f.ny - 1, x)];
      }
    } else if (flaw == Flaw::border_cells) {
      for (int s = 0; s < f.ns; ++s) f.to[f.offset(s, 0, 0)] = f.from[f.offset(s, 0, 0)];
    } else if (flaw == Flaw::writes_fixed) {
      f.to[f.offset(0, 0, -1)] = Real(0.5);
    }
  }
};

template <class StencilType, class Real>
struct Flawed {
  Flaw flaw;
  [[nodiscard]] Plan plan(const Extents& n, const MachineLimits&) const {
    Plan p;
    p.league = n.nz;
    p.team = 1;
    return p;
  }
  int step(const ExecSpace& exec, const Fields<Real>& f, int left, const Resident<Real>&) const {
    sweep<StencilType>(exec, "tessera::test::flawed", f,
                       sweep_tile<StencilType>({f.ns, f.ny, f.nx}));
    Kokkos::parallel_for("tessera::test::spoil", Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                         Spoil<Real>{f, flaw});
    return flaw == Flaw::one_step_less && left > 1 ? 2 : 1;
  }
  [[nodiscard]] std::int64_t exchange_elements(const Extents&) const { return 0; }
};

template <class Real>
Verdict verdict(Flaw flaw, const std::string& stencil) {
  JacobiVariant variant(test::bare_facts("flawed"));
  variant.offer({"default", Origin::ours, ""},
                [flaw](auto s, auto real) { return Flawed<decltype(s), decltype(real)>{flaw}; });
  const Extents n = facts_of(stencil).dims == 2 ? Extents{1, 23, 41} : Extents{13, 11, 17};
  return verify_on<Real>(stencil, n, {&variant, 0}, 7);
}

template <class Real>
class JacobiCheckCanFail : public test::PrecisionTest<Real> {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(JacobiCheckCanFail, Reals);

TYPED_TEST(JacobiCheckCanFail, FlawsAreFound) {
  for (const char* stencil : {"jacobi/j2d5pt", "jacobi/j3d27pt"}) {
    const Verdict right = verdict<TypeParam>(Flaw::none, stencil);
    EXPECT_TRUE(right.ok) << right.reason;
    EXPECT_LE(right.worst, 1);
    for (const Flaw flaw :
         {Flaw::last_plane, Flaw::border_cells, Flaw::one_step_less, Flaw::writes_fixed}) {
      const Verdict wrong = verdict<TypeParam>(flaw, stencil);
      EXPECT_FALSE(wrong.ok) << stencil << " flaw " << static_cast<int>(flaw);
      EXPECT_GT(wrong.worst, 1);
      EXPECT_FALSE(wrong.reason.empty());
    }
  }
}

}  // namespace
}  // namespace tessera::jacobi
