// SPDX-License-Identifier: Apache-2.0
// Convolutional layers (acoustic.layers): with every variant within the bound of the reference,
// what plans say of them, and which variants and decompositions have none.
#include <gtest/gtest.h>

#include "fixtures/acoustic_run.hpp"
#include "fixtures/scratch_directory.hpp"
#include "variants/acoustic/case/verify.hpp"

namespace tessera::acoustic::convolutional_test {
namespace {

using test::has;

Problem problem_of(int value_bytes) {
  Problem problem{"acoustic/iso25", value_bytes};
  problem.convolutional_layers = true;
  return problem;
}

template <class Real>
class Convolutional : public AcousticTest<Real> {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Convolutional, Precisions);

TYPED_TEST(Convolutional, EveryVariantIsWithinTheBoundOfTheReference) {
  const Problem problem = problem_of(sizeof(TypeParam));
  int verified = 0;
  for (const char* name : {"naive", "jam", "st_async", "gmem", "st_reg_fixed", "naive_simd"}) {
    for (const Selected& how : all_variants().select({std::string("acoustic/") + name})) {
      const Region region{"pml", Update::pml, {0, 5, 0, 53, 0, 61}, {}};
      if (!how.variant->plan(how.configuration, region, problem).supported()) continue;
      for (const Decomposition kind : {Decomposition::single, Decomposition::seven}) {
        for (const RaggedGrid& grid : ragged_grids()) {
          if (kind == Decomposition::single && grid.n.nz > 20) continue;
          const Verdict verdict =
              verify_on<TypeParam>(grid, how, kind, 7, {}, LayerKind::convolutional);
          EXPECT_TRUE(verdict.ok) << how.full_name() << ": " << verdict.reason;
        }
      }
      ++verified;
      break;  // the layers are the same launch for all of a variant's tiles
    }
  }
  EXPECT_GE(verified, 3);
}

TEST(ConvolutionalInAFormat, EveryFormatOfSingleValuesIsWithinItsBound) {
  for (const Storage storage :
       {Storage::half, Storage::half_difference, Storage::bhalf, Storage::float24}) {
    Problem problem = problem_of(4);
    problem.storage = storage;
    int verified = 0;
    for (const char* name : {"naive", "gmem", "jam", "st_async", "st_bulk"}) {
      for (const Selected& how : all_variants().select({std::string("acoustic/") + name})) {
        const Region face{"pml", Update::pml, {0, 5, 0, 53, 0, 61}, {}};
        if (!how.variant->plan(how.configuration, face, problem).supported()) continue;
        for (const Decomposition kind : {Decomposition::single, Decomposition::seven}) {
          const Verdict verdict =
              verify_on<float>({{29, 35, 43}, 4, true}, how, kind, 7, {VpStorage::field, storage},
                               LayerKind::convolutional);
          EXPECT_TRUE(verdict.ok) << how.full_name() << ": " << verdict.reason;
        }
        ++verified;
        break;
      }
    }
    EXPECT_GE(verified, kFewConfigurations && storage != Storage::half ? 1 : 3)
        << to_string(storage);
  }
}

TEST(ConvolutionalInAFormat, AFieldSetToZeroStaysZero) {
  acoustic::Setup setup;
  setup.n = {20, 22, 24};
  setup.pml_cells = 4;
  setup.layer_kind = LayerKind::convolutional;
  setup.storage = Storage::half;
  Solver<float> solver(setup);
  solver.set_velocity(2000);
  const Selected naive = all_variants().select({"acoustic/naive"}).front();
  const auto steps = [&](int count) {
    for (int step = 0; step < count; ++step) {
      solver.update(ExecSpace(), naive);
      solver.advance();
    }
    ExecSpace().fence();
  };
  solver.set_random(3);
  steps(2);  // the layers remember
  solver.set_zero();
  steps(3);
  const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), solver.u_values().view());
  for (std::size_t i = 0; i < u.size(); ++i) ASSERT_EQ(u.data()[i], 0) << i;
}

