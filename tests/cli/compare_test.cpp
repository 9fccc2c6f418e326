// SPDX-License-Identifier: Apache-2.0
// `tessera compare`: published tables say what the paper says, bad input gets one clear line.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string source(const std::string& path) {
  return std::string(tessera::source_directory()) + "/" + path;
}

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

// What blocks in time is predicted by EBISU's model, and stands beside the rest.
TEST_F(Compare, PredictionsOfTemporalBlockingAreTaken) {
  const std::string path = (folder_ / "a100.json").string();
  const Outcome predicted = run_program({"predict", source("inputs/ebisu-j3d7pt.toml"), "--machine",
                                         "A100", "-v", "overlapped", "-o", path});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_TRUE(has(predicted.out, "blocks in time: attainable"));
  int rows = 0;
  const json file = json::parse(read_text(path));
  for (const json& run : file.at("cases")) {
    for (const json& row : run.at("rows")) {
      if (!row.contains("gcell_per_s")) continue;
      ++rows;
      EXPECT_EQ(row.at("unsupported"), "") << row;
      EXPECT_TRUE(has(row.at("remark"), "binds")) << row;
    }
  }
  EXPECT_GT(rows, 0);
  const Outcome outcome = run_program({"compare", path, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  EXPECT_EQ(all.at("problems").at(0).at("configurations").size(), static_cast<std::size_t>(rows));
  // Files of earlier versions have the remark where the reason stands.
  json old = json::parse(read_text(path));
  for (json& row : old.at("cases")[0].at("rows")) row.at("unsupported") = "blocks in time";
  write_text(path, old.dump());
  EXPECT_EQ(run_program({"compare", path}).status, 0);
}

// A one-step roofline bounds no row that makes several steps a pass; bytes alone are a bound.
TEST_F(Compare, PublishedRowsHaveTheBoundThatIsTheirs) {
  const Outcome ebisu =
      run_program({"compare", source("inputs/published/ebisu-a100.toml"), "--json"});
  ASSERT_EQ(ebisu.status, 0) << ebisu.err;
  const json temporal = json::parse(ebisu.out);
  ASSERT_EQ(temporal.at("problems").size(), 2U);
  for (const json& problem : temporal.at("problems")) {
    for (const json& cell : problem.at("application").at("cells")) {
      EXPECT_TRUE(cell.at("architectural_efficiency").is_null()) << cell;
    }
  }
  const Outcome amd =
      run_program({"compare", source("inputs/published/amd-bandwidth.toml"), "--json"});
  ASSERT_EQ(amd.status, 0) << amd.err;
  const json plain = json::parse(amd.out);
  ASSERT_EQ(plain.at("problems").size(), 5U);
  for (const json& problem : plain.at("problems")) {
    for (const json& cell : problem.at("application").at("cells")) {
      EXPECT_GT(cell.at("architectural_efficiency").get<double>(), 0.5) << cell;
      EXPECT_LT(cell.at("architectural_efficiency").get<double>(), 1.0) << cell;
    }
  }
}

TEST_F(Compare, DifferenceNamesBothSides) {
  ASSERT_EQ(run_deck().status, 0);
  json run = read_result();
  run.at("build").at("git_revision") = "0123456789abcdef";
  run.at("build").at("git_dirty") = false;
  json& row = run.at("results")[0];
  json never = row;
  never.at("status") = "unsupported";
  never.at("reason") = "too large";
  never.at("configuration") = "9x9x9";
  never.at("gcell_per_s") = nullptr;
  never.at("samples_s") = json::array();
  run.at("results").push_back(never);
  const fs::path stored = folder_ / "stored";
  fs::create_directory(stored);
  const std::string after = (stored / "after.json").string();
  write_text(after, run.dump());
  const std::string when = "revision 01234567 of ", date = run.at("date").get<std::string>();
  run.at("date") = "2026-01-31T00:00:00Z";
  write_text(stored / "before.json", run.dump());
  // The run in the folder is not what it is set beside.
  const Outcome outcome = run_program({"compare", "--difference", stored.string(), after});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "before: " + when + "2026-01-31T00:00:00Z")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "after: " + when + date)) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "after.json: left out")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "1 same; 1 valid in neither")) << outcome.out;
  expect_error(run_program({"compare", "--difference", after, after}), {"the run itself"});
}

