// SPDX-License-Identifier: Apache-2.0
// `tessera plan`: EBISU's decisions for the A100, the order of this code's tiles, layer conditions,
// and bad input.
#include <algorithm>
#include <string>

#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

std::string machine(const std::string& name) {
  return std::string(tessera::source_directory()) + "/inputs/machines/" + name + ".json";
}

Outcome plan(const char* stencil, const std::string& name) {
  Outcome outcome = run_program({"plan", stencil, "--machine", name});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome;
}

json plan_json(const char* stencil, const std::string& name) {
  return json::parse(run_program({"plan", stencil, "--machine", name, "--json"}).out);
}

TEST(PlanCommand, MakesThePapersDecisions) {
  const Outcome flat = plan("j2d5pt", "A100");
  for (const char* part : {"256 x 4", "t = 6.27", "SM tiling", "t = 7", "computed addresses",
                           "94.5 %", "t = 12 on an A100 (Table 3)", "440 GCell/s", "482 GCell/s"}) {
    EXPECT_TRUE(has(flat.out, part));
  }
  const Outcome deep = plan("jacobi/j3d7pt", "A100");
  for (const char* part : {"t = 18.34", "352 KiB", "device tiling", "t = 8", "shifted addresses",
                           "22.3 x 22.3", "valid 65.5 %"}) {
    EXPECT_TRUE(has(deep.out, part));
  }
  EXPECT_FALSE(has(plan("j2d5pt", "H100").out, "440 GCell/s"))
      << "another machine than the paper's";
  // Where scratch never binds, the depth of its own table.
  const Outcome scratch = plan("j3d7pt", "V100");
  EXPECT_TRUE(has(scratch.out, "t = infinity")) << scratch.out;
  EXPECT_TRUE(has(scratch.out, "32 x 32 tiles, t = 4")) << scratch.out;
  // A core whose scratch is its cache: 512 KB, at the bandwidth of L2.
  const Outcome core = plan("j3d7pt", "KNL7250");
  EXPECT_TRUE(has(core.out, "scratch 3.05 TB/s")) << core.out;
  EXPECT_TRUE(has(core.out, "plan: 1 x ")) << core.out;
}

// What this code has is in the order of its predicted times, where the file has the model's
// constants, else by what EBISU's bound leaves.
TEST(PlanCommand, OrdersTilesByTheirPrediction) {
  const json tiles = plan_json("j3d7pt", "H100").at("predicted");
  ASSERT_GT(tiles.size(), 10U);
  EXPECT_EQ(tiles[0].at("by"), "model");
  const auto falls = [&](const char* key) {
    return std::is_sorted(tiles.begin(), tiles.end(), [&](const json& a, const json& b) {
      return a.at(key).get<double>() > b.at(key).get<double>();
    });
  };
  EXPECT_TRUE(falls("predicted_gcell_per_s"));
  EXPECT_FALSE(falls("attainable_gcell_per_s")) << "the bound's order is another";
  const json order = plan_json("j3d7pt", "V100").at("predicted");
  ASSERT_FALSE(order.empty());
  EXPECT_EQ(order[0].at("by"), "bound");
  for (const json& tile : order) {
    EXPECT_LE(tile.at("predicted_gcell_per_s"), tile.at("attainable_gcell_per_s")) << tile;
  }
  for (const std::string& name :
       {machine("Zen4-AVX512"),
        std::string(tessera::source_directory()) + "/results/amd-epyc-zen3-avx2-2t/machine.json"}) {
    const json hosts = plan_json("j3d7pt", name).at("predicted");
    EXPECT_TRUE(std::any_of(hosts.begin(), hosts.end(), [](const json& tile) {
      return has(tile.at("name").get<std::string>(), "jacobi/skewed");
    })) << hosts;
  }
}

TEST(PlanCommand, WhatAMachineFileLacksIsToldOrBorrowed) {
  // A barrier of a machine of its kind.
  EXPECT_TRUE(has(plan("j3d7pt", "V100").out, "by the barrier of A100"));
  EXPECT_TRUE(has(plan("j3d7pt", "Zen4-AVX512").out, "by the barrier of EmeraldRapids"));
  // Without bandwidths of caches the plan stands alone.
  EXPECT_TRUE(has(plan("j3d7pt", "E5-2697v2").out, "gb_per_s of cache L2"));
  const ScratchDirectory folder;
  json file = json::parse(read_text(machine("A100")));
  file["latency"]["memory_cycles"] = 697e9;
  write_text(folder / "slow.json", file.dump());
  expect_error(run_program({"plan", "j3d7pt", "--machine", (folder / "slow.json").string()}),
               {"latency.memory_cycles"});
}

TEST(PlanCommand, PrintsTheLayerConditionsOfHostSweeps) {
  const Outcome text =
      run_program({"plan", "37pt", "--machine", "KNC5110P", "--precision", "float"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"(7) ete/base_simd_blocked: 9 layers", "4 x 328 x Ny x 4 x 9", "Ny <= 4",
                           "(8) ete/scatter: 1 layer", "Ny <= 42"}) {
    EXPECT_TRUE(has(text.out, part)) << text.out;
  }
  const json conditions = plan_json("ete/73pt", "KNC7120P").at("conditions");
  ASSERT_EQ(conditions.size(), 2U);
  EXPECT_EQ(conditions[0].at("most_rows"), 1);
  EXPECT_EQ(conditions[1].at("most_rows"), 13);
  for (const auto& row : conditions) {
    EXPECT_TRUE(row.at("holds").get<bool>());
    EXPECT_TRUE(row.at("configuration").is_string());
    EXPECT_GT(row.at("cached_bytes").get<double>(), 0);
  }
}

TEST(PlanCommand, RefusesWhatItDoesNotKnow) {
  expect_error(run_program({"plan", "j3d8pt", "--machine", "A100"}), {"j3d8pt", "j3d7pt"});
  expect_error(run_program({"plan", "j3d7pt", "--precision", "half"}), {"half"});
  expect_error(run_program({"plan", "ete/37pt", "--machine", "A100"}), {"A100", "GPU"});
}

}  // namespace
}  // namespace tessera::test
