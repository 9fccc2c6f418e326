// SPDX-License-Identifier: Apache-2.0
// A shot that goes on from a checkpoint records, to the bit, what one does that never stopped, also
// where its variant makes several steps at once.
#include "fixtures/acoustic_run.hpp"
#include "fixtures/plain_pair.hpp"
#include "fixtures/scratch_directory.hpp"
#include "fixtures/shot_run.hpp"
#include "program/seismic/model_files.hpp"
#include "program/shot/files.hpp"

namespace tessera::acoustic::restart_test {
namespace {

std::string deck_of(const char* decomposition, int every, int steps = 61, const char* shot = "") {
  return fmt::format(
      "[case]\nnx = 43\nny = 38\nnz = 35\nsteps = {}\nprecision = \"double\"\n"
      "[acoustic]\nh = [10, 12, 9]\npml_cells = 5\nf_max = 40\nfree_surface = true\n"
      "decomposition = \"{}\"\n[shot]\ncheckpoint_every = {}\n{}"
      "[model]\nkind = \"random\"\nv_min = 1500\nv_max = 4500\nseed = 7\n"
      "[[source]]\nx = 153\ny = 201\nz = 77\nf_peak = 16\n"
      "[[receivers]]\nstart = [100, 120, 90]\nend = [250, 300, 200]\ncount = 7\n",
      steps, decomposition, every, shot);
}

struct Run {
  std::vector<double> samples;
  std::int64_t first = 0;
};

/// Runs the deck's shot, from the directory's checkpoint if it has one, and stops after `stop`
/// steps or a few more.
Run run(const std::string& text, const Selected& how, const std::filesystem::path& folder,
        std::int64_t stop) {
  const io::Deck deck = io::Deck::from_string(text);
  shot::ShotCase shot = shot::read_shot(deck, all_variants());
  shot.how = how;
  shot::load_velocity(deck, shot);
  shot::ShotCheckpoints checkpoints(shot, folder);
  shot::Shot<double> made(shot);
  Run run;
  run.first = checkpoints.first_step();
  if (run.first > 0) checkpoints.restore(made.solver());
  const std::size_t receivers = shot.receivers.size();
  std::int64_t done = run.first;
  shot::ShotSinks<double> sinks;
  sinks.gather = [&](const double* samples, std::int64_t steps) {
    const std::size_t count = static_cast<std::size_t>(steps) * receivers;
    run.samples.insert(run.samples.end(), samples, samples + count);
    const std::vector<float> stored(samples, samples + count);
    checkpoints.record(stored.data(), stored.size());
  };
  sinks.progress = [&](std::int64_t step) { done = step; };
  sinks.stop = [&] { return done >= stop; };
  sinks.wants_state = [&](std::int64_t step) { return checkpoints.due(step); };
  sinks.state = [&](std::int64_t step) { checkpoints.write(made.solver(), step); };
  const shot::ShotOutcome outcome = made.run(sinks, run.first);
  EXPECT_EQ(outcome.first, run.first);
  EXPECT_NE(outcome.status, shot::ShotOutcome::Status::not_finite) << outcome.reason;
  return run;
}

/// All samples of a shot that is stopped again and again.
std::vector<double> in_parts(const std::string& text, const Selected& how,
                             std::initializer_list<int> stops) {
  const test::ScratchDirectory folder;
  std::vector<double> samples;
  for (const int stop : stops) {
    const Run part = run(text, how, folder.path(), stop);
    EXPECT_EQ(part.first * 7, static_cast<std::int64_t>(samples.size()));
    samples.insert(samples.end(), part.samples.begin(), part.samples.end());
  }
  return samples;
}

class ShotRestart : public AcousticTest<double> {
 protected:
  void SetUp() override {
    AcousticTest<double>::SetUp();
    if (!io::have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  }
};

TEST_F(ShotRestart, RecordsTheSameToTheBit) {
  const Selected naive{&all_variants().find("acoustic/naive"), 0};
  const std::string deck = deck_of("seven", 9);
  const std::vector<double> whole = in_parts(deck, naive, {1000});
  ASSERT_EQ(whole.size(), 61U * 7);
  EXPECT_EQ(in_parts(deck, naive, {1, 20, 47, 1000}), whole);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)  // the pass runs on the host
TEST_F(ShotRestart, OfPairsOfStepsToo) {
  const PlainPairVariant variant;
  const Selected pairs{&variant, 0};
  for (const char* kind : {"seven", "seven_concurrent"}) {
    const std::string deck = deck_of(kind, 5);  // due in the middle of a pair: after it
    EXPECT_EQ(in_parts(deck, pairs, {3, 30, 1000}), in_parts(deck, pairs, {1000})) << kind;
  }
}

TEST_F(ShotRestart, BetweenSnapshotsPairsAreTheSame) {
  const PlainPairVariant variant;
  const Selected pairs{&variant, 0};
  // Snapshots and the ends of what is handed over cut passes: at the same steps in each part.
  const std::string deck = deck_of("seven", 5, 230) + "[snapshots]\nevery = 9\nstride = 8\n";
  EXPECT_EQ(in_parts(deck, pairs, {3, 52, 133, 1000}), in_parts(deck, pairs, {1000}));
}

TEST_F(ShotRestart, OfPassesInPlaceToo) {
  std::string deck = deck_of("single", 7, 61, "interpolation = \"nearest\"\n");
  deck.replace(deck.find("free_surface = true"), 19, "free_surface = false");
  const Selected naive{&all_variants().find("acoustic/naive"), 0};
  const std::vector<double> whole = in_parts(deck, naive, {1000});
  for (const Selected& passes : all_variants().select({"acoustic/skewed"})) {
    EXPECT_EQ(in_parts(deck, passes, {3, 30, 1000}), whole) << passes.full_name();
  }
}
#endif

}  // namespace
}  // namespace tessera::acoustic::restart_test
