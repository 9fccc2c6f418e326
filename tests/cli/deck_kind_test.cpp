// SPDX-License-Identifier: Apache-2.0
// A deck that is given to another command: the message names the command that takes it.
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

TEST_F(Cli, DeckOfAnotherCommandIsToldWhose) {
  const auto refused = [](const Arguments& arguments, const char* taker) {
    SCOPED_TRACE(arguments[0] + " " + arguments[1]);
    expect_error(run_program(arguments), {arguments[1].c_str(), taker});
  };
  for (const char* command : {"run", "tune"}) {
    refused({command, "shot.toml"}, "tessera shot takes it");
    refused({command, "first-study.toml"}, "tessera study takes it");
    refused({command, "published/sai-table2.toml"}, "tools/compare.py takes it");
  }
  refused({"predict", "shot.toml", "-m", "H100"}, "tessera shot takes it");
  refused({"shot", "quick.toml"}, "tessera run takes it");
  refused({"shot", "first-study.toml"}, "tessera study takes it");
  refused({"study", "quick.toml"}, "tessera run takes it");
  refused({"fit", "first-study.toml"}, "tessera study takes it");
}

TEST_F(Cli, OverridesMakeADeckAnothers) {
  // The grid and the velocity of a shot, as a study.
  const Outcome dry = run_program({"run", "shot.toml", "--dry-run", "--set", "case.steps=4"});
  EXPECT_FALSE(has(dry.err, "takes it")) << dry.err;
}

}  // namespace
}  // namespace tessera::test
