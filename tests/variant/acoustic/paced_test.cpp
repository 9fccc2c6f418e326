// SPDX-License-Identifier: Apache-2.0
// Where a grid has more tiles than teams run at the same time, streaming variants pace them, and
// their teams meet other kernels' on the device: they come to their end, with naive's results.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/device/native_launch.hpp"
#include "fixtures/acoustic_run.hpp"
#include "variants/acoustic/case/verify.hpp"

namespace tessera::acoustic {
namespace {

template <class Real>
class PacedTeams : public AcousticTest<Real> {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PacedTeams, Precisions);

/// 650 x 442 tiles the inner region in at least 6 x 27 tiles; a host has as many threads as it has.
Extents grid() { return kOnDevice ? Extents{60, 442, 650} : Extents{33, 90, 130}; }

template <class Real>
void expect_naives_results(Decomposition kind, int layer) {
  Setup setup;
  setup.n = grid();
  setup.pml_cells = layer;
  setup.decomposition = kind;
  setup.h = {20, 25, 15};
  Solver<Real> solver(setup);
  solver.set_velocity(2500);
  Field<Real> next("spare_next", setup.n, kR), phi("spare_phi", setup.n, kR);
  const Variant& naive = all_variants().find("acoustic/naive");
  int paced = 0, checked = 0;
  for (const Selected& how : all_variants().select({"acoustic/st_async", "acoustic/two_step"})) {
    SCOPED_TRACE(how.full_name());
    const auto plan_of = [&](const Region& r) {
      return how.variant->plan(how.configuration, r, {"acoustic/iso25", sizeof(Real)});
    };
    const auto& regions = solver.regions();
    if (!std::all_of(regions.begin(), regions.end(),
                     [&](const Region& r) { return plan_of(r).supported(); }))
      continue;
    solver.reserve_passes(how);
    const Plan inner = plan_of(regions.front());
    const std::string& text = how.variant->configurations[how.configuration].text;
    if (kOnDevice && (text.find("paced") != std::string::npos || inner.temporal_depth > 1)) {
      EXPECT_GE(inner.league, multiprocessors()) << "too small a grid to keep teams together";
      EXPECT_LE(inner.planes_per_thread, setup.n.nz) << "streams are chunks";
      ++paced;
    }
    for (int again = 0; again < 3; ++again) {
      const Verdict verdict = verify_against_naive(solver, how, naive, next, phi);
      EXPECT_TRUE(verdict.ok) << verdict.reason;
    }
    ++checked;
  }
  EXPECT_GT(checked, 0);
  EXPECT_EQ(paced > 0, kOnDevice) << "hosts do not pace";
}

TYPED_TEST(PacedTeams, AgreeWithNaiveBesideOtherRegions) {
  expect_naives_results<TypeParam>(Decomposition::seven_concurrent, 5);
}

TYPED_TEST(PacedTeams, AgreeWithNaiveRegionByRegion) {
  expect_naives_results<TypeParam>(Decomposition::seven, 5);
}

TYPED_TEST(PacedTeams, AgreeWithNaiveWithoutLayers) {
  expect_naives_results<TypeParam>(Decomposition::seven, 0);
}

}  // namespace
}  // namespace tessera::acoustic
