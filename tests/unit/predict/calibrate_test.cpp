// SPDX-License-Identifier: Apache-2.0
// Calibration finds the constants that made its runs, keeps the residual, and says when it cannot.
#include "program/predict/calibrate.hpp"

#include "base/support/error.hpp"
#include "fixtures/paths.hpp"
#include "program/predict/default_constants.hpp"
#include "program/predict/machine_model.hpp"
#include "program/results/machine_file.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::model {
namespace {

MachineModel h100() {
  MachineModel target = machine_model_of(machine::read_machine(
      std::string(tessera::source_directory()) + "/inputs/machines/H100.json"));
  target.constants = constants_of_machine("A100");  // the traffic model's
  return target;
}

/// Runs as they would be on `target`: block shapes and chunks on 512^3.
std::vector<MeasuredRun> runs_on(const MachineModel& target, bool counted) {
  std::vector<MeasuredRun> runs;
  for (const std::int64_t by : {1, 2, 4, 8, 16, 32}) {
    for (const int chunk : {1, 2, 4, 8, 16, 32, 64}) {
      MeasuredRun run;
      Kernel& k = run.kernel;
      k.grid = {512, 512, 512};
      k.tile = {32, by, chunk};
      k.team = static_cast<int>(32 * by);
      k.chunk = chunk;
      k.loads = 5 + 2.0 / chunk;
      k.misaligned = 2;
      k.stores = 1;
      k.registers = 48;
      k.arrays = {{"u", {1, 1, 1}}, {"next", {0, 0, 0}, false, true}};
      const RefinedPrediction p = predict_refined(k, target);
      run.seconds = p.step_s;
      if (counted) {
        run.counted_gm = p.counted_gm;
        run.counted_l2 = predict_by_paper(k, target).volume.l2;
      }
      runs.push_back(run);
    }
  }
  return runs;
}

TEST(Calibrate, FindsTheConstantsOfItsRuns) {
  MachineModel truth = h100();
  truth.constants.l2_share = 0.3;
  truth.constants.dirty_share = 0.15;
  truth.constants.delta = 0.004;
  truth.constants.overlap = 4;
  truth.constants.team_ns = 120;
  truth.constants.plane_us = 1.1;
  const machine::ModelConstants found = calibrate(h100(), runs_on(truth, true));
  EXPECT_NEAR(*found.l2_share, 0.3, 0.02);
  EXPECT_NEAR(*found.dirty_share, 0.15, 0.02);
  EXPECT_NEAR(*found.delta, 0.004, 0.0005);
  EXPECT_NEAR(*found.team_ns, 120, 10);
  EXPECT_LT(*found.time_residual, 0.03);
  EXPECT_LT(*found.volume_residual, 0.01);
  EXPECT_EQ(*found.runs, 42);
}

TEST(Calibrate, TimesAloneLeaveVolumesAlone) {
  const machine::ModelConstants found = calibrate(h100(), runs_on(h100(), false));
  const machine::ModelConstants before = constants_of_machine("A100");
  EXPECT_EQ(found.delta, before.delta);
  EXPECT_EQ(found.l2_share, before.l2_share);
  EXPECT_FALSE(found.volume_residual.has_value());
  EXPECT_LT(*found.time_residual, 0.03);
}

TEST(Calibrate, WantsRuns) { EXPECT_THROW((void)calibrate(h100(), {}), Error); }

}  // namespace
}  // namespace tessera::model
