// SPDX-License-Identifier: Apache-2.0
// The terms of the host model by hand.
#include "program/predict/host_model.hpp"

#include "fixtures/machines.hpp"

#include <gtest/gtest.h>

namespace tessera::model {
namespace {

MachineModel zen4() { return test::shipped_model("Zen4-AVX512"); }

/// Ports of 64 and 32 bytes, vectors of 64, and nothing else that costs.
machine::ModelConstants ports() {
  machine::ModelConstants c;
  c.load_bytes = 64, c.store_bytes = 32, c.vector_bytes = 64, c.port_share = 1;
  c.flop_cycles = c.gather_cycles = c.row_cycles = c.layer_cycles = c.scratch_cycles = 0;
  return c;
}

Kernel star() {
  Kernel k;
  k.grid = {512, 512, 512};
  k.tile = {512, 16, 512};
  k.value_bytes = 4;
  k.loads = 16;
  k.stores = 1;
  k.arrays = {{"u", {4, 4, 4}}, {"next", {0, 0, 0}, false, true}};
  return k;
}

TEST(HostModel, PortsOfACore) {
  Kernel k = star();
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), ports()), 16 * 4.0 / 64);
  k.misaligned = 8;  // these straddle lines: twice
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), ports()), 24 * 4.0 / 64);
  machine::ModelConstants narrow = ports();
  narrow.vector_bytes = 32;  // every second one of these does
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), narrow), 20 * 4.0 / 64);
  k.stores = 20;
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), ports()), 20 * 4.0 / 32);
}

TEST(HostModel, RowsGathersAndRaggedEnds) {
  Kernel k = star();
  machine::ModelConstants c = ports();
  c.row_cycles = 100;
  k.loops.rows = 2;
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), c), 1 + 200.0 / 512);
  k.tile.x = 20;  // 16 lanes: two vectors for 20 cells
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), c), 1.6 + 200.0 / 20);
  c.row_cycles = 0;
  c.gather_cycles = 1.5;
  k.tile.x = 512;
  k.loops.gathered = k.gather.elements = 4;
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), c), 12 * 4.0 / 64 + 6);
  c.layer_cycles = 10;
  k.loops.branched = 0.5;
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), c), 12 * 4.0 / 64 + 6 + 5);
}

TEST(HostModel, ScalarLoopsTakeOperations) {
  Kernel k = star();
  k.flops = 33;
  k.loops.vectorised = false;
  machine::ModelConstants c = ports();
  c.scalar_cycles = 0.5;
  EXPECT_DOUBLE_EQ(core_cycles(k, zen4(), c), 0.5 * (16 + 1 + 33));
}

TEST(HostModel, RowsThatL1Loses) {
  const MachineModel target = zen4();
  machine::ModelConstants c = host_constants(target, 4);
  Kernel k = star();
  // 9 + 8 + 3 rows of 16 cells are in L1: nine planes once, and the store's two ways.
  k.grid.x = k.tile.x = 16;
  EXPECT_NEAR(l1_bytes(k, target, c), 4 * (9 + 2), 0.01);
  // Of 4096 cells they are not: the 8 rows beside come again.
  k.grid.x = k.tile.x = 4096;
  EXPECT_NEAR(l1_bytes(k, target, c), 4 * (9 + 8 + 2), 0.01);
}

TEST(HostModel, WritesThatStreamAreNotRead) {
  const MachineModel target = zen4();
  Kernel k = star();
  k.arrays[0] = {"u", {0, 0, 0}};
  const double allocated = predict_host(k, target).volume.gm;
  k.loops.streaming_stores = true;
  EXPECT_NEAR(allocated - predict_host(k, target).volume.gm, 4 * 512.0 * 512 * 512, 1e5);
}

TEST(HostModel, WhatMemoryReallyMoves) {
  MachineModel target = zen4();
  target.bandwidth.gm = 30e9;  // counted as two words, three moved
  target.update_bytes_per_s = 43e9;
  EXPECT_DOUBLE_EQ(memory_moved_per_s(target), (43e9 + 45e9) / 2);
  EXPECT_DOUBLE_EQ(balance(3, 2), 0.75);
  EXPECT_DOUBLE_EQ(balance(4, 2), 1);
}

TEST(HostModel, StagesHardlyOverlap) {
  const MachineModel target = zen4();
  const HostPrediction p = predict_host(star(), target);
  EXPECT_GT(p.total_s, p.core_s);
  EXPECT_GT(p.total_s, p.memory_s);
  EXPECT_LT(p.total_s, p.core_s + p.l2_s + p.l3_s + p.memory_s);
}

machine::CoreWidth core(const char* precision, double bytes, double loads) {
  return {precision, bytes, loads, 0.5, 2.0, 2.0, 4.0, 0.8};
}

TEST(HostModel, MeasuredPortsComeFirst) {
  MachineModel target = zen4();
  EXPECT_EQ(measured_core(target, 4), nullptr);
  target.core = {core("float", 4, 3), core("float", 32, 2), core("double", 32, 1.5)};
  const machine::ModelConstants c = host_constants(target, 4);
  const double found[] = {*c.vector_bytes, *c.load_bytes, *c.store_bytes, *c.flop_cycles,
                          *c.gather_cycles};
  const double wanted[] = {32, 64, 16, 0.25, 1.25};
  for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(found[i], wanted[i]) << i;
  EXPECT_DOUBLE_EQ(*host_constants(target, 8).load_bytes, 48);
  EXPECT_EQ(c.row_cycles, host_constants(zen4(), 4).row_cycles);
  target.core[1].gathers.reset();  // half of what is wanted: the file's constants
  EXPECT_EQ(measured_core(target, 4), nullptr);
  EXPECT_DOUBLE_EQ(*host_constants(target, 4).vector_bytes, 64);
}

}  // namespace
}  // namespace tessera::model
