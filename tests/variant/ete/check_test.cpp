// SPDX-License-Identifier: Apache-2.0
// The verification of the ete family finds variants that are wrong; and what its tests through the
// registry do not reach: indices of 32 bits, tables that do not fit, labels.
#include <gtest/gtest.h>

#include "base/grid/cell_policy.hpp"
#include "fixtures/bare_facts.hpp"
#include "fixtures/catalogue.hpp"
#include "variants/ete/case/verify.hpp"

namespace tessera::ete {
namespace {

enum class Flaw { none, outermost_diagonal, neighbours_column, plus_p_minus, writes_halo };

template <class Real, class ShapeType, Flaw kFlaw>
struct FlawedKernel {
  Fields<Real> f;
  Box box;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const std::int64_t i = f.offset(z, y, x);
    const Real* p = f.p + i;
    const int beside = kFlaw == Flaw::neighbours_column && x > 0 ? x - 1 : x;
    const int v = f.index[f.index_offset(z, y, beside)];
    const Real* c = f.tables.by_velocity + v * padded_rows<Real>(ShapeType::kRows);
    const Real sum = convolve_rows<ShapeType, 0, ShapeType::kRows>(
        Real(0), [&](auto r) { return c[r]; },
        [&](auto dz, auto dy, auto dx) {
          const bool left_out =
              kFlaw == Flaw::outermost_diagonal && dy != 0 && dx > 0 && dx == ShapeType::kDiagonals;
          return left_out ? Real(0) : p[dz * f.plane + dy * f.row + dx];
        });
    f.next[i] = advanced(sum, kFlaw == Flaw::plus_p_minus ? -f.next[i] : f.next[i]);
    if (kFlaw == Flaw::writes_halo && y == 0) f.next[i - f.row] = Real(1);
  }
};

template <class Real, class ShapeType, Flaw kFlaw>
struct Flawed : test::ThreadACell {
  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    Kokkos::parallel_for("tessera::test::flawed", cells_of(exec, region.box),
                         FlawedKernel<Real, ShapeType, kFlaw>{fields, region.box});
  }
};

template <Flaw kFlaw>
Verdict verdict_of(int points) {
  EteVariant variant(test::bare_facts("flawed"));
  variant.offer({"default", Origin::ours, ""}, [](auto real, auto shape_points) {
    return Flawed<decltype(real), Shape<shape_points()>, kFlaw>{};
  });
  return verify_on<double>({{17, 19, 23}, 31}, points, {&variant, 0}, 7);
}

#if TESSERA_ENABLE_DOUBLE
TEST(EteCheck, FindsFlawsAndNothingElse) {
  for (const int points : {37, 73}) {
    const Verdict right = verdict_of<Flaw::none>(points);
    EXPECT_TRUE(right.ok) << right.reason;
    EXPECT_FALSE(verdict_of<Flaw::outermost_diagonal>(points).ok);
    EXPECT_FALSE(verdict_of<Flaw::neighbours_column>(points).ok);
    EXPECT_FALSE(verdict_of<Flaw::plus_p_minus>(points).ok);
    const Verdict halo = verdict_of<Flaw::writes_halo>(points);
    EXPECT_FALSE(halo.ok);
    EXPECT_NE(halo.reason.find("y = -1"), std::string::npos) << halo.reason;
  }
}
#endif

#if TESSERA_ENABLE_FLOAT
TEST(EteCheck, IndicesOf32BitsAreForBaseSimdOnly) {
  const Problem wide{"ete/37pt", 4, 70000, false};
  const Region region = Solver<float>::whole_grid({13, 9, 11});
  int supported = 0;
  for (const Selected& how : all_variants().select({"ete/*"})) {
    const Plan plan = how.variant->plan(how.configuration, region, wide);
    if (!plan.supported()) continue;
    EXPECT_EQ(how.variant->name, "base_simd");
    EXPECT_EQ(plan.minimal_elements, 4) << "4 bytes of index are an element of 4 bytes";
    const Verdict verdict = verify_on<float>({{13, 9, 11}, 70000}, 37, how, 3);
    EXPECT_TRUE(verdict.ok) << verdict.reason;
    ++supported;
  }
  EXPECT_GT(supported, 0);
}

TEST(EteCheck, IsotropicRowsWantAnIsotropicTable) {
  const Region region = Solver<float>::whole_grid({64, 64, 64});
  int judged = 0;
  for (const Selected& how : all_variants().select({"ete/*"})) {
    const Configuration& configuration = how.variant->configurations[how.configuration];
    if (how.full_name().find("rows=iso") == std::string::npos) continue;
    if (!runs_on(configuration.runs_on, kThisKind)) continue;
    const auto plan = [&](bool isotropic) {
      return how.variant->plan(how.configuration, region, {"ete/73pt", 4, 902, isotropic});
    };
    EXPECT_TRUE(plan(true).supported()) << plan(true).unsupported;
    EXPECT_FALSE(plan(false).supported());
    ++judged;
  }
  if (judged == 0) GTEST_SKIP() << "this build offers no isotropic rows";
}

TEST(EteCheck, PlansCountTheTable) {
  // A table of 17 rows, 902 columns and 20 stored rows a column is what scratch holds twice at
  // most.
  const Region region = Solver<float>::whole_grid({64, 64, 64});
  for (const Selected& how : all_variants().select({"ete/gather_scratch"})) {
    const auto bytes = [&](int columns) {
      return how.variant->plan(how.configuration, region, {"ete/73pt", 4, columns, true})
          .scratch_bytes;
    };
    if (bytes(10) == 0) continue;  // unsupported
    EXPECT_GE(bytes(902) - bytes(10), 892 * 9 * 4) << how.full_name();
    if constexpr (kOnDevice) {
      EXPECT_FALSE(
          how.variant->plan(how.configuration, region, {"ete/73pt", 4, 60000, true}).supported());
    }
  }
}
#endif

}  // namespace
}  // namespace tessera::ete
