// SPDX-License-Identifier: Apache-2.0
// vp in 16 bits (acoustic.vp_storage): by its index the same field to the bit, a refusal of models
// with too many velocities; in steps rounded to half of one; variants that read vp itself refuse
// both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/grid/transfer.hpp"
#include "fixtures/acoustic_run.hpp"

namespace tessera::acoustic {
namespace {

template <class Real>
class VpIndex : public AcousticTest<Real> {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(VpIndex, Precisions);

Setup setup_of(const Extents& n, VpStorage storage) {
  Setup setup;
  setup.n = n;
  setup.pml_cells = 4;
  setup.vp_storage = storage;
  return setup;
}

/// As many velocities as are asked for, in [1500, 4500) m/s, cell by cell; the last one for the
/// rest.
template <class Real>
void set_velocities(Solver<Real>& solver, int count) {
  const Extents n = solver.setup().n;
  solver.set_velocity([&](int z, int y, int x) {
    const auto cell = static_cast<int>(n.index(z, y, x));
    return 1500 + 3000.0 * std::min(cell, count - 1) / count;
  });
}

constexpr int kMost = 65535;
constexpr Extents kLarge{41, 41, 41};  // 68,921 cells

TYPED_TEST(VpIndex, TakesAsManyVelocitiesAsAnIndexTellsApart) {
  Solver<TypeParam> solver(setup_of(kLarge, VpStorage::index));
  set_velocities(solver, kMost);
  EXPECT_EQ(solver.fields().vp_count, kMost + 1);  // and zero, outside the grid
}

TYPED_TEST(VpIndex, RefusesOneMoreWithTheReason) {
  Solver<TypeParam> solver(setup_of(kLarge, VpStorage::index));
  try {
    set_velocities(solver, kMost + 1);
    FAIL() << "65,537 velocities in 16 bits";
  } catch (const Error& e) {
    const std::string said = e.what();
    for (const char* part : {"acoustic.vp_storage", "65535", "\"field\""})
      EXPECT_NE(said.find(part), std::string::npos) << said;
  }
  Solver<TypeParam> field(setup_of(kLarge, VpStorage::field));
  EXPECT_NO_THROW(set_velocities(field, kMost + 1));
}

/// u after five steps from random data.
template <class Real>
std::vector<Real> field_after(VpStorage storage, Decomposition kind, int velocities,
                              const Selected& how) {
  Solver<Real> solver(setup_of({31, 37, 45}, storage));
  solver.set_decomposition(kind);
  set_velocities(solver, velocities);
  solver.set_random(5);
  const ExecSpace exec;
  for (int step = 0; step < 5; ++step) {
    solver.update(exec, how);
    solver.advance();
  }
  exec.fence();
  return to_host(solver.u());
}

TYPED_TEST(VpIndex, GivesTheFieldsResultsToTheBit) {
  int checked = 0;
  for (const Selected& how : all_variants().select({"acoustic/st_async", "acoustic/two_step"})) {
    const Solver<TypeParam> solver(setup_of({31, 37, 45}, VpStorage::index));
    const Problem problem{"acoustic/iso25", sizeof(TypeParam)};
    for (const Decomposition kind : {Decomposition::single, Decomposition::seven}) {
      const auto regions = decompose({31, 37, 45}, 4, kind);
      if (!std::all_of(regions.begin(), regions.end(), [&](const Region& r) {
            return how.variant->plan(how.configuration, r, problem).supported();
          }))
        continue;
      SCOPED_TRACE(how.full_name() + " " + std::string(to_string(kind)));
      // A table that fits scratch on a device, and one that does not.
      for (const int velocities : {300, 5000}) {
        const auto wanted = field_after<TypeParam>(VpStorage::field, kind, velocities, how);
        EXPECT_TRUE(field_after<TypeParam>(VpStorage::index, kind, velocities, how) == wanted);
        // Another model gives another field.
        EXPECT_FALSE(field_after<TypeParam>(VpStorage::index, kind, velocities - 1, how) == wanted);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 0);
}

TYPED_TEST(VpIndex, RoundsToEqualSteps) {
  const Setup field = setup_of({31, 37, 45}, VpStorage::field);
  Solver<TypeParam> exact(field), rounded(setup_of(field.n, VpStorage::linear));
  set_velocities(exact, 5000);
  set_velocities(rounded, 5000);
  const auto wanted = to_host(exact.vp_values()), got = to_host(rounded.vp_values());
  const auto largest = std::max_element(wanted.begin(), wanted.end());
  const double step = static_cast<double>(*largest) / 65535;
  double worst = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - wanted[i]));
  const double unit = *largest * 0x1p-23;  // steps are floats
  EXPECT_LE(worst, step / 2 + 2 * unit);
  EXPECT_GT(worst, step / 4);
}

TEST(VpIndexPlans, AVariantThatReadsTheFieldSaysSo) {
  Problem problem{"acoustic/iso25", sizeof(float)};
  int refused = 0;
  for (const Selected& how : all_variants().select({"acoustic/*"})) {
    const auto& variant = how.as<AcousticVariant>();
    const Region region = variant.examples(problem.stencil).front();
    if (!variant.plan(how.configuration, region, problem).supported()) continue;
    const auto expect = [&](const Problem& of, bool reads) {
      const Plan plan = variant.plan(how.configuration, region, of);
      EXPECT_EQ(plan.supported(), reads) << how.full_name();
      if (reads) return;
      EXPECT_NE(plan.unsupported.find("acoustic.vp_storage = \"field\""), std::string::npos)
          << how.full_name() << ": " << plan.unsupported;
      ++refused;
    };
    Problem by_index = problem, in_steps = problem;
    by_index.vp_beside = VpStorage::index;
    in_steps.vp_beside = VpStorage::linear;
    expect(by_index, variant.reads_vp_index);
    expect(in_steps, variant.reads_vp_steps);
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace tessera::acoustic
