// SPDX-License-Identifier: Apache-2.0
// The refined model: its pieces by hand, and the volumes that ncu counted on an H200.
#include "program/predict/machine_model.hpp"

#include "fixtures/machines.hpp"
#include "program/predict/kernel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::model {
namespace {

MachineModel target(const char* name) { return test::shipped_model(name); }

/// One of the low_order kernels on n^3 cells in double.
Kernel kernel(int n, Dims tile, int team, int chunk, double aligned, double misaligned,
              int registers) {
  Kernel k;
  k.grid = {n, n, n};
  k.tile = tile;
  k.team = team;
  k.chunk = chunk;
  k.loads = aligned + misaligned;
  k.misaligned = misaligned;
  k.stores = 1;
  k.registers = registers;
  k.arrays = {{"u", {1, 1, 1}, true, false}, {"next", {0, 0, 0}, false, true}};
  return k;
}

TEST(MachineModelTest, SectorsOfMisalignedLoads) {
  // 32 doubles that straddle lines touch 9 sectors, not 8; 32 floats 5, not 4.
  EXPECT_DOUBLE_EQ(misaligned_factor(target("H100"), 8), 9.0 / 8);
  EXPECT_DOUBLE_EQ(misaligned_factor(target("H100"), 4), 5.0 / 4);
}

TEST(MachineModelTest, LoadsOfABlock) {
  const ArrayUse star{"u", {1, 1, 1}};
  ArrayUse box = star;
  box.edges = true;
  // 32 x 4 x 1, a sector of 4 doubles at either end: 40 4 + 2 32 (1 + 4) = 480.
  EXPECT_DOUBLE_EQ(block_loads(star, {40, 32, 32}, 4, 1), 480);
  // With edges: (4 + 2) rows of 40 in the plane, in each plane beside 4 of 40 and 2 of 32.
  EXPECT_DOUBLE_EQ(block_loads(box, {40, 32, 32}, 4, 1), 6 * 40 + 2 * (4 * 40 + 2 * 32));
  EXPECT_DOUBLE_EQ(block_loads({"gamma", {0, 0, 0}}, {32, 32, 32}, 4, 16), 32 * 4 * 16);
}

TEST(MachineModelTest, LossBeginsWhereTheCacheEnds) {
  EXPECT_EQ(lost_share(0, 100, 6), 0);
  EXPECT_LT(lost_share(50, 100, 6), 0.02);
  EXPECT_DOUBLE_EQ(lost_share(100, 100, 6), 0.5);
  EXPECT_GT(lost_share(200, 100, 6), 0.98);
  EXPECT_GT(lost_share(50, 100, 1), 0.3) << "less steep";
}

/// A tile of the acoustic family in float, in a region that begins at x = `first_x`.
Kernel acoustic(Dims tile, int team, int chunk, int first_x) {
  Kernel k;
  k.grid = {946, 946, 946};
  k.tile = tile;
  k.team = team;
  k.chunk = chunk;
  k.first_x = first_x;
  k.value_bytes = 4;
  k.loads = 27;
  k.misaligned = 8;
  k.stores = 1;
  k.arrays = {{"u", {4, 4, 4}}, {"next", {0, 0, 0}, true, true}, {"vp", {0, 0, 0}}};
  return k;
}

TEST(MachineModelTest, LinesThatAnAccessTouches) {
  const MachineModel v100 = target("V100");  // lines of 32 floats
  const auto lines = [&](Dims tile, int team, int first_x) {
    return lines_a_cell(acoustic(tile, team, 1, first_x), v100);
  };
  EXPECT_DOUBLE_EQ(lines({32, 16, 1}, 512, 0), 1.0 / 32);               // a warp's row, on a line
  EXPECT_DOUBLE_EQ(lines({32, 16, 1}, 512, 27), (1 + 31.0 / 32) / 32);  // nearly always in two
  EXPECT_DOUBLE_EQ(lines({8, 8, 8}, 512, 0), 1.0 / 8);                  // four rows, four lines
  EXPECT_DOUBLE_EQ(lines({8, 8, 8}, 512, 27), (1 + 7.0 / 32) / 8);
  EXPECT_DOUBLE_EQ(lines({1, 32, 32}, 1024, 27), 1);        // a line a thread
  EXPECT_DOUBLE_EQ(lines({128, 8, 1}, 256, 0), 4.0 / 128);  // vectors of four cells
}

TEST(MachineModelTest, NarrowTilesAreBoundByLookups) {
  const MachineModel v100 = target("V100");
  const Kernel narrow = acoustic({1, 32, 32}, 1024, 1, 27);
  const RefinedPrediction p = predict_refined(narrow, v100);
  const double cells = 946.0 * 946 * 946;
  EXPECT_DOUBLE_EQ(p.lookups, cells * 28);
  EXPECT_DOUBLE_EQ(p.seconds.smx, cells * 28 / (0.855 * 80 * 1.53e9));
  EXPECT_EQ(binding_stage(p.seconds), "on-SMX storage");
  // A machine file without the constant counts bytes alone.
  EXPECT_EQ(predict_refined(narrow, target("H100")).lookups, 0);
}

TEST(MachineModelTest, RowsThatBeginOffASectorMoveMore) {
  const MachineModel v100 = target("V100");
  const double cells = 946.0 * 946 * 946;
  const auto l2 = [&](const Kernel& k) { return predict_refined(k, v100).volume.l2 / cells; };
  // Sai et al., Table IV, V100: 57.3 B a cell, PML included, where 27 cells lie before the region.
  EXPECT_NEAR(l2(acoustic({8, 8, 8}, 512, 1, 27)), 57.3, 0.15 * 57.3);
  EXPECT_LT(l2(acoustic({8, 8, 8}, 512, 1, 32)), 0.75 * 57.3);
  // Kernels that begin their tiles on lines do not care.
  Kernel aligned = acoustic({8, 8, 8}, 512, 1, 27);
  aligned.aligned = true;
  EXPECT_DOUBLE_EQ(l2(aligned), l2(acoustic({8, 8, 8}, 512, 1, 32)));
}

TEST(MachineModelTest, WalkersDriftApart) {
  const MachineModel v100 = target("V100");
  Kernel stream = acoustic({8, 8, 946}, 64, 946, 27);
  const RefinedPrediction drifting = predict_refined(stream, v100);
  EXPECT_GT(drifting.reloaded_x, 0.5);
  MachineModel together = v100;
  together.constants.drift_planes = 0;
  const RefinedPrediction paced = predict_refined(stream, together);
  EXPECT_EQ(paced.reloaded_x, 0);
  EXPECT_GT(drifting.volume.gm, 1.5 * paced.volume.gm);
  // Blocks that are done at once have no time to.
  EXPECT_EQ(predict_refined(acoustic({8, 8, 8}, 512, 1, 27), v100).reloaded_x, 0);
}

// Bytes a cell as ncu counted them, 7pt-1 in double.
struct Counted {
  const char* what;
  int n;
  Dims tile;
  int team, chunk;
  double aligned, misaligned;
  int registers;
  double smx_read, l2_read, gm_read;
};

void expect_counted(const MachineModel& target, const std::vector<Counted>& rows) {
  for (const Counted& row : rows) {
    SCOPED_TRACE(std::string(row.what) + " " + std::to_string(row.n));
    const Kernel k =
        kernel(row.n, row.tile, row.team, row.chunk, row.aligned, row.misaligned, row.registers);
    const RefinedPrediction p = predict_refined(k, target);
    const double cells = static_cast<double>(k.grid.product());
    EXPECT_NEAR(p.volume.smx / cells - 8, row.smx_read, 0.005);  // sectors: exact
    EXPECT_NEAR((p.volume.l2 / cells - 8) / row.l2_read, 1, 0.04);
    EXPECT_NEAR(p.volume.gm / cells / (row.gm_read + 8), 1, 0.05);
  }
}

// The same multiprocessors with 60 MiB of L2, by the constants of the traffic model that an H200
// gave: A100's file has them.
TEST(MachineModelTest, VolumesThatAnH200Counted) {
  machine::Machine machine = test::shipped("H100");
  machine.model = constants_of_machine("A100");
  for (auto& cache : machine.caches) {
    if (cache.level == "L2") cache.bytes = 60 * 1024 * 1024;
  }
  expect_counted(
      machine_model_of(machine),
      {
          {"baseline:32x4x1", 512, {32, 4, 1}, 128, 1, 5, 2, 24, 58.00, 29.65, 8.31},
          {"baseline:32x4x4", 512, {32, 4, 4}, 512, 1, 5, 2, 24, 58.00, 17.74, 8.33},
          {"baseline:128x1x1", 512, {128, 1, 1}, 128, 1, 5, 2, 24, 58.00, 39.02, 8.31},
          {"zblock:32x4,chunk=4", 512, {32, 4, 4}, 128, 4, 3.5, 2, 48, 46.00, 17.91, 8.31},
          {"zblock:32x4,chunk=64", 512, {32, 4, 64}, 128, 64, 3.03125, 2, 48, 42.25, 14.25, 8.52},
          {"zblock:32x16,chunk=4", 512, {32, 16, 4}, 512, 4, 3.5, 2, 48, 46.00, 14.90, 8.31},
          {"baseline:32x4x1", 1024, {32, 4, 1}, 128, 1, 5, 2, 24, 58.00, 29.74, 9.72},
          {"baseline:32x4x4", 1024, {32, 4, 4}, 512, 1, 5, 2, 24, 58.00, 17.72, 12.14},
          {"zblock:32x4,chunk=4", 1024, {32, 4, 4}, 128, 4, 3.5, 2, 48, 46.00, 17.91, 12.14},
          {"zblock:64x4,chunk=32", 1024, {64, 4, 32}, 256, 32, 3.0625, 2, 48, 42.50, 13.42, 8.64},
      });
}

// results/nvidia-h100/traffic-model/runs.csv
TEST(MachineModelTest, VolumesThatAnH100Counted) {
  expect_counted(
      target("H100"),
      {
          {"baseline:32x4x1", 512, {32, 4, 1}, 128, 1, 5, 2, 32, 58.00, 29.62, 8.31},
          {"baseline:32x4x4", 512, {32, 4, 4}, 512, 1, 5, 2, 32, 58.00, 17.74, 8.41},
          {"baseline:128x1x1", 512, {128, 1, 1}, 128, 1, 5, 2, 32, 58.00, 39.06, 8.31},
          {"zblock:32x4,chunk=4", 512, {32, 4, 4}, 128, 4, 3.5, 2, 56, 46.00, 17.88, 8.31},
          {"zblock:32x4,chunk=64", 512, {32, 4, 64}, 128, 64, 3.03125, 2, 56, 42.25, 14.23, 8.57},
          {"zblock:32x16,chunk=4", 512, {32, 16, 4}, 512, 4, 3.5, 2, 56, 46.00, 14.91, 8.31},
      });
}

TEST(MachineModelTest, WhatStaysDirtyIsNotCountedAndBlocksMustStart) {
  const MachineModel h100 = target("H100");
  const RefinedPrediction p = predict_refined(kernel(256, {32, 4, 1}, 128, 1, 5, 2, 24), h100);
  EXPECT_NEAR(p.volume.gm - p.counted_gm, *h100.constants.dirty_share * h100.l2_bytes, 1);
  const RefinedPrediction small = predict_refined(kernel(512, {32, 1, 1}, 32, 1, 5, 2, 24), h100);
  EXPECT_NEAR(small.total_s, small.starts_s + h100.launch_s, 1e-9);
  const RefinedPrediction large = predict_refined(kernel(512, {64, 4, 1}, 256, 1, 5, 2, 24), h100);
  EXPECT_LT(large.starts_s, large.total_s);
  EXPECT_GE(large.total_s, large.seconds.gm);
}

TEST(MachineModelTest, ACpuAllocatesWhatItWrites) {
  Kernel k = kernel(256, {256, 16, 256}, 1, 1, 5, 2, 0);
  const MachineModel knl = target("KNL7250");
  const RefinedPrediction read_and_written = predict_refined(k, knl);
  k.arrays[1].read = true;  // in place: the same lines
  EXPECT_DOUBLE_EQ(predict_refined(k, knl).volume.gm, read_and_written.volume.gm);
}

}  // namespace
}  // namespace tessera::model
