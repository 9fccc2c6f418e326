// SPDX-License-Identifier: Apache-2.0
// Options that take a number, whichever command has them: each refuses what the parser would take
// for another number. Which these are, --help says.
#include <regex>
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

TEST(Options, NumbersAreWrittenAsNumbers) {
  const std::regex number(R"((--[a-z-]+) (FLOAT|INT|UINT)\b)");
  int found = 0;
  for (const char* command : {"list", "describe", "run", "verify", "fit", "machine", "predict",
                              "plan", "compare", "shot", "survey", "tune", "study"}) {
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
  EXPECT_GE(found, 6);
}

TEST(Options, SayWhatANumberIs) {
  expect_error(run_program({"verify", "--seed", "010"}),
               {"--seed: 010 is no whole number from 0 to 18446744073709551615"});
  expect_error(run_program({"tune", "--steps", "0x10"}),
               {"0x10 is no whole number from -9223372036854775808 to 9223372036854775807"});
  expect_error(run_program({"tune", "--steps", "0"}), {"Value 0 not in range 1 to 1048576"});
  expect_error(run_program({"predict", "--prune", "nan"}), {"--prune: nan is no finite number"});
  expect_error(run_program({"predict", "--worst", ""}), {"--worst: is empty: give it a value"});
}

}  // namespace
}  // namespace tessera::test
