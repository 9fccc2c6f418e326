// SPDX-License-Identifier: Apache-2.0
// Commands that measure nothing: list, describe and verify.
#include <algorithm>
#include <string>
#include <vector>

#include "base/device/space.hpp"
#include "base/support/build_info.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

TEST_F(Cli, TheVersionIsTheBuilds) {
  const Outcome version = run_program({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(has(version.out, build_info().version));
  EXPECT_TRUE(has(version.out, build_info().git_revision));
  EXPECT_EQ(std::count(version.out.begin(), version.out.end(), '\n'), 1);
}

TEST_F(Cli, ListShowsEveryConfigurationOnce) {
  std::vector<std::string> names;
  for (const json& row : json::parse(run_program({"list", "--json"}).out)) {
    names.push_back(row.at("name"));
    EXPECT_TRUE(row.at("resources").contains("scratch_bytes"));
  }
  for (const char* name :
       {"acoustic/naive:default", "acoustic/gmem:8x8x8", "acoustic/st_reg_fixed:32x16"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  const Outcome table = run_program({"list", "*"});
  for (const auto& name : names) EXPECT_TRUE(has(table.out, name));
  // Without a name: the variants, a line each.
  const Outcome variants = run_program({"list"});
  EXPECT_FALSE(has(variants.out, "gmem:8x8x8"));
  for (const auto& variant : all_variants().variants()) {
    EXPECT_TRUE(has(variants.out, variant->name));
    EXPECT_TRUE(has(variants.out, variant->summary));
  }
  expect_error(run_program({"list", "acoustic/gmen"}), {"acoustic/gmen", "acoustic/gmem"});
  expect_error(run_program({"list", "--tag", "steaming"}), {"--tag steaming", "streaming"});
  expect_error(run_program({"list", "acoustic/gmem", "--tag", "temporal"}), {"temporal"});
}

TEST_F(Cli, ListPrintsTheTablesOfTheDocs) {
  EXPECT_TRUE(has(run_program({"list", "--markdown"}).out, "| acoustic | 1 | 16 |"));
  const Outcome acoustic = run_program({"list", "--markdown", "acoustic"});
  EXPECT_TRUE(has(acoustic.out, "| `st_reg_fixed` |")) << acoustic.out;
  EXPECT_FALSE(has(acoustic.out, "zblock"));
  expect_error(run_program({"list", "--markdown", "acoustics"}), {"acoustics", "directional"});
}

TEST_F(Cli, DescribeSpeaksOfAVariant) {
  const Outcome outcome = run_program({"describe", "ete/scatter"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"formula", "source", "memory", "loses", "supports", "flops a cell",
                           "14 B a cell in float, 26 B in double"}) {  // 2 B of index
    EXPECT_TRUE(has(outcome.out, part));
  }
  const json described = json::parse(run_program({"describe", "gmem:8x8x8", "--json"}).out);
  EXPECT_EQ(described.at("name"), "acoustic/gmem");
  ASSERT_EQ(described.at("configurations").size(), 1u);
  EXPECT_GT(described.at("configurations")[0].at("double").at("resources").at("team"), 0);
  expect_error(run_program({"describe", "acoustic/gmem:8x8x88"}), {"acoustic/gmem:8x8x8"});
}

TEST_F(Cli, VerifyComparesWithTheReference) {
  const Outcome outcome =
      run_program({"verify", "acoustic/st_reg_fix*:32x16", "--seed", "7", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json verified = json::parse(outcome.out);
  EXPECT_EQ(verified.at("seed"), 7);
  // Two precisions in three decompositions, on a device five.
  EXPECT_EQ(verified.at("rows").size(), kOnDevice ? 10U : 6U);
  for (const json& row : verified.at("rows")) EXPECT_EQ(row.at("status"), "valid") << row;
  for (const auto& [more, part] :
       {std::pair(Arguments{"acoustic/nothing*"}, "acoustic/nothing*"),
        {{"acoustic/naive", "--precision", "float", "float"}, "--precision"},
        {{"acoustic/naive", "--stencil", "iso26"}, "iso25"},
        {{"acoustic/naive", "--ranks", "2x1x1"}, "--ranks = 2x1x1"}}) {
    Arguments arguments{"verify"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_error(run_program(arguments), {part});
  }
}

TEST_F(Cli, ResourcesGoByRegions) {
  const Outcome outcome = run_program({"list", "--resources", "--deck", deck(), "--set",
                                       "acoustic.decomposition=[\"seven\"]", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json rows = json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 4U) << "one configuration; opposite slabs are one row";
  const char* regions[] = {"inner", "top/bottom", "front/back", "left/right"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("region"), regions[i]);
    EXPECT_EQ(rows[i].at("name"), "acoustic/gmem:8x8x8");
    EXPECT_TRUE(rows[i].at("registers").is_null()) << "no table was given";
  }
  // 24 x 22 x 20 cells, layers of 3: 18 x 16 x 14 inside, slabs of 24 x 22 x 3.
  EXPECT_EQ(rows[0].at("league"), 3 * 2 * 2);
  EXPECT_EQ(rows[1].at("league"), 3 * 3 * 1);
}

TEST_F(Cli, ResourcesTakeTheCompilersTable) {
  const std::string csv_file = (folder_ / "registers.csv").string();
  write_text(csv_file,
             "variant,tile,precision,update,registers,spill_store_bytes\n"
             "acoustic/gmem,8x8x8,float,inner,40,0\nacoustic/gmem,8x8x8,float,pml,48,12\n");
  const json rows = json::parse(
      run_program({"list", "acoustic/gmem:8x8x8", "--resources", "--registers", csv_file, "--json"})
          .out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("registers"), 40);
  EXPECT_EQ(rows[1].at("registers"), 48);
  EXPECT_EQ(rows[1].at("spilled_bytes"), 12);
  // A team of one thread has no occupancy; a device's is a share of its warps.
  if (rows[0].at("team") == 1) {
    EXPECT_TRUE(rows[0].at("warps").is_null());
  } else if (!rows[0].at("occupancy").is_null()) {
    EXPECT_GT(rows[0].at("occupancy").get<double>(), 0);
    EXPECT_LE(rows[0].at("occupancy").get<double>(), 1);
  }
  expect_error(run_program({"list", "--resources", "--registers", deck()}), {"tiny.toml"});
  expect_error(run_program({"list", "--registers", csv_file}), {"--resources"});
}

TEST_F(Cli, ResourcesStandBesideTheSeedsTable) {
  const std::string table3 = std::string(tessera::source_directory()) + "/inputs/sai-table3.toml";
  const Outcome outcome =
      run_program({"list", "acoustic/gmem:8x8x8", "--resources", "--deck", table3});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // The regions of the case give the paper's grid sizes. 66.4 is no resource: achieved occupancy.
  for (const char* part : {"V100", "1685159", "56644", "75.0"}) EXPECT_TRUE(has(outcome.out, part));
  EXPECT_FALSE(has(outcome.out, "66.4"));
}

}  // namespace
}  // namespace tessera::test
