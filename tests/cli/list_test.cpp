// SPDX-License-Identifier: Apache-2.0
// Commands that measure nothing: help, list, describe and verify.
#include <algorithm>
#include <string>
#include <vector>

#include "device/space.hpp"
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
  EXPECT_EQ(version.out.find_first_not_of("0123456789."), version.out.find(" (")) << version.out;
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
  EXPECT_EQ(read_text(result()), kOldResult);
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
  const Outcome table = run_program({"list"});
  EXPECT_EQ(table.status, 0) << table.err;
  for (const auto& name : names) EXPECT_TRUE(has(table.out, name));
  expect_error(run_program({"list", "acoustic/gmen"}), {"acoustic/gmen", "acoustic/gmem"});
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
  // Two precisions in three decompositions, on a device four.
  EXPECT_TRUE(has(outcome.out, kOnDevice ? "8 valid, 0 invalid, 0 unsupported"
                                         : "6 valid, 0 invalid, 0 unsupported"));
  EXPECT_EQ(has(outcome.out, "seven_concurrent"), kOnDevice);
  expect_error(run_program({"verify", "acoustic/nothing*"}), {"acoustic/nothing*"});
  expect_error(run_program({"verify", "acoustic/naive", "--stencil", "iso26"}),
               {"--stencil iso26", "iso25"});
  expect_error(run_program({"list", "--tag", "steaming"}), {"--tag steaming", "streaming"});
}

TEST_F(Cli, ListPrintsTheTablesOfTheDocs) {
  const Outcome families = run_program({"list", "--markdown"});
  ASSERT_EQ(families.status, 0) << families.err;
  EXPECT_TRUE(has(families.out, "| acoustic | 1 | 12 |")) << families.out;
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