TEST(ConvolutionalInAFormat, BlocksAreForThePapersLayers) {
  Problem problem = problem_of(4);
  problem.storage = Storage::block16;
  const Selected naive = all_variants().select({"acoustic/naive"}).front();
  const Plan plan = naive.variant->plan(
      naive.configuration, {"inner", Update::inner, {0, 10, 0, 64, 0, 64}, {}}, problem);
  EXPECT_TRUE(has(plan.unsupported, "acoustic.layers")) << plan.unsupported;
}

TEST(ConvolutionalInAFormat, MovesItsShare) {
  const Selected naive = all_variants().select({"acoustic/naive"}).front();
  const Region face{"top", Update::pml, {0, 10, 0, 64, 0, 64}, {}};
  Problem problem = problem_of(4);
  problem.storage = Storage::half;  // 8 B and, of the layers, u and u+ twice 2 B, vp 2 B, 16 B
  EXPECT_EQ(naive.variant->plan(naive.configuration, face, problem).moved_elements, 2 + 6);
  EXPECT_EQ(naive.variant->plan(naive.configuration, face, problem).minimal_elements, 12);
  problem.storage = Storage::half_difference;  // 10 B; u, u+, the difference twice, vp, 16 B
  EXPECT_EQ(naive.variant->plan(naive.configuration, face, problem).moved_elements, 2.5 + 6.5);
}

TEST(ConvolutionalInAFormat, BoundOfABetterFormatFails) {
  const Selected naive = all_variants().select({"acoustic/naive"}).front();
  const Kept kept{VpStorage::field, Storage::bhalf, Storage::half};
  EXPECT_FALSE(verify_on<float>({{29, 35, 43}, 4}, naive, Decomposition::seven, 7, kept,
                                LayerKind::convolutional)
                   .ok);
}

TEST(ConvolutionalPlan, CountsTheLayersOwnLaunch) {
  const Selected naive = all_variants().select({"acoustic/naive"}).front();
  const Region face{"top", Update::pml, {0, 10, 0, 64, 0, 64}, {}};
  const Plan plan = naive.variant->plan(naive.configuration, face, problem_of(4));
  EXPECT_EQ(plan.minimal_elements, 12);  // 48 B a cell in float: 16 and 32
  EXPECT_EQ(plan.moved_elements, 12);
  const Region inner{"inner", Update::inner, {0, 10, 0, 64, 0, 64}, {}};
  EXPECT_EQ(naive.variant->plan(naive.configuration, inner, problem_of(4)).minimal_elements, 4);
  const Region shell{"shell", Update::shell, {0, 64, 0, 64, 0, 64}, {9, 55, 9, 55, 9, 55}};
  const Plan none = naive.variant->plan(naive.configuration, shell, problem_of(4));
  EXPECT_TRUE(has(none.unsupported, "acoustic.decomposition"));
  const char* several = kOnDevice ? "acoustic/two_step" : "acoustic/skewed";
  const Plan pass = all_variants().find(several).plan(0, face, problem_of(4));
  EXPECT_TRUE(has(pass.unsupported, "acoustic.layers")) << pass.unsupported;
}

TEST(ConvolutionalPlan, MemoryIsSlabsInPlaceOfEta) {
  acoustic::Setup setup;
  setup.n = {200, 200, 200};
  setup.pml_cells = 10;
  const std::int64_t paper = Solver<float>::memory_bytes(setup);
  setup.layer_kind = LayerKind::convolutional;
  const std::int64_t field = field_bytes(setup.n, kR, 4);
  const std::int64_t slabs = Solver<float>::memory_bytes(setup) - 4 * field;
  EXPECT_EQ(paper, 5 * field);
  // Three arrays an axis of 2 x 10 + 2 columns, and what rows are padded to.
  EXPECT_GT(slabs, 3 * 3 * 4 * std::int64_t{22} * 200 * 200);
  EXPECT_LT(slabs, 2 * field);
}

}  // namespace
}  // namespace tessera::acoustic::convolutional_test
