// SPDX-License-Identifier: Apache-2.0
// A shot whose variant makes several steps at once records what one records that makes one: sources
// and receivers at every step, any number of steps, snapshots between, the layers with the rest or
// step by step.
#include "fixtures/acoustic_run.hpp"
#include "fixtures/plain_pair.hpp"
#include "fixtures/shot_run.hpp"

namespace tessera::acoustic::passes_test {
namespace {

std::string deck_of(int layer, int steps, const char* decomposition, bool free_surface = false) {
  const int nx = 44 + 2 * layer, ny = 37 + 2 * layer, nz = 33 + 2 * layer;
  return fmt::format(
      "[case]\nnx = {}\nny = {}\nnz = {}\nsteps = {}\nprecision = \"double\"\n"
      "[acoustic]\nh = [10, 12, 9]\npml_cells = {}\nf_max = 40\ndecomposition = \"{}\"\n"
      "free_surface = {}\n"
      "[model]\nkind = \"random\"\nv_min = 1500\nv_max = 4500\nseed = 7\n"
      // In the middle of the box, between cells; at its edge; two cells outside it.
      "[[source]]\nx = 200\ny = 200\nz = 150\nf_peak = 16\n"
      "[[source]]\nx = 120\ny = 48\nz = 36\nf_peak = 20\n"
      "[[source]]\nx = 250\ny = 24\nz = 180\nf_peak = 12\n"
      "[[receivers]]\nstart = [100, 120, 90]\nend = [400, 408, 252]\ncount = 7\n"
      "[[receivers]]\nstart = [0, 24, 0]\nend = [320, 24, 0]\ncount = 5\n",
      nx, ny, nz, steps, layer, decomposition, free_surface);
}

using ShotPairs = AcousticTest<double>;

/// Two steps at once by each of these record what single steps of naive do.
void expect_same_traces(const std::vector<Selected>& pairs, const std::string& deck, int steps,
                        bool in_pairs) {
  const Selected singles{&all_variants().find("acoustic/naive"), 0};
  const Traces wanted = run_deck(deck, &singles);
  for (const Selected& how : pairs) {
    SCOPED_TRACE(how.full_name());
    const Traces got = run_deck(deck, &how);
    EXPECT_EQ(got.steps_of_pass > 1, in_pairs);
    ASSERT_EQ(got.u.size(), wanted.u.size());
    for (std::size_t r = 0; r < wanted.u.size(); ++r) {
      ASSERT_EQ(got.u[r].size(), static_cast<std::size_t>(steps));
      if (got.u[r] == wanted.u[r]) continue;  // on a free surface all zeros
      EXPECT_LT(relative_difference(got.u[r], wanted.u[r]), 1e-12) << "receiver " << r;
    }
  }
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

/// acoustic/two_step, its configurations that this device can run in double precision.
void expect_same_traces(const std::string& deck, int steps, bool in_pairs = true) {
  const Problem problem{"acoustic/iso25", sizeof(double)};
  std::vector<Selected> pairs;
  for (const Selected& how : all_variants().select({"acoustic/two_step"})) {
    const Region region = how.variant->examples(problem.stencil).front();
    const Plan plan = how.variant->plan(how.configuration, region, problem);
    if (plan.supported()) pairs.push_back(how);
  }
  constexpr std::int64_t kEnough = 220 * 1024;  // of scratch, for each of them
  EXPECT_TRUE(!pairs.empty() || problem.machine.native_scratch_bytes < kEnough);
  expect_same_traces(pairs, deck, steps, in_pairs);
}

#else

/// Plain loops on the host.
void expect_same_traces(const std::string& deck, int steps, bool in_pairs = true) {
  const PlainPairVariant variant;
  expect_same_traces({{&variant, 0}}, deck, steps, in_pairs);
}

#endif

TEST_F(ShotPairs, RecordTheSameTraces) { expect_same_traces(deck_of(5, 101, "seven"), 101); }

TEST_F(ShotPairs, OnRegionsAtTheSameTime) {
  expect_same_traces(deck_of(6, 60, "seven_concurrent"), 60);
}

TEST_F(ShotPairs, WithoutLayers) {
  std::string deck = deck_of(0, 41, "seven");
  expect_same_traces(deck, 41);
  // Whole vectors: the pass takes all of the grid.
  expect_same_traces(deck.replace(deck.find("nx = 44"), 7, "nx = 48"), 41);
}

TEST_F(ShotPairs, UnderAFreeSurface) {
  expect_same_traces(deck_of(5, 41, "seven", true), 41);
  expect_same_traces(deck_of(0, 41, "seven", true), 41);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

TEST_F(ShotPairs, AreNotMadeWhereTheLayersAreNotApart) {
  expect_same_traces(deck_of(5, 20, "single"), 20, false);
}

using ShotPasses = AcousticTest<double>;

/// acoustic/skewed in each of its depths: equal to the bit.
void expect_equal_traces(const std::string& deck, bool in_passes = true) {
  const Selected singles{&all_variants().find("acoustic/naive"), 0};
  const Traces wanted = run_deck(deck, &singles);
  for (const Selected& passes : all_variants().select({"acoustic/skewed"})) {
    const Traces got = run_deck(deck, &passes);
    EXPECT_TRUE(got.u == wanted.u) << passes.full_name();
    EXPECT_EQ(got.steps_of_pass > 1, in_passes) << passes.full_name();
  }
}

TEST_F(ShotPasses, RecordEqualTraces) { expect_equal_traces(deck_of(5, 101, "single")); }

TEST_F(ShotPasses, OfPlacesAtCells) {
  expect_equal_traces(deck_of(5, 41, "single") + "[shot]\ninterpolation = \"nearest\"\n");
}

TEST_F(ShotPasses, WithoutLayers) { expect_equal_traces(deck_of(0, 43, "single")); }

TEST_F(ShotPasses, EndAtSnapshots) {
  expect_equal_traces(deck_of(5, 60, "single") + "[snapshots]\nevery = 7\nstride = 8\n");
}

TEST_F(ShotPasses, AreOfOneStepWithReceiversBetweenCells) {
  expect_equal_traces(deck_of(5, 20, "single") + "[[receivers]]\nstart = [101, 120, 90]\n", false);
}

TEST_F(ShotPasses, AreOfOneStepUnderAFreeSurface) {
  expect_equal_traces(deck_of(5, 20, "single", true), false);
}

#endif

TEST_F(ShotPairs, ALostSourceWouldShow) {
  // The tests above can fail: a shot whose third source is 1 % weaker is another shot, by a
  // thousand times what they allow.
  const Selected singles{&all_variants().find("acoustic/naive"), 0};
  const std::string deck = deck_of(5, 101, "seven");
  const Traces wanted = run_deck(deck, &singles);
  const Traces weaker = run_deck(
      std::string(deck).replace(deck.find("f_peak = 12"), 11, "f_peak = 12\namplitude = 0.99"),
      &singles);
  EXPECT_GT(relative_difference(weaker.u[0], wanted.u[0]), 1e-9);
}

}  // namespace
}  // namespace tessera::acoustic::passes_test
