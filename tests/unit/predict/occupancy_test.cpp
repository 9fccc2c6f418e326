// SPDX-License-Identifier: Apache-2.0
// Theoretical occupancy against the paper's Table III (Sai, section V), and by hand elsewhere.
#include "program/predict/occupancy.hpp"

#include "base/support/error.hpp"

#include <gtest/gtest.h>

namespace tessera::model {
namespace {

// Block size, registers and scratch of a kernel; theoretical active warps as printed. The scratch
// is what the kernels of that name hold: st_smem nine planes with their halo of 4, smem_u a block
// with its halo, in floats.
struct Printed {
  const char* kernel;
  int team, registers;
  std::int64_t scratch;
  int warps;
  double percent;
};

constexpr std::int64_t planes(int nx, int ny) { return std::int64_t{9} * 4 * (nx + 8) * (ny + 8); }

TEST(Occupancy, IsThatOfTheSeedsTableIIIOnAV100) {
  const Printed rows[] = {
      {"gmem_4x4x4 inner", 64, 40, 0, 48, 75.0},
      {"gmem_8x8x4 inner", 256, 40, 0, 48, 75.0},
      {"gmem_8x8x8 inner", 512, 40, 0, 48, 75.0},
      {"gmem_16x16x4 inner", 1024, 40, 0, 32, 50.0},
      {"smem_u inner", 512, 38, 4 * 16 * 16 * 16, 48, 75.0},
      {"semi inner", 768, 40, 0, 48, 75.0},
      {"st_smem_8x8 inner", 64, 56, planes(8, 8), 20, 31.2},
      {"st_smem_8x16 inner", 128, 56, planes(8, 16), 28, 43.7},
      {"st_smem_16x16 inner", 256, 56, planes(16, 16), 32, 50.0},
      {"st_reg_shft_8x8 inner", 64, 96, 0, 20, 31.2},
      {"st_reg_shft_16x16 inner", 256, 96, 0, 16, 25.0},
      {"st_reg_shft_16x32 inner", 512, 96, 0, 16, 25.0},
      {"st_reg_shft_16x64 inner", 1024, 64, 0, 32, 50.0},
      {"st_reg_fixed_8x8 inner", 64, 78, 0, 24, 37.5},
      {"st_reg_fixed_32x16 inner", 512, 78, 0, 16, 25.0},
      {"gmem_4x4x4 pml", 64, 48, 0, 40, 62.5},
      {"gmem_8x8x4 pml", 256, 48, 0, 40, 62.5},
      {"gmem_8x8x8 pml", 512, 48, 0, 32, 50.0},
      {"smem_eta_1 pml", 512, 32, 4 * 10 * 10 * 10, 64, 100.0},
      {"semi pml", 768, 64, 0, 24, 37.5},
      {"st_smem_8x8 pml", 64, 72, planes(8, 8), 20, 31.2},
      {"st_smem_16x8 pml", 128, 72, planes(16, 8), 28, 43.7},
      {"st_smem_16x16 pml", 256, 72, planes(16, 16), 24, 37.5},
      {"st_reg_shft_16x16 pml", 256, 80, 0, 24, 37.5},
      {"st_reg_fixed_8x8 pml", 64, 106, 0, 16, 25.0},
      {"st_reg_fixed_16x16 pml", 256, 104, 0, 16, 25.0},
  };
  const OccupancyLimits v100 = limits_of("sm_70");
  for (const Printed& row : rows) {
    SCOPED_TRACE(row.kernel);
    const Occupancy found = occupancy(v100, {row.team, row.registers, row.scratch});
    EXPECT_EQ(found.warps, row.warps);
    EXPECT_NEAR(100 * found.fraction, row.percent, 0.06);  // 31.25 is printed as 31.2
  }
}

TEST(Occupancy, SaysWhatLimits) {
  const OccupancyLimits v100 = limits_of("sm_70");
  EXPECT_EQ(occupancy(v100, {256, 32, 0}).limited_by, "threads");
  EXPECT_EQ(occupancy(v100, {32, 32, 0}).limited_by, "teams");  // 32 warps of 64
  EXPECT_EQ(occupancy(v100, {256, 96, 0}).limited_by, "registers");
  EXPECT_EQ(occupancy(v100, {64, 32, 40000}).limited_by, "scratch");
  EXPECT_EQ(occupancy(v100, {256, 0, 0}).warps, 64) << "unknown registers do not limit";
  EXPECT_EQ(occupancy(v100, {33, 32, 0}).warps, 64) << "33 threads are two warps";
}

TEST(Occupancy, FollowsTheArchitecture) {
  // 88 registers are 2816 a warp: 23.3 warps. A P100 hands registers out to pairs of warps, a V100
  // to fours.
  EXPECT_EQ(occupancy(limits_of("sm_60"), {64, 88, 0}).warps, 22);
  EXPECT_EQ(occupancy(limits_of("sm_70"), {64, 88, 0}).warps, 20);
  // 48 KiB and 1 KiB reserved: 49 KiB of 228 are 4 teams on an H100, 2 of 96 (no reserve) on a
  // V100.
  EXPECT_EQ(occupancy(limits_of("sm_90"), {128, 32, 48 * 1024}).teams, 4);
  EXPECT_EQ(occupancy(limits_of("sm_70"), {128, 32, 48 * 1024}).teams, 2);
  EXPECT_EQ(occupancy(limits_of("sm_90"), {256, 128, 0}).warps, 16);
  // 66 vector registers are handed out as 72: 7 waves on each of 4 SIMD units.
  EXPECT_EQ(occupancy(limits_of("gfx90a"), {64, 66, 0}).warps, 28);
  EXPECT_EQ(occupancy(limits_of("gfx90a"), {256, 64, 0}).fraction, 1.0);
}

TEST(Occupancy, RefusesWhatDoesNotFitOrIsNotKnown) {
  EXPECT_THROW((void)occupancy(limits_of("sm_70"), {1024, 96, 0}), Error);  // 20 warps, wants 32
  EXPECT_THROW((void)occupancy(limits_of("sm_70"), {64, 32, 97 * 1024}), Error);
  EXPECT_THROW((void)occupancy(limits_of("sm_70"), {0, 32, 0}), Error);
  EXPECT_THROW((void)limits_of("sm_1"), Error);
  EXPECT_THROW((void)limits_of("knl"), Error);
}

}  // namespace
}  // namespace tessera::model
