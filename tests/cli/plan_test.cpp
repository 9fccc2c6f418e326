// SPDX-License-Identifier: Apache-2.0
// `tessera plan`: EBISU's decisions for the A100, and bad input.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

std::string machine(const std::string& name) {
  std::string path(tessera::source_directory());
  path += "/inputs/machines/";
  return path + name + ".json";
}

TEST(PlanCommand, MakesThePapersDecisions) {
  const Outcome flat = run_program({"plan", "j2d5pt", "--machine", machine("A100")});
  EXPECT_EQ(flat.status, 0) << flat.err;
  for (const char* part : {"256 x 4", "t = 6.27", "SM tiling", "t = 7", "computed addresses",
                           "94.5 %", "docs/errata.md"}) {
    EXPECT_TRUE(has(flat.out, part));
  }
  const Outcome deep = run_program({"plan", "jacobi/j3d7pt", "--machine", machine("A100")});
  EXPECT_EQ(deep.status, 0) << deep.err;
  for (const char* part : {"t = 18.34", "352 KiB", "device tiling", "t = 8", "shifted addresses",
                           "22.3 x 22.3", "valid 65.5 %"}) {
    EXPECT_TRUE(has(deep.out, part));
  }
}

TEST(PlanCommand, MachinesThatCannotBeEndInOneLine) {
  const ScratchDirectory folder;
  json file = json::parse(read_text(machine("A100")));
  file["latency"]["memory_cycles"] = 1e6;
  file["clock_ghz"] = 1e-3;
  file["units"] = 1;
  const std::string path = folder / "slow.json";
  write_text(path, file.dump());
  expect_error(run_program({"plan", "j3d7pt", "--machine", path}), {"device memory", "latency"});
  file["latency"]["memory_cycles"] = 697e9;
  write_text(path, file.dump());
  expect_error(run_program({"plan", "j3d7pt", "--machine", path}), {"latency.memory_cycles"});
}

TEST(PlanCommand, TakesTheDepthOfItsOwnTableWhereScratchNeverBinds) {
  const Outcome outcome = run_program({"plan", "j3d7pt", "--machine", machine("V100")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "from t = infinity on")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "SM tiling of 32 x 32 tiles, t = 4")) << outcome.out;
}

TEST(PlanCommand, SetsWhatThePaperPrintedBeside) {
  const Outcome here = run_program({"plan", "j2d5pt", "--machine", machine("A100")});
  for (const char* part : {"t = 12 on an A100 (Table 3)", "440 GCell/s", "482 GCell/s"}) {
    EXPECT_TRUE(has(here.out, part)) << here.out;
  }
  const Outcome other = run_program({"plan", "j2d5pt", "--machine", machine("H100")});
  EXPECT_TRUE(has(other.out, "(Table 3)"));
  EXPECT_FALSE(has(other.out, "440 GCell/s"));
}

