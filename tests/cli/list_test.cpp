// SPDX-License-Identifier: Apache-2.0
// Commands that measure nothing: help, list, describe and verify.
#include <algorithm>
#include <string>
#include <vector>

#include "base/device/space.hpp"
#include "base/support/build_info.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

TEST_F(Cli, HelpAndVersionNeedNothing) {
  for (const Arguments& arguments :
       {Arguments{"--help"}, Arguments{"list", "--help"}, Arguments{"describe", "--help"},
        Arguments{"run", "--help"}, Arguments{"verify", "--help"}, Arguments{"machine", "--help"},
        Arguments{"shot", "--help"}}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments.front() << outcome.err;
    // Example lines start with the program, whatever indentation this CLI11 gives them.
    const std::string command = arguments.size() > 1 ? arguments.front() : "run";
    const char* heading = arguments.size() > 1 ? "Examples:" : "Start here:";
    const std::size_t examples = outcome.out.find(heading);
    ASSERT_NE(examples, std::string::npos) << arguments.front();
    const std::string shown = outcome.out.substr(examples);
    const std::size_t example = shown.find("tessera " + command);
    ASSERT_NE(example, std::string::npos) << "every help page has examples: " << shown;
    EXPECT_NE(std::string(" \n").find(shown[example - 1]), std::string::npos) << shown;
    EXPECT_EQ(outcome.err, "");
  }
  const Outcome version = run_program({"--version"});
  EXPECT_EQ(version.status, 0);
  const BuildInfo& build = build_info();
  EXPECT_EQ(version.out,
            build.version + " (" + build.git_revision + (build.git_dirty ? "+)\n" : ")\n"));
}

TEST_F(Cli, IncompleteCommandsSayWhatIsMissing) {
  const Outcome bare = run_program({});
  EXPECT_NE(bare.status, 0);
  EXPECT_TRUE(has(bare.out + bare.err, "subcommand"));
  const Outcome no_deck = run_program({"run"});
  EXPECT_NE(no_deck.status, 0);
  EXPECT_TRUE(has(no_deck.err, "inputs/quick.toml"));
  const Outcome unknown = run_program({"run", deck(), "--faster"});
  EXPECT_NE(unknown.status, 0);
  EXPECT_TRUE(has(unknown.err, "--faster"));
  expect_untouched();
}

