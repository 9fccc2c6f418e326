// SPDX-License-Identifier: Apache-2.0
// Su's formulas to the digit of the worked example (section 3.4, Table 2), row by row, with the
// line sizes that it really uses; units are binary.
#include "program/predict/traffic.hpp"

#include "fixtures/machines.hpp"
#include "fixtures/scratch_directory.hpp"
#include "program/predict/paper_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tessera::model {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kGiB = 1024.0 * kMiB;

MachineModel k20() { return test::shipped_model("K20"); }

/// 7PT-1, 256^3, double, blocks of 32 x 4 x 1.
Kernel example() {
  Kernel k;
  k.grid = {256, 256, 256};
  k.tile = {32, 4, 1};
  k.team = 128;
  k.loads = 7;
  k.misaligned = 2;
  k.stores = 1;
  k.arrays = {{"u", {1, 1, 1}, true, false}, {"next", {0, 0, 0}, false, true}};
  return k;
}

TEST(Table2, EveryRow) {
  const MachineModel target = k20();
  const PaperPrediction p = predict_by_paper(example(), target);
  EXPECT_EQ(target.threads_per_unit, 2048);                 // 1
  EXPECT_EQ(target.smx_bytes, 48 * 1024);                   // 2
  EXPECT_EQ(target.units, 13);                              // 3
  EXPECT_EQ(target.l2_bytes, 1.25 * kMiB);                  // 4
  EXPECT_EQ(target.l2_line_bytes, 32);                      // 5
  EXPECT_EQ(p.threads_a_block, 128);                        // 6
  EXPECT_EQ(p.threads, 16777216);                           // 7
  EXPECT_EQ(p.blocks, 131072);                              // 8
  EXPECT_EQ(p.residency.occupancy, 1.0);                    // 9
  EXPECT_EQ(p.residency.blocks_a_unit, 16);                 // 10
  EXPECT_EQ(p.blocks_a_group, 208);                         // 11
  EXPECT_EQ(p.aligned, 5);                                  // 12
  EXPECT_EQ(p.misaligned, 2);                               // 13
  EXPECT_EQ(p.smx_ld, 9);                                   // 14
  EXPECT_EQ(p.smx_st, 1);                                   // 15
  EXPECT_EQ(p.l2_net, 704);                                 // 16
  EXPECT_NEAR(p.demand, 1.83, 0.005);                       // 17, times delta
  EXPECT_NEAR(p.l2_ld, 704 * (1 + 1.0 / 60 * 1.1), 0.001);  // 18: 11/6 delta
  EXPECT_EQ(p.l2_st, 128);                                  // 19
  EXPECT_EQ(p.groups, 631);                                 // 20
  EXPECT_EQ(p.width_y, 106);                                // 21
  EXPECT_EQ(p.height_z, 3);                                 // 22
  EXPECT_EQ(p.gm_net, 83952);                               // 23
  EXPECT_NEAR(p.l2_miss, 0.512 * 0.01, 5e-6);               // 24
  EXPECT_NEAR(p.gm_ld, 83952 * (1 + 0.00512402), 0.01);     // 25
  EXPECT_EQ(p.gm_st, 26624);                                // 26
  EXPECT_DOUBLE_EQ(p.volume.smx / kGiB, 1.25);              // 27
  EXPECT_NEAR(p.volume.l2 / kMiB, 844.907, 0.0005);         // 28, printed as 844
  EXPECT_NEAR(p.volume.gm / kMiB, 534.40, 0.005);           // 29, printed as 534
  EXPECT_FALSE(p.past_capacity);
}

TEST(Table2, TimesAndAdjustment) {
  const PaperPrediction p = predict_by_paper(example(), k20());
  // 534.40 MiB at 160.88 GiB/s, 844.91 MiB at 367.87, 1.25 GiB at 1215.35.
  EXPECT_NEAR(1e3 * p.seconds.gm, 534.40 / 1024 / 160.88 * 1e3, 1e-3);
  EXPECT_NEAR(1e3 * p.seconds.l2, 844.907 / 1024 / 367.87 * 1e3, 1e-3);
  EXPECT_NEAR(1e3 * p.seconds.smx, 1.25 / 1215.35 * 1e3, 1e-3);
  EXPECT_EQ(p.binding, "device memory");
  EXPECT_DOUBLE_EQ(p.bound_s, p.seconds.gm);
  EXPECT_DOUBLE_EQ(p.adjusted_s, p.bound_s * (1 + 1.0 / 631));
  EXPECT_LT(p.net_bound_s, p.bound_s);
  EXPECT_DOUBLE_EQ(p.net_volume.l2 / kMiB, 832.0);  // (704 + 128) 8 B of 131072 blocks
}

