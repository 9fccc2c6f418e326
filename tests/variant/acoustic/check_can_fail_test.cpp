// SPDX-License-Identifier: Apache-2.0
// The verification of the acoustic family finds variants that are wrong, each in its own way.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "base/grid/cell_policy.hpp"
#include "fixtures/bare_facts.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/precision_test.hpp"
#include "variants/acoustic/case/verify.hpp"

namespace tessera::acoustic {
namespace {

enum class Flaw {
  none,
  outermost_y_neighbours,  // the m = 4 terms along y are left out
  last_row,                // the last y row of each region is not updated
  stale_phi,               // phi is kept as it was
  vp_off_by_1e_5,          // a relative error of 1e-5 in (V dt)^2
  no_damping,              // the inner formula in the layers
  writes_halo,             // a cell outside the grid is written
  no_image,                // above a free surface zeros are read
};

/// `naive` with a flaw.
template <class Real, Update kUpdate, Flaw kFlaw>
struct FlawedKernel {
  Fields<Real> f;
  Region region;

  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    if (kFlaw == Flaw::last_row && y == region.box.y1 - 1) return;
    const std::int64_t i = f.offset(z, y, x);
    const Real* u = f.u + i;
    const Real phi = f.phi[i];
    const auto along_x = [&](auto m) { return u[m]; };
    const auto along_y = [&](auto m) {
      const bool left_out = kFlaw == Flaw::outermost_y_neighbours && (m == 4 || m == -4);
      return left_out ? Real(0) : u[m * f.row];
    };
    const auto along_z = [&](auto m) {
      return kFlaw == Flaw::no_image && z + m < 0 ? Real(0) : u[m * f.plane];
    };
    if constexpr (kFlaw == Flaw::vp_off_by_1e_5) {
      const Real l = laplacian(f.k, along_x, along_y, along_z);
      const Real minus = f.next[i];
      update_cell<kUpdate>(f, region.hole, z, y, x, i, along_x, along_y, along_z);
      if (region.hole.contains(z, y, x) || kUpdate == Update::inner) {
        f.next[i] = inner_value(u[0], minus, f.vp[i] * Real(1.00001), l);
      }
    } else if constexpr (kFlaw == Flaw::no_damping) {
      update_cell<Update::inner>(f, region.hole, z, y, x, i, along_x, along_y, along_z);
    } else {
      update_cell<kUpdate>(f, region.hole, z, y, x, i, along_x, along_y, along_z);
    }
    if (kFlaw == Flaw::stale_phi) f.phi[i] = phi;
    if (kFlaw == Flaw::writes_halo && x == 0) f.next[i - 1] = Real(1);
  }
};

template <class Real, Flaw kFlaw>
struct Flawed : test::ThreadACell {
  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    with_update(region.update, [&](auto update) {
      Kokkos::parallel_for("tessera::test::flawed", cells_of(exec, region.box),
                           FlawedKernel<Real, update(), kFlaw>{fields, region});
    });
  }
};

template <Flaw kFlaw>
AcousticVariant& flawed_variant() {
  static AcousticVariant variant(test::bare_facts("flawed"));
  if (variant.configurations.empty()) {
    variant.offer({"default", Origin::ours, ""},
                  [](auto real) { return Flawed<decltype(real), kFlaw>{}; });
  }
  return variant;
}

constexpr RaggedGrid kGrid{{17, 19, 23}, 4};
constexpr RaggedGrid kUnderASurface{{17, 19, 23}, 4, true};

template <class Real, Flaw kFlaw>
Verdict against_reference() {
  return verify_on<Real>(kGrid, {&flawed_variant<kFlaw>(), 0}, Decomposition::seven, 7);
}

template <class Real, Flaw kFlaw>
Verdict against_naive() {
  Setup setup;
  setup.n = kGrid.n;
  setup.pml_cells = kGrid.pml_cells;
  Solver<Real> solver(setup);
  solver.set_velocity(2000);
  Field<Real> next("next", setup.n, kR);
  Field<Real> phi("phi", setup.n, kR);
  return verify_against_naive(solver, {&flawed_variant<kFlaw>(), 0},
                              all_variants().find("acoustic/naive"), next, phi);
}

template <class Real>
class CheckCanFail : public test::PrecisionTest<Real> {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CheckCanFail, Reals);

TYPED_TEST(CheckCanFail, NoFlawIsFoundWhereThereIsNone) {
  const Verdict small = against_reference<TypeParam, Flaw::none>();
  EXPECT_TRUE(small.ok) << small.reason;
  const Verdict at_size = against_naive<TypeParam, Flaw::none>();
  EXPECT_TRUE(at_size.ok) << at_size.reason;
  EXPECT_EQ(at_size.worst, 0) << "the same sums as naive's";
}

template <class Real, Flaw kFlaw>
void expect_found() {
  const Verdict small = against_reference<Real, kFlaw>();
  EXPECT_FALSE(small.ok);
  EXPECT_GT(small.worst, 1);
  EXPECT_FALSE(small.reason.empty());
  const Verdict at_size = against_naive<Real, kFlaw>();
  EXPECT_FALSE(at_size.ok);
  EXPECT_GT(at_size.worst, 1);
  EXPECT_FALSE(at_size.reason.empty());
}

TYPED_TEST(CheckCanFail, TermLeftOut) { expect_found<TypeParam, Flaw::outermost_y_neighbours>(); }

TYPED_TEST(CheckCanFail, RowSkipped) { expect_found<TypeParam, Flaw::last_row>(); }

TYPED_TEST(CheckCanFail, PhiNotUpdated) { expect_found<TypeParam, Flaw::stale_phi>(); }

TYPED_TEST(CheckCanFail, SmallError) { expect_found<TypeParam, Flaw::vp_off_by_1e_5>(); }

TYPED_TEST(CheckCanFail, LayerWithoutDamping) { expect_found<TypeParam, Flaw::no_damping>(); }

TYPED_TEST(CheckCanFail, NoImageAboveAFreeSurface) {
  const auto on = [](const RaggedGrid& grid, const AcousticVariant& variant) {
    return verify_on<TypeParam>(grid, {&variant, 0}, Decomposition::seven, 7);
  };
  EXPECT_TRUE(on(kUnderASurface, flawed_variant<Flaw::none>()).ok);
  const Verdict found = on(kUnderASurface, flawed_variant<Flaw::no_image>());
  EXPECT_FALSE(found.ok);
  EXPECT_GT(found.worst, 1);
  EXPECT_TRUE(on(kGrid, flawed_variant<Flaw::no_image>()).ok) << "elsewhere it is no flaw";
}

TYPED_TEST(CheckCanFail, WriteOutsideTheGrid) {
  // Only the comparison with the reference looks at the halo.
  const Verdict small = against_reference<TypeParam, Flaw::writes_halo>();
  EXPECT_FALSE(small.ok);
  EXPECT_NE(small.reason.find("x = -1"), std::string::npos) << small.reason;
}

}  // namespace
}  // namespace tessera::acoustic