// A file without streams and roofs is of `tune`.
TEST_F(Compare, RowsOfRunCountBeforeThoseOfTune) {
  ASSERT_EQ(run_deck().status, 0);
  json tuning = read_result();
  tuning.at("date") = "2999-01-01T00:00:00Z";
  tuning.at("streams") = nullptr;
  tuning.at("roofline") = nullptr;
  json& row = tuning.at("results")[0];
  row.at("gcell_per_s") = {{"min", 1e6}, {"median", 1e6}, {"max", 1e6}};
  const std::string tune = (folder_ / "a-tune.json").string();
  write_text(tune, tuning.dump());
  for (const Arguments& files : {Arguments{result(), tune}, Arguments{tune, result()}}) {
    const Outcome outcome = run_program({"compare", files[0], files[1], "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json all = json::parse(outcome.out);
    const json& cell = all.at("problems").at(0).at("application").at("cells").at(0);
    EXPECT_LT(cell.at("gcell_per_s").get<double>(), 1e6);
    EXPECT_TRUE(has(outcome.out, "1 of tune give way to those of run")) << outcome.out;
  }
  EXPECT_EQ(run_program({"compare", tune}).status, 0) << "alone it is compared";
}

TEST_F(Compare, AWholePathMayHaveAnEqualsSign) {
  const fs::path folder = folder_ / "a=b";
  fs::create_directory(folder);
  fs::copy_file(source("inputs/published/sai-table2.toml"), folder / "x.toml");
  const Outcome whole = run_program({"compare", (folder / "x.toml").string(), "--json"});
  EXPECT_EQ(whole.status, 0) << whole.err;
  expect_error(run_program({"compare", (folder / "none.json").string()}),
               {"none.json", "is read as NAME=PATH"});
}

TEST_F(Compare, TwoMachinesOfOneNameAndNoCommonCaseGetOneLine) {
  ASSERT_EQ(run_deck().status, 0);
  const json here = read_result();
  json there = here;
  there.at("machine").at("device") = "Another Device";
  const std::string other = (folder_ / "other.json").string();
  write_text(other, there.dump());
  expect_error(run_program({"compare", result(), other}), {"two machines", "NAME=FILE"});
  EXPECT_EQ(run_program({"compare", "a=" + result(), "b=" + other}).status, 0);
  for (json& row : there.at("results")) row.at("precision") = "double";
  write_text(other, there.dump());
  expect_error(run_program({"compare", "a=" + result(), "b=" + other}), {"two of the 2 platforms"});
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
  fs::create_directories(folder_ / "studies" / "mine");
  expect_error(run_program({"compare", (folder_ / "studies").string()}),
               {"no result", "name its folders", "mine"});
  expect_error(run_program({"compare"}), {"tessera run"});
  for (const char* name : {"", " "}) {
    expect_error(run_program({"compare", name + std::string("=") + source("results")}),
                 {"no name before the ="});
  }
  const Outcome tolerance =
      run_program({"compare", "--difference", "a.json", "b.json", "--tolerance", "-5"});
  expect_error(tolerance, {"--tolerance: -5 is not between"});
  expect_error(run_program({"compare", source("inputs/quick.toml")}),
               {"quick.toml", "tessera run"});
  expect_error(
      run_program({"compare", source("inputs/published/sai-table2.toml"), "--platforms", "K40"}),
      {"K40", "V100"});
  expect_error(run_program({"compare", "--difference", cut.string()}), {"--difference"});
}

}  // namespace
}  // namespace tessera::test
