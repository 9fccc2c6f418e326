// SPDX-License-Identifier: Apache-2.0
// Constants that runs were made with are found again, from one half of them.
#include "program/predict/fit_constants.hpp"

#include "base/support/error.hpp"
#include "fixtures/machines.hpp"
#include "program/predict/kernel.hpp"

#include <gtest/gtest.h>

namespace tessera::model {
namespace {

machine::ModelConstants of_an_h100() { return constants_of_machine("H100"); }

/// Streams that wait, as a machine with `constants` would run them.
std::vector<FamilyRun> made_with(const machine::ModelConstants& constants) {
  MachineModel machine = test::shipped_model("H100");
  std::vector<FamilyRun> runs;
  for (int i = 0; i < 24; ++i) {
    Kernel k;
    k.grid = {512, 512, 512};
    k.tile = {32, 4 << (i % 3), 512 >> (i % 4)};
    k.chunk = static_cast<int>(k.tile.z);
    k.team = 32 * (4 << (i % 3));
    k.value_bytes = 4;
    k.loads = 3;
    k.stores = 1;
    k.walk.trips = 1 + i / 2 % 2;  // in both halves
    k.walk.barriers = i % 5;
    k.arrays = {{"u", {4, 4, 4}}, {"next", {0, 0, 0}, false, true}};
    machine.constants = constants;
    runs.push_back({i % 3 == 0 ? "one" : "other", i % 2 == 0, {k}, 0, {}, {}, machine});
    runs.back().seconds = predict_launch(k, machine).total_s;
  }
  return runs;
}

TEST(FitConstants, FindsWhatRunsWereMadeWith) {
  machine::ModelConstants truth = of_an_h100();
  truth.trip_cycles = 1200;
  truth.barrier_cycles = 80;
  const auto runs = made_with(truth);
  const machine::ModelConstants start = of_an_h100();
  const double before = mean_error(runs, start, false);
  const machine::ModelConstants found = fit_constants(runs, start);
  EXPECT_GT(before, 0.05);
  EXPECT_LT(mean_error(runs, found, false), 0.2 * before);  // of the half that was not fitted
  EXPECT_NEAR(*found.time_residual, mean_error(runs, found, false), 5e-4);
  EXPECT_EQ(*found.runs, 24);
  // Deterministic.
  EXPECT_EQ(*fit_constants(runs, start).trip_cycles, *found.trip_cycles);
}

TEST(FitConstants, FindsSusConstantsByCountedVolumes) {
  machine::ModelConstants truth = of_an_h100();
  truth.delta = 0.004, truth.epsilon = 0.3;
  auto runs = made_with(truth);
  for (FamilyRun& run : runs) {
    Kernel& k = run.kernels.front();
    k.tile.z = k.chunk = 1;  // (8) holds
    k.registers = 48;
    const PaperPrediction p = predict_by_paper(k, run.machine);
    run.counted_l2 = p.volume.l2;
    run.counted_gm = p.volume.gm;
  }
  const machine::ModelConstants found = fit_constants(runs, of_an_h100());
  EXPECT_NEAR(*found.delta, 0.004, 0.0005);
  EXPECT_NEAR(*found.epsilon, 0.3, 0.03);
  EXPECT_EQ(found.eta, of_an_h100().eta) << "no run of (17)";
}

TEST(FitConstants, FamiliesWeighTheSame) {
  auto runs = made_with(of_an_h100());
  for (FamilyRun& run : runs) {
    if (run.family == "one") run.seconds *= 2;
  }
  // log 2 in one of two families, whatever their rows.
  EXPECT_NEAR(mean_error(runs, of_an_h100(), true), std::log(2.0) / 2, 1e-9);
}

TEST(FitConstants, FewRowsAndUnknownMachinesAreRefused) {
  EXPECT_THROW(static_cast<void>(predict_launch({}, {})), Error);
  auto runs = made_with(of_an_h100());
  runs.resize(3);
  EXPECT_THROW(static_cast<void>(fit_constants(runs, of_an_h100())), Error);
}

}  // namespace
}  // namespace tessera::model
