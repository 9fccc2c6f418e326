// SPDX-License-Identifier: Apache-2.0
// EBISU's equations (1) to (23) against the numbers printed in its sections 5 and 6, and the
// corrected ones where docs/errata.md names a misprint.
#include "program/predict/attainable.hpp"
#include "program/predict/paper_depths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "fixtures/paths.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera::model {
namespace {

/// The paper's A100 (5.2.2, 6.2.1).
BlockingMachine a100() {
  BlockingMachine m;
  m.name = "A100";
  m.units = 108;
  m.gm_bytes_per_s = 1555e9;
  m.sm_bytes_per_s = 19.49e12;
  m.flop_per_s = 9.7e12;
  m.sync_s = 1.2e-6;
  m.scratch_bytes = 163 * 1024;
  m.registers_per_thread = 255;
  m.clock_hz = 1.41e9;
  return m;
}

TEST(Attainable, DesiredDepthSolvesTheInequality) {
  const BlockingMachine m = a100();
  const double t = desired_depth_device(m, 4.5, 32, 32, 1);
  const double scratch = 4.5 * 32 * 32 * t / m.sm_bytes_per_s;
  const double memory = kAgm * device_tile_cells(32, 32, t, 1) / m.gm_bytes_per_s;
  EXPECT_NEAR(scratch / memory, 1, 1e-12);
  // A tile whose halo alone keeps memory busier never gets there.
  EXPECT_TRUE(std::isinf(desired_depth_device(m, 4.5, 16, 16, 1)));
}

int deepest_of(const char* stencil, double value_bytes = 8, double registers = 255) {
  BlockingMachine m = a100();
  m.registers_per_thread = registers;
  m.register_base = 24;
  const TemporalStencil& s = temporal_stencil(stencil);
  return deepest(m, s, s.dims == 2 ? 256 : 32, s.dims == 2 ? 4 : 32, value_bytes);
}

TEST(Attainable, DeepestKeepsValuesInScratchAndRegisters) {
  EXPECT_EQ(deepest_of("j3d7pt"), 8);   // 6.3.2, "as deep as t=8": 17 of 18 planes of 34 x 34
  EXPECT_EQ(deepest_of("j3d13pt"), 5);  // Table 3: 16 of 16 planes of 36 x 36
  EXPECT_EQ(deepest_of("j3d27pt"), 5);  // Table 3: 16 of 18 planes, three a step
  EXPECT_EQ(deepest_of("j2d5pt"), 15);  // 6.3.1, "as deep as t=15": 79 of 80 rows of 258
  EXPECT_EQ(deepest_of("j2d25pt"), 9);  // 76 of 80 rows of 260
  EXPECT_EQ(deepest_of("j3d13pt", 4), 10) << "float: 31 of 32 planes";
  // Three planes of four doubles are 24 registers a step, and 24 of 96 are not for values.
  EXPECT_EQ(deepest_of("j3d13pt", 8, 96), 3);
  EXPECT_EQ(deepest_of("j3d13pt", 8, 0), 5) << "registers not known";
}

TEST(Attainable, ValidShares) {
  EXPECT_NEAR(valid_sm_tile(256, 7, 1), 0.945, 0.0005);     // 6.3.1: about 95 %, with the 2
  EXPECT_NEAR(valid_sm_tile(34, 34, 3, 1), 0.678, 0.0005);  // 6.3.2 prints 77 %, which is t = 2
  EXPECT_NEAR(valid_sm_tile(34, 34, 2, 1), 0.7785, 0.0005);
  EXPECT_NEAR(valid_device_tile(2.05e-6, 1.2e-6, 1), 0.63, 0.005);  // 6.3.1
  EXPECT_NEAR(valid_device_tile(2.42e-6, 1.2e-6, 1), 0.67, 0.005);  // 6.3.2, with its 2.42 us
  EXPECT_EQ(valid_sm_tile(16, 9, 1), 0) << "not less than nothing";
}

TEST(Attainable, SmTilingOfJ3d7pt) {
  const Candidate c = sm_tiling(a100(), temporal_stencil("j3d7pt"), 4.5, 32, 32, 3, 8);
  EXPECT_NEAR(c.p.cells_per_s / 1e9, 292, 0.5);  // 6.3.2
  EXPECT_EQ(c.p.bottleneck, "device memory");
  EXPECT_NEAR(0.77 * c.p.cells_per_s / 1e9, 225, 0.6) << "by the printed 77 %";
  EXPECT_NEAR(c.practical_cells_per_s / 1e9, 197.7, 0.2) << "by the formula";
}

TEST(Attainable, DeviceTilingOfJ3d7pt) {
  const Candidate c = device_tiling(a100(), temporal_stencil("j3d7pt"), 4.5, 32, 32, 8, 8);
  EXPECT_NEAR(c.p.t_gm * 1e6, 2.28, 0.005);                // printed 2.42
  EXPECT_NEAR(c.p.cells_per_s / 1e9, 389, 0.5);            // printed 365
  EXPECT_NEAR(c.valid, 0.655, 0.0005);                     // printed 67 %
  EXPECT_NEAR(c.practical_cells_per_s / 1e9, 254.7, 0.2);  // printed 244
}

TEST(Attainable, TimesAndBottleneck) {
  BlockingWork w;
  w.a_sm = 4, w.a_cmp = 10;
  w.d_gm = w.d_sm = w.d_cmp = w.d_all = 1e6;
  const auto at = [&](double t) {
    w.t = t;
    return attainable(a100(), w);
  };
  EXPECT_DOUBLE_EQ(at(1).t_gm, 2 * 1e6 * 8 / 1555e9);
  EXPECT_DOUBLE_EQ(at(2).t_sm, 4 * 1e6 * 2 * 8 / 19.49e12);
  EXPECT_DOUBLE_EQ(at(2).t_cmp, 10 * 1e6 * 2 / 9.7e12);
  EXPECT_EQ(at(6).bottleneck, "device memory");
  EXPECT_EQ(at(7).bottleneck, "scratch");
  EXPECT_NEAR(at(7).cells_per_s / 1e9, 19490.0 / 32, 0.1);
  w.a_cmp = 50;
  EXPECT_EQ(at(7).bottleneck, "arithmetic");
}

TEST(Attainable, OfAPlanByHand) {
  Plan plan;
  plan.temporal_depth = 4;
  plan.valid_share = 0.5;
  plan.scratch_loads = 8;  // of a stored cell, so 5 accesses of a computed one
  plan.scratch_stores = 2;
  plan.flops = 10;
  MachineModel target;
  target.bandwidth = {100e9, 0, 2000e9};
  const Attainable without_peak = attainable_of(plan, target, 8);
  EXPECT_DOUBLE_EQ(without_peak.t_gm, 2 * 8 / 100e9);
  EXPECT_DOUBLE_EQ(without_peak.t_sm, 5 * 4 * 8 / 2000e9);
  EXPECT_EQ(without_peak.t_cmp, 0);
  EXPECT_EQ(without_peak.bottleneck, "device memory");
  EXPECT_DOUBLE_EQ(without_peak.cells_per_s, 25e9);
  target.flop_per_s = 100e9;
  EXPECT_EQ(attainable_of(plan, target, 8).bottleneck, "arithmetic");
  EXPECT_DOUBLE_EQ(attainable_of(plan, target, 8).cells_per_s, 10e9);
  target.scratch_bytes_per_s = 1000e9;  // known apart from L1
  EXPECT_DOUBLE_EQ(attainable_of(plan, target, 8).t_sm, 5 * 4 * 8 / 1000e9);
}

// 6.3.2 as docs/errata.md corrects it, by a plan: 108 tiles of 32 x 32, t = 8, a barrier a plane.
TEST(Attainable, DeviceTilingOfAPlan) {
  Plan plan;
  plan.temporal_depth = 8;
  plan.scratch_loads = 3.5;
  plan.scratch_stores = 1;
  plan.flops = 14;
  constexpr int kPlanes = 2560;
  plan.barriers = kPlanes;
  plan.exchanged = 2.0 * 8 * (32 + 32) / (32 * 32);
  const BlockingMachine paper = a100();
  MachineModel target;
  target.bandwidth = {paper.gm_bytes_per_s, 0, paper.sm_bytes_per_s};
  target.flop_per_s = paper.flop_per_s;
  target.barrier_s = paper.sync_s;
  const Attainable a = attainable_of(plan, target, 8);
  EXPECT_EQ(a.bottleneck, "device memory");
  EXPECT_NEAR(a.t_gm * 108 * 1024 * 1e6, 2.28, 0.005);  // a plane of the device tile
  EXPECT_NEAR(a.cells_per_s / 1e9, 389, 0.5);
  const double cells = 108.0 * 1024 * kPlanes;
  const auto share = barrier_share_of(plan, target, a, cells);
  ASSERT_TRUE(share.has_value());
  EXPECT_NEAR(*share, 0.655, 0.0005);
  EXPECT_NEAR(a.cells_per_s * *share / 1e9, 254.7, 0.2);
  // What no tile stores takes as long as what it stores, and barriers weigh less.
  plan.valid_share = 0.5;
  EXPECT_NEAR(*barrier_share_of(plan, target, a, cells), 1 / (1 + 1.2 / (2 * 2.275)), 0.001);
  target.barrier_s = 0;
  EXPECT_FALSE(barrier_share_of(plan, target, a, cells).has_value()) << "not known";
  plan.barriers = 0;
  EXPECT_EQ(barrier_share_of(plan, target, a, cells), 1.0) << "none to know";
}

TEST(Attainable, LittlesLaw) {
  BlockingMachine m = a100();
  EXPECT_TRUE(necessary_parallelism(m, 8).empty()) << "no latencies, no law";
  m.sm_cycles = 23;
  const auto needs = necessary_parallelism(m, 8);
  ASSERT_EQ(needs.size(), 1U);
  EXPECT_NEAR(needs[0].per_cycle, 16, 0.01) << "128 B a cycle and multiprocessor";
  EXPECT_NEAR(needs[0].needed, 368, 0.3);
  m.gm_cycles = 5000;
  EXPECT_EQ(plan_blocking(m, temporal_stencil("j2d5pt"), 8).ilp, 32) << "more ILP is needed";
}

// Table 1's decisions, and the model's depths beside those that the paper ran in Table 3:
// docs/errata.md says where they part, and why.
TEST(Attainable, DecisionsAndDepthsBesideThePapers) {
  const PaperDepths paper = read_paper_depths(std::string(tessera::source_directory()) +
                                              "/inputs/published/ebisu-table3.toml");
  struct Depths {
    int in_its_tiling;  // SM tiling in two dimensions, device tiling in three
    int printed;
    int chosen;  // by (20) in two dimensions and (21) in three
  };
  const std::map<std::string, Depths> depths = {
      {"j2d5pt", {7, 12, 7}}, {"j2d9pt", {5, 8, 5}},  {"j2d9pt-gol", {6, 6, 6}},
      {"j2d25pt", {2, 4, 2}}, {"j3d7pt", {8, 8, 8}},  {"j3d13pt", {5, 5, 5}},
      {"j3d17pt", {5, 6, 3}}, {"j3d27pt", {5, 5, 2}}, {"poisson", {5, 6, 3}}};
  ASSERT_EQ(depths.size(), temporal_stencils().size());
  ASSERT_EQ(depths.size(), paper.rows.size());
  for (const TemporalStencil& stencil : temporal_stencils()) {
    SCOPED_TRACE(stencil.name);
    const auto& [model, printed, chosen] = depths.at(stencil.name);
    const BlockingPlan plan = plan_blocking(a100(), stencil, 8);
    EXPECT_EQ(plan.threads * plan.ilp, 1024);
    // (20), (21); but for stencils that are no stars: docs/errata.md.
    EXPECT_EQ(plan.uses_device_tiling, stencil.dims == 3 && stencil.star);
    EXPECT_EQ(plan.computed_addresses, stencil.dims == 2);
    // Table 3 is of device tiling in three dimensions, whether (21) holds or not.
    EXPECT_EQ(stencil.dims == 3 ? plan.device.t : plan.depth, model);
    EXPECT_EQ(plan.depth, chosen);
    EXPECT_EQ(paper.depth(stencil.name, "EBISU"), printed);
    // In two dimensions what the paper ran fits too; it asked for more than the bottleneck does.
    EXPECT_TRUE(stencil.dims == 3 || plan.deepest >= printed) << plan.deepest;
  }
  EXPECT_EQ(paper.depth("j3d27pt", "DRSTENCIL"), 0) << "printed as -";
  EXPECT_TRUE(
      test::has(test::error_of([&] { static_cast<void>(paper.depth("j9", "AN5D")); }), "j9"));
}

TEST(Attainable, TableTwo) {
  ASSERT_EQ(temporal_stencils().size(), 9U);
  EXPECT_EQ(temporal_stencil("jacobi/j2d25pt").flops, 50) << "printed 25";
  EXPECT_EQ(temporal_stencil("j3d7pt").a_sm_rst, 4.5);
  EXPECT_EQ(temporal_stencil("poisson").a_sm, 20);
  const std::string message = test::error_of([] { static_cast<void>(temporal_stencil("j3d8pt")); });
  EXPECT_TRUE(test::has(message, "j3d7pt"));
}

TEST(Attainable, MachineFileMustSayEnough) {
  machine::Machine machine;
  machine.name = "half";
  machine.units = 10;
  machine.copy_gb_per_s = 100;
  const auto message = [&] {
    return test::error_of([&] { static_cast<void>(blocking_machine(machine, 8)); });
  };
  EXPECT_TRUE(test::has_all(message(), {"half", "scratch"}));
  machine.caches = {{"scratch", 1000, {}, {}, 200}};
  machine.double_gflop_per_s = 100;
  machine.scratch_bytes_per_team = 1000;
  EXPECT_TRUE(test::has(message(), "latency.barrier_us"));
  machine::Machine other;
  other.name = "other";
  other.barrier_us = 2;
  EXPECT_EQ(blocking_machine(machine, 8, &other).sync_of, "other");
  EXPECT_DOUBLE_EQ(blocking_machine(machine, 8, &other).sync_s, 2e-6);
  machine.barrier_us = 1;
  EXPECT_EQ(blocking_machine(machine, 8, &other).sync_of, "") << "its own";
}

}  // namespace
}  // namespace tessera::model
