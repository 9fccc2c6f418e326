// SPDX-License-Identifier: Apache-2.0
// `tessera compare`: published tables say what the paper says, bad input gets one clear line.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string source(const std::string& path) { return std::string(TESSERA_SOURCE_DIR) + "/" + path; }

class Compare : public Cli {};

/// The line of a problem's table.
json line(const json& problem, const std::string& name) {
  for (const json& l : problem.at("variants")) {
    if (l.at("name") == name) return l;
  }
  return nullptr;
}

// Sai, section VI and Table II: the plain kernel in 8 x 8 x 8 blocks is first on a V100, streaming
// with fixed registers on a P100 (32 x 32) and on an NVS 510 (16 x 8).
TEST_F(Compare, PublishedTableSaysWhatThePaperSays) {
  const Outcome outcome =
      run_program({"compare", source("inputs/published/sai-table2.toml"), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  ASSERT_EQ(all.at("platforms").size(), 3U);
  const json& problem = all.at("problems").at(0);
  EXPECT_TRUE(problem.at("grids_differ").get<bool>());
  const json& best = problem.at("application").at("cells");
  EXPECT_EQ(best.at(0).at("variant"), "acoustic/gmem");
  EXPECT_EQ(best.at(0).at("configuration"), "8x8x8");
  EXPECT_EQ(best.at(1).at("variant"), "acoustic/st_reg_fixed");
  EXPECT_EQ(best.at(1).at("configuration"), "32x32");
  EXPECT_EQ(best.at(2).at("variant"), "acoustic/st_reg_fixed");
  EXPECT_EQ(best.at(2).at("configuration"), "16x8");
  // 53.88 s against 172.84 s on the V100.
  EXPECT_NEAR(
      line(problem, "acoustic/semi").at("cells").at(0).at("application_efficiency").get<double>(),
      53.88 / 172.84, 1e-9);
  for (const json& set : problem.at("sets")) EXPECT_FALSE(set.at("mixed_origins").get<bool>());
}

TEST_F(Compare, WritesTables) {
  const fs::path csv = folder_ / "p3.csv";
  const fs::path rows = folder_ / "rows.csv";
  const Outcome outcome =
      run_program({"compare", source("inputs/published/sai-table2.toml"), "--cascade",
                   "--configurations", "--csv", csv.string(), "--long-csv", rows.string()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"not rates", "Phi", "tau-b", "cascade", "if only one may be written"}) {
    EXPECT_TRUE(has(outcome.out, part)) << part;
  }
  EXPECT_TRUE(has(read_text(csv), "problem,application,platform,fom,app eff,arch eff"));
  EXPECT_TRUE(has(read_text(rows), "acoustic/gmem,8x8x8,valid"));
}

TEST_F(Compare, SummaryHasFamiliesWithoutTheTableOfEachProblem) {
  const Outcome outcome =
      run_program({"compare", source("inputs/published/sai-table2.toml"), "--summary"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "published GPUs"));
  EXPECT_TRUE(has(outcome.out, "acoustic/st_reg_fixed")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "variant, tuned"));
  EXPECT_FALSE(has(outcome.out, "if only one may be written"));
}

TEST_F(Compare, PredictionsArePlatformsOfTheirOwn) {
  const auto predict = [&](const char* machine) {
    const std::string path = (folder_ / (std::string(machine) + "-predicted.json")).string();
    const Outcome outcome = run_program({"predict", source("inputs/su-k20.toml"), "--machine",
                                         machine, "-v", "low_order/*", "-o", path});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return path;
  };
  const Outcome outcome = run_program({"compare", predict("K20"), predict("V100"), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  ASSERT_EQ(all.at("platforms").size(), 2U);
  for (const json& platform : all.at("platforms")) EXPECT_EQ(platform.at("origin"), "predicted");
  const json& problem = all.at("problems").at(0);
  EXPECT_EQ(problem.at("sets").at(0).at("name"), "predicted GPUs");
  for (const json& cell : problem.at("application").at("cells")) {
    EXPECT_GT(cell.at("gcell_per_s").get<double>(), 0);
    EXPECT_GT(cell.at("architectural_efficiency").get<double>(), 0);
  }
}

TEST_F(Compare, BadInputGetsOneLine) {
  expect_error(run_program({"compare", "nowhere.json"}), {"nowhere.json"});
  const fs::path cut = folder_ / "cut.json";
  std::ofstream(cut) << R"({"schema": "tessera-result-1", "results": [)";
  expect_error(run_program({"compare", cut.string()}), {"cut.json", "JSON"});
  const fs::path other = folder_ / "other.json";
  std::ofstream(other) << R"({"schema": "tessera-result-9"})";
  expect_error(run_program({"compare", other.string()}), {"other.json", "tessera-result-9"});
  std::ofstream(other) << R"({"schema": "tessera-machine-1"})";
  expect_error(run_program({"compare", other.string()}), {"other.json", "result"});
  fs::create_directory(folder_ / "empty");
  expect_error(run_program({"compare", (folder_ / "empty").string()}), {"empty", "no result"});
  expect_error(
      run_program({"compare", source("inputs/published/sai-table2.toml"), "--platforms", "K40"}),
      {"K40", "V100"});
  expect_error(run_program({"compare", "--difference", cut.string()}), {"--difference"});
}

}  // namespace
}  // namespace tessera::test
