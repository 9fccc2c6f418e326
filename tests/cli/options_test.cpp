// SPDX-License-Identifier: Apache-2.0
// Options of all commands. Those that take a number refuse what the parser would take for another
// number; which these are, --help says. What has no effect beside another is refused.
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

TEST(Options, NumbersAreWrittenAsNumbers) {
  const std::regex number(R"((--[a-z-]+) (FLOAT|INT|UINT)\b)");
  int found = 0;
  for (const char* command : {"list", "describe", "run", "verify", "fit", "machine", "predict",
                              "plan", "shot", "survey", "tune", "study"}) {
    const Outcome help = run_program({command, "--help"});
    ASSERT_EQ(help.status, 0) << help.err;
    for (std::sregex_iterator at(help.out.begin(), help.out.end(), number), end; at != end; ++at) {
      const std::string option = (*at)[1];
      SCOPED_TRACE(command + (" " + option));
      ++found;
      for (const char* bad : {"0x10", "nan"}) {
        expect_error(run_program({command, option, bad}), {option, bad});
      }
    }
  }
  EXPECT_GE(found, 4);
}

TEST(Options, SayWhatANumberIs) {
  expect_error(run_program({"verify", "--seed", "010"}),
               {"--seed: 010 is no whole number from 0 to 18446744073709551615"});
  expect_error(run_program({"tune", "--steps", "0x10"}),
               {"0x10 is no whole number from -9223372036854775808 to 9223372036854775807"});
  expect_error(run_program({"tune", "--steps", "0"}), {"Value 0 not in range 1 to 1048576"});
  expect_error(run_program({"tune", "--prune", "nan"}), {"--prune: nan is no finite number"});
  expect_error(run_program({"verify", "--seed", ""}), {"--seed: is empty: give it a value"});
}

TEST(Options, WithoutEffectAreRefused) {
  const std::string inputs = std::string(tessera::source_directory()) + "/inputs/";
  const std::string deck = inputs + "quick.toml";
  const std::string suite = inputs + "study.toml";
  const std::vector<std::pair<Arguments, Arguments>> cases = {
      {{"tune", deck, "--machine", "no-such"}, {"--machine", "--prune"}},
      {{"predict", deck, "-m", "K20", "--explain", "--json"}, {"--explain", "--json"}},
      {{"predict", deck, "-m", "K20", "--explain", "--ranks", "1x1x2"}, {"--explain", "--ranks"}},
      {{"list", "--launches", "acoustic"}, {"--launches", "patterns"}},
      {{"list", "--launches", "--json"}, {"--launches", "--json"}},
      {{"list", "--launches", "--markdown"}, {"--launches", "--markdown"}},
      {{"list", "--launches", "-m", "H100"}, {"--launches", "--machine"}},
      {{"list", "--launches", "--precision", "double"}, {"--launches", "--precision"}},
      {{"list", "--launches", "--tag", "paper"}, {"--launches", "--tag"}},
      {{"list", "--launches", "--resources"}, {"--launches", "--resources"}},
      {{"list", "--markdown", "--tag", "paper"}, {"--markdown", "--tag"}},
      {{"list", "--markdown", "-m", "H100"}, {"--markdown", "--machine"}},
      {{"list", "--markdown", "--json"}, {"--markdown", "--json"}},
      {{"list", "--resources", "--markdown"}, {"--resources", "--markdown"}},
      {{"list", "--resources", "-m", "H100"}, {"--resources", "--machine"}},
      {{"list", "--resources", "--deck", deck, "--precision", "double"}, {"--precision", "--deck"}},
      {{"run", deck, "--json", "--wide"}, {"--json", "--wide"}},
      {{"run", deck, "--fom", "--all"}, {"--fom", "--all"}},
      {{"run", deck, "--profile", "--json"}, {"--profile", "--json"}},
      {{"run", deck, "--profile", "--strict"}, {"--profile", "--strict"}},
      {{"run", deck, "--profile", "--resume"}, {"--profile", "--resume"}},
      {{"run", deck, "--profile", "--time-budget", "1m"}, {"--profile", "--time-budget"}},
      {{"study", suite, "--predict", "V100", "-m", "H100"}, {"--predict", "--machine"}},
      {{"study", suite, "--predict", "V100", "--resume"}, {"--predict", "--resume"}},
      {{"study", suite, "--predict", "V100", "--time-budget", "1m"},
       {"--predict", "--time-budget"}},
  };
  for (const auto& [arguments, parts] : cases) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    expect_error(run_program(arguments), parts);
  }
}

}  // namespace
}  // namespace tessera::test
