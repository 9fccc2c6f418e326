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
    EXPECT_TRUE(has(help.out, std::string("tessera ") + command)) << "every page has examples";
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
  for (const char* seed : {"-1", "99999999999999999999", "010", ""}) {
    expect_error(run_program({"verify", "--seed", seed}), {"--seed", seed});
  }
  expect_error(run_program({"tune", "--steps", "0"}), {"1048576"});
}

TEST(Options, WithoutEffectAreRefused) {
  const std::string inputs = std::string(tessera::source_directory()) + "/inputs/";
  const std::string deck = inputs + "quick.toml";
  const std::vector<std::pair<Arguments, Arguments>> cases = {
      {{"tune", deck, "--machine", "no-such"}, {"--machine", "--prune"}},
      {{"predict", deck, "-m", "K20", "--explain", "--json"}, {"--explain", "--json"}},
      {{"list", "--launches", "acoustic"}, {"--launches", "patterns"}},
      {{"list", "--launches", "-m", "H100"}, {"--launches", "--machine"}},
      {{"list", "--markdown", "--tag", "paper"}, {"--markdown", "--tag"}},
      {{"list", "--resources", "--deck", deck, "--precision", "double"}, {"--precision", "--deck"}},
      {{"run", deck, "--json", "--wide"}, {"--json", "--wide"}},
      {{"run", deck, "--fom", "--all"}, {"--fom", "--all"}},
      {{"run", deck, "--profile", "--resume"}, {"--profile", "--resume"}},
      {{"study", inputs + "study.toml", "--predict", "V100", "-m", "H100"},
       {"--predict", "--machine"}}};
  for (const auto& [arguments, parts] : cases) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    expect_error(run_program(arguments), parts);
  }
}

TEST(Options, IncompleteCommandsSayWhatIsMissing) {
  for (const auto& [arguments, part] : {std::pair(Arguments{}, "subcommand"),
                                        {{"run"}, "inputs/quick.toml"},
                                        {{"fit"}, "deck"},
                                        {{"plan"}, "stencil"},
                                        {{"study"}, "inputs/study.toml"},
                                        {{"run", "quick", "--faster"}, "--faster"}}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_NE(outcome.status, 0);
    EXPECT_TRUE(has(outcome.out + outcome.err, part));
  }
}

}  // namespace
}  // namespace tessera::test
