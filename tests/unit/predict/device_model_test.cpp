// SPDX-License-Identifier: Apache-2.0
// The terms of the device model by hand, and against counters.
#include "program/predict/device_model.hpp"

#include "base/support/error.hpp"
#include "fixtures/machines.hpp"
#include "program/predict/wavefronts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace tessera::model::device_model_test {
namespace {

MachineModel h100() { return test::shipped_model("H100"); }

/// 512^3 floats, one row of 128 cells by 4 a team of 32 x 4 threads with vectors of four.
Kernel vectors() {
  Kernel k;
  k.grid = {512, 512, 512};
  k.tile = {128, 4, 1};
  k.team = 128;
  k.value_bytes = 4;
  k.loads = 3;
  k.stores = 1;
  k.walk.width = 4;
  k.arrays = {{"u", {0, 0, 0}}, {"next", {0, 0, 0}, false, true}};
  return k;
}

TEST(Wavefronts, RowsAndLines) {
  const MachineModel target = h100();
  Kernel k = vectors();
  EXPECT_EQ(own_cells(k), 4);
  EXPECT_EQ(lanes_a_row(k, target), 32);
  EXPECT_EQ(lines_of_a_warp(k, target), 4);  // 32 lanes of 16 bytes
  // A row of 8 single cells: a line each, four rows a warp.
  k.tile = {8, 8, 8};
  k.team = 512;
  k.walk.width = 1;
  EXPECT_EQ(lanes_a_row(k, target), 8);
  EXPECT_EQ(lines_of_a_warp(k, target), 4);
  k.tile = {1, 32, 32};
  k.team = 1024;
  EXPECT_EQ(lines_of_a_warp(k, target), 32);
}

TEST(Wavefronts, BankConflicts) {
  EXPECT_EQ(conflict(32, 1, 40), 1);
  // 16 lanes a row, rows 16 words apart fill the banks; 24 apart eight of them meet.
  EXPECT_EQ(conflict(16, 1, 16), 1);
  EXPECT_EQ(conflict(16, 1, 24), 2);
  EXPECT_EQ(conflict(16, 1, 32), 2);
  // Vectors of four words: eight lanes a phase.
  EXPECT_EQ(conflict(8, 4, 32), 1);
  EXPECT_EQ(conflict(4, 4, 32), 2);
}

TEST(Wavefronts, LargestBin) {
  // Two balls in two bins: one each half the time.
  EXPECT_DOUBLE_EQ(largest_bin(2, 2), 1.5);
  EXPECT_DOUBLE_EQ(largest_bin(3, 1), 3);
  EXPECT_NEAR(largest_bin(8, 8), 2.597, 0.005);
  EXPECT_NEAR(largest_bin(32, 32), 3.53, 0.005);
}

TEST(Wavefronts, OfAWarp) {
  const MachineModel target = h100();
  const machine::ModelConstants& c = target.constants;
  Kernel k = vectors();
  // Three loads and a store of a vector, four lines each.
  EXPECT_DOUBLE_EQ(warp_work(k, target).cycles,
                   3 * (4 * *c.wavefront_load + *c.wavefront_fill) + 4 * *c.wavefront_store);
  // Misaligned ones are single cells, four a thread.
  k.misaligned = 1;
  EXPECT_DOUBLE_EQ(accesses_of(k).loads, 2 + 4);
  // Columns in L2: a request for each different one of a warp.
  k.misaligned = 0;
  k.gather = {TableHome::l2, 2, 1, 4, 12, 902, 43296, 1, {31, 1}};
  EXPECT_DOUBLE_EQ(accesses_of(k).loads, 1);
  EXPECT_DOUBLE_EQ(warp_work(k, target).misses, 4 * 31);
}

TEST(Lives, TripsBarriersAndWork) {
  const MachineModel target = h100();
  const machine::ModelConstants& c = target.constants;
  Kernel k = vectors();
  k.footprint_bytes = 1e9;
  EXPECT_DOUBLE_EQ(trip_cycles(c, 1e9), *c.trip_cycles);
  EXPECT_DOUBLE_EQ(trip_cycles(c, std::exp(1.0) * 1e9), *c.trip_cycles * (1 + *c.translation));
  // 512 planes in streams of 200: three rounds of 170 2/3, and two more to drain.
  k.tile = {128, 4, 200};
  k.chunk = 200;
  k.walk.more_planes = 2;
  EXPECT_NEAR(planes_of(k), 512.0 / 3 + 2, 1e-9);
  k.walk.trips = 2;
  k.walk.barriers = 3;
  const BlockLatency life = block_latency(k, target, c, {100, 0});
  EXPECT_DOUBLE_EQ(life.trip, 2 * *c.trip_cycles);
  EXPECT_DOUBLE_EQ(life.barrier, 3 * *c.barrier_cycles);
  EXPECT_DOUBLE_EQ(life.work, 4 * (*c.warp_cycles + 100 * *c.own_work));
  EXPECT_DOUBLE_EQ(life.cycles(),
                   *c.start_cycles + life.planes * (life.trip + life.barrier + life.work));
}

TEST(DeviceModel, ReadsAreFasterThanTurningTheBusAround) {
  MachineModel target = h100();
  target.bandwidth.gm = 3000e9;
  target.update_bytes_per_s = 3100e9;
  EXPECT_DOUBLE_EQ(memory_bandwidth(target, 0.5), 3000e9);  // as copy
  EXPECT_DOUBLE_EQ(memory_bandwidth(target, 0.75), 3100e9);
  EXPECT_DOUBLE_EQ(memory_bandwidth(target, 1), 3200e9);
  EXPECT_DOUBLE_EQ(memory_bandwidth(target, 0), memory_bandwidth(target, 0.25));
}

TEST(DeviceModel, LaunchBoundsStandForRegisters) {
  const MachineModel target = h100();
  Kernel k = vectors();
  EXPECT_EQ(bounded_residency(k, target).blocks_a_unit, 16);
  k.walk.bound_threads = 512;
  EXPECT_EQ(bounded_residency(k, target).blocks_a_unit, 4);
  k.registers = 32;  // known: the bound is not asked
  EXPECT_EQ(bounded_residency(k, target).blocks_a_unit, 16);
  k.registers = 0;
  k.walk.kept_words = 91;  // and 37 beside them: 128
  EXPECT_EQ(bounded_residency(k, target).blocks_a_unit, 4);
  k.walk.bound_threads = 1024;  // 64 a thread: what does not fit is spilt
  EXPECT_EQ(bounded_residency(k, target).blocks_a_unit, 8);
}

TEST(DeviceModel, WaitingCostsWhatItTakes) {
  const MachineModel target = h100();
  Kernel k = vectors();
  k.tile = {128, 4, 512};
  k.chunk = 512;
  k.walk.bound_threads = 128;
  k.walk.trips = 1;
  const DevicePrediction one = predict_device(k, target);
  k.walk.trips = 3;
  const DevicePrediction three = predict_device(k, target);
  EXPECT_EQ(three.binding, "lives");
  EXPECT_GT(three.total_s, 2 * one.total_s);
  EXPECT_EQ(three.volume.gm, one.volume.gm);
}

TEST(DeviceModel, ConversionsComeOnTop) {
  MachineModel target = h100();
  target.flop_per_s = 6e13;
  Kernel k = vectors();
  const DevicePrediction plain = predict_device(k, target);
  k.conversions = 10;
  const DevicePrediction decoded = predict_device(k, target);
  // 134 million cells, ten instructions each; at the peak two operations take one.
  const double expected = 512.0 * 512 * 512 * 10 / (target.flop_per_s / 2);
  EXPECT_NEAR(decoded.total_s - plain.total_s, expected, 1e-9);
  EXPECT_EQ(plain.binding, "GM");
  EXPECT_EQ(decoded.binding, "GM");
  k.conversions = 1000;
  EXPECT_EQ(predict_device(k, target).binding, "conversions");
}

TEST(DeviceModel, FewBlocksLeaveUnitsIdle) {
  MachineModel target = h100();
  Kernel few = vectors(), many = vectors();
  few.grid = {128, 4, 66};  // 66 blocks on 132 units
  many.grid = {128, 4, 132};
  EXPECT_DOUBLE_EQ(predict_device(few, target).seconds.smx,
                   predict_device(many, target).seconds.smx);
  target.clock_hz = 0;
  EXPECT_THROW(static_cast<void>(predict_device(vectors(), target)), Error);
}

TEST(TemporalModel, LevelsAndVolumes) {
  Kernel k;
  k.grid = {1000, 1, 1000};
  k.tile = {250, 1, 1000};
  k.team = 250;
  k.depth = 4;
  k.league = 10;
  k.valid_share = 0.8;
  k.loads = 0.3;  // a cell and step: 1.2 a pass
  k.stores = 0.25;
  const TemporalLeague league = temporal_league(k);
  EXPECT_DOUBLE_EQ(league.computed, 4 * 1e6 / 0.8);
  EXPECT_DOUBLE_EQ(league.levels, league.computed / (250 * 10));
  const TemporalVolumes v = temporal_volumes(k, 0.5);
  EXPECT_NEAR(v.gm, 1e6 * (2 + 0.5 * 0.2), 1e-3);
  EXPECT_NEAR(v.l2, 1e6 * 4 * 0.55, 1e-3);
}

TEST(TemporalModel, ExchangesOfTheDeviceBind) {
  const MachineModel target = h100();
  Kernel k;
  k.grid = {384, 288, 2560};
  k.tile = {32, 32, 2560};
  k.team = 256;
  k.value_bytes = 8;
  k.depth = 4;
  k.league = 108;
  k.valid_share = 0.8;
  k.loads = k.stores = 0.25;
  k.scratch = 8;
  k.walk = {.trips = 0, .barriers = 2};
  const DevicePrediction alone = predict_device(k, target);
  k.walk.exchanges = 0.25;
  const DevicePrediction together = predict_device(k, target);
  const double levels = temporal_league(k).levels;
  EXPECT_NEAR(together.lives_s - alone.lives_s,
              levels * 0.25 * 1e-6 * *target.constants.exchange_us, 1e-9);
}

}  // namespace
}  // namespace tessera::model::device_model_test