// What this code has is in the order of its predicted times, all tiles, where the file has the
// model's constants.
TEST(PlanCommand, OrdersTilesByTheirPrediction) {
  const Outcome outcome = run_program({"plan", "j3d7pt", "--machine", machine("H100"), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json tiles = nlohmann::json::parse(outcome.out).at("predicted");
  ASSERT_GT(tiles.size(), 10U);
  double before = 1e9;
  bool by_bound = true;
  double bound = 1e9;
  for (const nlohmann::json& tile : tiles) {
    const double predicted = tile.at("predicted_gcell_per_s");
    EXPECT_LE(predicted, before) << tile;
    before = predicted;
    const double attainable = tile.at("attainable_gcell_per_s");
    by_bound = by_bound && attainable <= bound;
    bound = attainable;
  }
  EXPECT_FALSE(by_bound) << "the bound's order is another";
  const Outcome text = run_program({"plan", "j3d7pt", "--machine", machine("H100")});
  EXPECT_TRUE(has(text.out, "6. by the prediction")) << text.out;
  EXPECT_TRUE(has(text.out, "(21) ")) << text.out;
  // What binds in words, in JSON by its name.
  const Outcome flat = run_program({"plan", "j2d5pt", "--machine", machine("H100")});
  EXPECT_TRUE(has(flat.out, "; the latency of a team's steps binds")) << flat.out;
  EXPECT_FALSE(has(flat.out, "lives") || has(flat.out, "GM binds")) << flat.out;
  // By a model's time where the machine has its constants, else by what EBISU's bound leaves.
  EXPECT_EQ(tiles[0].at("by"), "model");
  for (const char* name : {"A100", "V100", "MI250X", "KNL7250"}) {
    const Outcome bound = run_program({"plan", "j3d7pt", "--machine", machine(name), "--json"});
    ASSERT_EQ(bound.status, 0) << bound.err;
    const nlohmann::json order = nlohmann::json::parse(bound.out).at("predicted");
    ASSERT_FALSE(order.empty()) << name;
    EXPECT_EQ(order[0].at("by"), "bound") << name;
    for (const nlohmann::json& tile : order) {
      EXPECT_LE(tile.at("predicted_gcell_per_s"), tile.at("attainable_gcell_per_s")) << tile;
    }
  }
}

// A barrier that a machine file lacks is that of a machine of its kind.
TEST(Plan, BorrowsABarrierOfItsKind) {
  for (const auto& [name, lender] : {std::pair("V100", "A100"),
                                     {"KNL7250", "EmeraldRapids"},
                                     {"Zen4-AVX512", "EmeraldRapids"}}) {
    const Outcome plan = run_program({"plan", "j3d7pt", "--machine", machine(name)});
    ASSERT_EQ(plan.status, 0) << plan.err;
    EXPECT_TRUE(has(plan.out, std::string("by the barrier of ") + lender)) << plan.out;
  }
}

TEST(PlanCommand, PlansForHosts) {
  for (const std::string& name :
       {machine("Zen4-AVX512"), machine("Zen4-AVX2"), machine("KNL7250"),
        std::string(tessera::source_directory()) + "/results/amd-epyc-zen3-avx2-2t/machine.json"}) {
    const Outcome outcome = run_program({"plan", "j3d7pt", "--machine", name, "--json"});
    ASSERT_EQ(outcome.status, 0) << name << ": " << outcome.err;
    const nlohmann::json order = nlohmann::json::parse(outcome.out).at("predicted");
    EXPECT_TRUE(std::any_of(order.begin(), order.end(),
                            [](const nlohmann::json& tile) {
                              return has(tile.at("name").get<std::string>(), "jacobi/skewed");
                            }))
        << name << ": " << order;
  }
}

TEST(PlanCommand, WithoutBandwidthsOfCachesThePlanStandsAlone) {
  const Outcome outcome = run_program({"plan", "j3d7pt", "--machine", machine("E5-2697v2")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "plan: ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "requires bytes and gb_per_s of cache L2")) << outcome.out;
}

TEST(PlanCommand, PlansForOtherMachinesAndPrecisions) {
  for (const char* name : {"H100", "H200"}) {
    for (const char* stencil : {"j2d25pt", "j3d13pt", "poisson"}) {
      for (const char* precision : {"float", "double"}) {
        const Outcome outcome =
            run_program({"plan", stencil, "--machine", machine(name), "--precision", precision});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_TRUE(has(outcome.out, "plan: "));
      }
    }
  }
}

TEST(PlanCommand, PlansForACoreWhoseScratchIsItsCache) {
  const Outcome outcome = run_program({"plan", "j3d7pt", "--machine", machine("KNL7250")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 512 KB a core, at the bandwidth of L2.
  EXPECT_TRUE(has(outcome.out, "scratch 3.05 TB/s")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "plan: 1 x ")) << outcome.out;
}

TEST(PlanCommand, PrintsTheLayerConditionsOfHostSweeps) {
  const Outcome text =
      run_program({"plan", "37pt", "--machine", machine("KNC5110P"), "--precision", "float"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"(7) ete/base_simd_blocked: 9 layers", "4 x 328 x Ny x 4 x 9", "Ny <= 4",
                           "(8) ete/scatter: 1 layer", "Ny <= 42"}) {
    EXPECT_TRUE(has(text.out, part)) << text.out;
  }
  const Outcome outcome =
      run_program({"plan", "ete/73pt", "--machine", machine("KNC7120P"), "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json.at("conditions").size(), 2U);
  EXPECT_EQ(json.at("conditions")[0].at("most_rows"), 1);
  EXPECT_EQ(json.at("conditions")[1].at("most_rows"), 13);
  for (const auto& row : json.at("conditions")) {
    if (row.at("configuration").is_null()) continue;  // a device's binary
    EXPECT_TRUE(row.at("holds").get<bool>());
    EXPECT_GT(row.at("cached_bytes").get<double>(), 0);
  }
  expect_error(run_program({"plan", "ete/37pt", "--machine", machine("A100")}), {"A100", "GPU"});
}

TEST(PlanCommand, RefusesWhatItDoesNotKnow) {
  expect_error(run_program({"plan", "j3d8pt", "--machine", machine("A100")}), {"j3d8pt", "j3d7pt"});
  expect_error(run_program({"plan", "j3d7pt", "--machine", "A1000"}),
               {"A1000", "the nearest name is A100"});
  expect_error(run_program({"plan", "j3d7pt", "--precision", "half"}), {"half"});
  expect_error(run_program({"plan"}), {"stencil"});
}

}  // namespace
}  // namespace tessera::test