// Section 4.2 says that 19PT may be bound between L2 and on-SMX storage for small By or Bz. By (6)
// as it is printed ("remains exactly the same") it never is; with the rows that its corners are
// read from, in the 128-byte lines of section 3.1, it is for those shapes.
TEST(Table2, NineteenPointsWantTheirCornersInFormulaSix) {
  const MachineModel target = k20();
  Kernel k = example();
  k.loads = 19;
  k.misaligned = 10;
  k.arrays = {{"u", {1, 1, 1}, true, false, 1, true},
              {"gamma", {0, 0, 0}, true, false},
              {"next", {0, 0, 0}, false, true}};
  const struct {
    std::int64_t by, bz;
    const char* printed;
    bool l2_with_corners;
  } shapes[] = {{1, 1, "device memory", true},  {2, 1, "device memory", true},
                {1, 2, "device memory", true},  {1, 4, "on-SMX storage", true},
                {1, 8, "on-SMX storage", true}, {4, 1, "device memory", false},
                {8, 1, "device memory", false}, {8, 4, "device memory", false}};
  for (const auto& [by, bz, printed, l2_with_corners] : shapes) {
    SCOPED_TRACE(testing::Message() << "32 x " << by << " x " << bz);
    k.tile = {32, by, bz};
    k.team = static_cast<int>(k.tile.product());
    const PaperPrediction p = predict_by_paper(k, target);
    EXPECT_EQ(p.binding, printed);
    constexpr double kLine = 128.0 / 8;
    const double cells = k.tile_cells();
    const double net = block_loads(k.arrays[0], {32 + 2 * kLine, 32, 32}, static_cast<double>(by),
                                   static_cast<double>(bz)) +
                       cells;
    const double miss = smx_miss_ratio(
        smx_demand(p.residency.occupancy, 2048, net, k.team, target.smx_bytes, 8), 0.01);
    const double l2 = volume(p.blocks, with_misses(net, miss), cells, 8) / target.bandwidth.l2;
    EXPECT_EQ(l2 > std::max(p.seconds.gm, p.seconds.smx), l2_with_corners) << 1e3 * l2 << " ms";
  }
}

// Where Table 2 has one value of several.
TEST(TrafficFormulas, BesideTable2) {
  const ByStage volume{300, 200, 100};
  EXPECT_DOUBLE_EQ(time_bound(volume, {10, 20, 30}), 30);  // (2)
  EXPECT_DOUBLE_EQ(time_bound(volume, {10, 5, 30}), 40);
  EXPECT_DOUBLE_EQ(l2_net_loads({32, 4, 1}, 1, 2, 128, 8), 576);        // (6), lines of 3.1
  EXPECT_DOUBLE_EQ(height_z({32, 4, 2}, 1025, {256, 256, 256}, 2), 8);  // (14), 3 layers of 2
  EXPECT_DOUBLE_EQ(adjusted_time(10, 4, 0.5), 25);                      // (18)
  EXPECT_THROW((void)time_bound(volume, {0, 1, 1}), Error);
}

TEST(TrafficFormulas, Chunks) {
  // (16) by hand: 32 x 4 x 1, chunk 4, lines of 128 B: 512 + (128 + 128) 2 + 16 4 4 2 = 1536.
  EXPECT_DOUBLE_EQ(l2_net_loads({32, 4, 1}, 4, 2, 128, 8), 1536);
  EXPECT_DOUBLE_EQ(l2_net_loads({32, 4, 1}, 1, 2, 256, 8), 704);
  // (17): demand 3, chunk 4, 4 warps a block, 192 processors: log2(16 / 6) = 1.415.
  EXPECT_NEAR(smx_miss_ratio_chunked(3, 4, 2, 4, 192, 32, 0.01, 0.02),
              3 * 0.5 * 0.01 + 1.415 * 0.02, 1e-5);
  // Short chunks make the logarithm negative: clamped.
  EXPECT_DOUBLE_EQ(smx_miss_ratio_chunked(3, 1, 2, 4, 192, 32, 0.01, 0.02), 3 * 0.01);
}

TEST(TrafficFormulas, ChunksPastCapacityTakeFormula17) {
  Kernel k = example();
  k.tile.z = 16;
  k.chunk = 16;
  k.loads = 5.125;  // 3 + 2/16 aligned, 2 misaligned
  const PaperPrediction p = predict_by_paper(k, k20());
  EXPECT_EQ(p.threads, 16777216 / 16);
  EXPECT_DOUBLE_EQ(p.aligned, 3 * 16 + 2);
  EXPECT_DOUBLE_EQ(p.misaligned, 2 * 16);
  EXPECT_TRUE(p.past_capacity);
  EXPECT_GT(p.smx_miss, 0.01);
  EXPECT_LT(p.volume.smx, 1.25 * kGiB);
}

TEST(Occupancy, SmallBlocksAsTheSeedSays) {
  Kernel k = example();
  k.tile = {32, 1, 1};
  k.team = 32;
  const Residency r = residency_of(k, k20());
  EXPECT_DOUBLE_EQ(r.occupancy, 0.25);  // section 4.2: 16 blocks of one warp
  EXPECT_DOUBLE_EQ(r.highest, 1.0);
}

TEST(MachineModels, AllMachineFilesPlayTheRoles) {
  for (const char* name : {"K20", "P100", "V100", "A100", "H100", "MI250X", "KNL7250"}) {
    const MachineModel target = test::shipped_model(name);
    EXPECT_GT(target.bandwidth.smx, target.bandwidth.l2) << name;
    EXPECT_GT(target.bandwidth.l2, target.bandwidth.gm) << name;
    EXPECT_GT(target.l2_bytes, target.smx_bytes) << name;
  }
}

TEST(MachineModels, SayWhatIsMissing) {
  machine::Machine machine;
  machine.name = "bare";
  machine.kind = "gpu";
  const std::string missing = missing_for_model(machine);
  EXPECT_TRUE(test::has_all(
      missing, {"machine bare: the traffic model requires bytes and gb_per_s", "cache L1"}));
  EXPECT_EQ(test::error_of([&] { (void)machine_model_of(machine); }), missing);
  EXPECT_EQ(missing_for_model(test::shipped("EmeraldRapids")), "");
}

}  // namespace
}  // namespace tessera::model