TEST_F(Cli, ListShowsEveryConfigurationOnce) {
  const json rows = json::parse(run_program({"list", "--json"}).out);
  ASSERT_TRUE(rows.is_array());
  std::vector<std::string> names;
  for (const json& row : rows) {
    names.push_back(row.at("name"));
    EXPECT_TRUE(row.at("resources").contains("scratch_bytes"));
  }
  for (const char* name :
       {"acoustic/naive:default", "acoustic/gmem:8x8x8", "acoustic/st_reg_fixed:32x16"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  const Outcome table = run_program({"list", "*"});
  EXPECT_EQ(table.status, 0) << table.err;
  for (const auto& name : names) EXPECT_TRUE(has(table.out, name));
  // Without a name: the variants, a line each, whole where it goes to no terminal.
  const Outcome variants = run_program({"list"});
  EXPECT_EQ(variants.status, 0) << variants.err;
  for (const auto& name : names) EXPECT_TRUE(has(variants.out, name.substr(0, name.find(':'))));
  EXPECT_FALSE(has(variants.out, "gmem:8x8x8"));
  for (const auto& variant : all_variants().variants()) {
    EXPECT_TRUE(has(variants.out, "  " + variant->summary + "\n")) << variants.out;
  }
  expect_error(run_program({"list", "acoustic/gmen"}), {"acoustic/gmen", "acoustic/gmem"});
}

TEST_F(Cli, NameOfAFamilyOrVariantIsAPattern) {
  const auto names = [](const char* pattern) {
    std::vector<std::string> found;
    for (const json& row : json::parse(run_program({"list", pattern, "--json"}).out)) {
      found.push_back(row.at("name"));
    }
    return found;
  };
  EXPECT_EQ(names("gmem"), names("acoustic/gmem"));
  EXPECT_EQ(names("gmem:8x8x8"), std::vector<std::string>{"acoustic/gmem:8x8x8"});
  EXPECT_EQ(names("acoustic"), names("acoustic/*"));
  EXPECT_GT(names("*").size(), names("acoustic").size());
}

TEST_F(Cli, TablesAreThereAsJson) {
  const json verified =
      json::parse(run_program({"verify", "acoustic/gmem:8x8x8", "--json", "--seed", "5"}).out);
  EXPECT_EQ(verified.at("seed"), 5);
  ASSERT_FALSE(verified.at("rows").empty());
  for (const json& row : verified.at("rows")) EXPECT_EQ(row.at("status"), "valid") << row;
  const json described = json::parse(run_program({"describe", "gmem:8x8x8", "--json"}).out);
  EXPECT_EQ(described.at("name"), "acoustic/gmem");
  ASSERT_EQ(described.at("configurations").size(), 1u);
  EXPECT_GT(described.at("configurations")[0].at("double").at("resources").at("team"), 0);
  const json planned =
      json::parse(run_program({"plan", "j3d7pt", "--machine", "A100", "--json"}).out);
  EXPECT_EQ(planned.at("machine"), "A100");
  EXPECT_GT(planned.at("temporal_depth").get<int>(), 1);
  const json tuned = json::parse(
      run_program({"tune", deck(), "--json", "-w", (folder_ / "tuned.json").string()}).out);
  EXPECT_EQ(tuned.at("results")[0].at("status"), "valid");
}

TEST_F(Cli, DescribeNamesTheFamiliesOfAShortName) {
  expect_error(run_program({"describe", "naive"}),
               {"\"naive\" exists in acoustic, ", ": write FAMILY/naive"});
}

TEST_F(Cli, DescribeTellsBytesOfEitherPrecision) {
  for (const auto& [name, least] :
       {std::pair("acoustic/gmem", "at least 16 B a cell in float, 32 B in double"),
        {"ete/scatter", "at least 14 B a cell in float, 26 B in double"}}) {  // 2 B of index
    const Outcome outcome = run_program({"describe", name});
    EXPECT_TRUE(has(outcome.out, least)) << outcome.out;
  }
}

TEST_F(Cli, DescribeSpeaksOfEveryVariant) {
  std::vector<std::string> names;
  for (const json& row : json::parse(run_program({"list", "--json"}).out)) {
    const auto full = row.at("name").get<std::string>();
    const std::string name = full.substr(0, full.find(':'));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  for (const auto& name : names) {
    const Outcome outcome = run_program({"describe", name});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* part : {"formula", "source", "memory", "loses", "supports", "flops a cell"})
      EXPECT_TRUE(has(outcome.out, part)) << name;
  }
  expect_error(run_program({"describe", "acoustic/st_reg_fxed"}), {"acoustic/st_reg_fixed"});
  expect_error(run_program({"describe", "acoustic/gmem:8x8x88"}), {"acoustic/gmem:8x8x8"});
}

TEST_F(Cli, VerifyComparesWithTheReference) {
  const Outcome outcome = run_program({"verify", "acoustic/st_reg_fix*:32x16", "--seed", "7"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "seed 7"));
  // Two precisions in three decompositions, on a device five.
  EXPECT_TRUE(has(outcome.out, kOnDevice ? "10 valid, 0 invalid, 0 unsupported"
                                         : "6 valid, 0 invalid, 0 unsupported"));
  EXPECT_EQ(has(outcome.out, "seven_concurrent"), kOnDevice);
  EXPECT_EQ(has(outcome.out, "two_concurrent"), kOnDevice);
  expect_error(run_program({"verify", "acoustic/nothing*"}), {"acoustic/nothing*"});
  expect_error(run_program({"verify", "acoustic/naive", "--precision", "float", "float"}),
               {"--precision: float is listed twice"});
  expect_error(run_program({"verify", "acoustic/naive", "--stencil", "iso26"}),
               {"--stencil iso26", "iso25"});
  expect_error(run_program({"list", "--tag", "steaming"}), {"--tag steaming", "streaming"});
}

TEST_F(Cli, ListPrintsTheTablesOfTheDocs) {
  const Outcome families = run_program({"list", "--markdown"});
  ASSERT_EQ(families.status, 0) << families.err;
  EXPECT_TRUE(has(families.out, "| acoustic | 1 | 15 |")) << families.out;
  const Outcome acoustic = run_program({"list", "--markdown", "acoustic"});
  ASSERT_EQ(acoustic.status, 0) << acoustic.err;
  EXPECT_TRUE(has(acoustic.out, "| `st_reg_fixed` | 2.5D streaming")) << acoustic.out;
  EXPECT_FALSE(has(acoustic.out, "zblock"));
  const Outcome none = run_program({"list", "--markdown", "acoustics"});
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(has(none.err, "\"acoustics\" is none of acoustic, directional")) << none.err;
}

}  // namespace
}  // namespace tessera::test
