// SPDX-License-Identifier: Apache-2.0
// `tessera run` for a profiler, with counters of an earlier run, and beside published figures.
#include <algorithm>
#include <string>

#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

TEST_F(Cli, ProfileRunsButShowsNoRate) {
  const std::string out = (folder_ / "profile").string();
  const Outcome written =
      run_deck({"--profile", "-o", out, "--set", "acoustic.decomposition=[\"single\", \"seven\"]"});
  ASSERT_EQ(written.status, 0) << written.err;
  const json file = json::parse(read_text(out + "/result.json"));
  EXPECT_TRUE(file.at("streams").is_null());
  ASSERT_EQ(file.at("results").size(), 2U);
  for (const json& row : file.at("results")) {
    EXPECT_EQ(row.at("status"), "unverified");
    EXPECT_TRUE(row.at("gcell_per_s").is_null());
    EXPECT_TRUE(row.at("samples_s").empty());
    EXPECT_EQ(row.at("steps"), 2);
    EXPECT_GT(row.at("resources").at("loads_per_cell").get<double>(), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(out + "/result.csv"));
}

TEST_F(Cli, RunPrintsTheRoofline) {
  const Outcome outcome = run_deck();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"roofline: the lower of", "flop/B", "% bound", "fastest: "})
    EXPECT_TRUE(has(outcome.out, part));
  EXPECT_FALSE(has(outcome.out, "by hardware counters"));
  const json file = read_result();
  const json& row = file.at("results")[0];
  const double peak = file.at("roofline").at("peak_gflop_per_s");
  const double bandwidth = file.at("roofline").at("gb_per_s");
  const double intensity = row.at("flop_per_byte");
  const double roof = std::min(peak, intensity * bandwidth);
  EXPECT_NEAR(row.at("roofline_gflop_per_s").get<double>(), roof, 1e-9 * roof);
  EXPECT_NEAR(row.at("fraction_of_roofline").get<double>() * roof,
              row.at("gflop_per_s").get<double>(), 1e-9 * roof);
  EXPECT_GE(bandwidth, file.at("streams").at("update").get<double>());
}

TEST_F(Cli, CountersOfAnotherProblemAreNotTaken) {
  ASSERT_EQ(run_deck().status, 0);
  json file = read_result();
  const std::string old = (folder_ / "old.json").string();
  write_text(old, file.dump());
  expect_error(run_deck({"--counters", old}), {"old.json", "no row has counters"});
  file.at("results")[0].at("counters") = {{"dram_bytes_per_cell", 50.0}, {"profiler", "by hand"}};
  write_text(old, file.dump());
  // Of the same problem, another size too.
  const Outcome larger = run_deck({"--counters", old, "--set", "case.nx=28"});
  ASSERT_EQ(larger.status, 0) << larger.err;
  const json row = read_result().at("results")[0];
  const double flops =
      row.at("gflop_per_s").get<double>() / row.at("gcell_per_s").at("median").get<double>();
  EXPECT_NEAR(row.at("counters").at("dram_flop_per_byte").get<double>(), flops / 50, 1e-9);
  EXPECT_TRUE(row.at("counters").contains("dram_fraction_of_roofline"));
  const Outcome other = run_deck({"--counters", old, "--set", "acoustic.pml_cells=4"});
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_TRUE(has(other.err, "old.json")) << other.err;
  EXPECT_TRUE(read_result().at("results")[0].at("counters").empty());
}

TEST_F(Cli, PublishedFiguresStandBeside) {
  const std::string published =
      std::string(tessera::source_directory()) + "/inputs/published/sai-table2.toml";
  const Outcome outcome = run_deck({"--set", "output.published=" + published});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"beside Sai et al., Table II", "here GCell/s", "V100", "18.560", "0.065"})
    EXPECT_TRUE(has(outcome.out, part));
  const json row = read_result().at("results")[0].at("published");
  EXPECT_EQ(row.at("columns").size(), 3U);
  EXPECT_EQ(row.at("columns")[0].at("title"), "V100");
  expect_error(run_deck({"--set", "output.published=" + deck()}), {"tiny.toml", "schema"});
}

}  // namespace
}  // namespace tessera::test
