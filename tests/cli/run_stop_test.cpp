// SPDX-License-Identifier: Apache-2.0
// `tessera run` stopped in the middle by SIGINT.
#include <csignal>
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

/// Samples of a few microseconds, without end.
const Arguments kEndless = overrides({"measure.repetitions=1000000"});

TEST_F(Cli, InterruptedRunWritesWhatItHas) {
  ChildProcess child(run_arguments(kEndless), on_a_terminal());
  // The second "timing" comes after the first repetition.
  ASSERT_TRUE(child.wait_for_err("timing", 2)) << child.err();
  child.send(SIGINT);
  const Outcome outcome = child.finish();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_TRUE(has(outcome.err, "interrupted"));
  EXPECT_TRUE(has(outcome.out, out()));
  EXPECT_EQ(run_record().at("state"), "failed");
  const json row = read_result().at("results")[0];
  EXPECT_EQ(row.at("status"), "valid");
  EXPECT_GE(row.at("samples_s").size(), 1u);
  EXPECT_LT(row.at("samples_s").size(), 1000000u);
  EXPECT_TRUE(has(row.at("reason"), "interrupted"));
}

TEST_F(Cli, InterruptBeforeTheFirstSampleLeavesNoFolder) {
  ChildProcess child(run_arguments(overrides({"measure.warmup_s=600"})), on_a_terminal());
  ASSERT_TRUE(child.wait_for_err("warming up")) << child.err();
  child.send(SIGINT);
  const Outcome outcome = child.finish();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_TRUE(has(outcome.err, "nothing was measured"));
  expect_untouched();
}

}  // namespace
}  // namespace tessera::test
