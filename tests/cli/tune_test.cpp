// SPDX-License-Identifier: Apache-2.0
// `tessera tune`: what an interrupt leaves, which case a winner holds for, keys of `run` alone.
#include <csignal>
#include <filesystem>
#include <string>

#include "base/device/space.hpp"
#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

class Tune : public Cli {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] Outcome tune(Arguments more) const {
    std::filesystem::remove_all(out());
    const Arguments first = {"tune", deck(), "--steps", "1", "-w", file("w.json")};
    more.insert(more.begin(), first.begin(), first.end());
    return run_program(more);
  }
  [[nodiscard]] json winners() const {
    return json::parse(read_text(file("w.json"))).at("winners");
  }
};

TEST_F(Tune, InterruptKeepsTheRowsSoFarAndTellsNoWinner) {
  const Arguments more =
      overrides({"case.nx=160", "case.ny=160", "case.nz=160", "case.steps=100000"});
  Arguments arguments = {"tune", deck(), "--steps", "20", "-w", file("w.json"), "-o", file("t")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ChildProcess child(arguments, on_a_terminal());
  ASSERT_TRUE(child.wait_for_err("round 2 of 5")) << child.err();
  child.send(SIGTERM);
  const Outcome outcome = child.finish();
  EXPECT_EQ(outcome.status, 128 + SIGTERM);
  EXPECT_TRUE(has(outcome.out, file("t/result.json"))) << outcome.out;
  const json rows = json::parse(read_text(file("t/result.json"))).at("results");
  const json& row = rows.at(0);
  EXPECT_EQ(row.at("status"), "valid");
  EXPECT_LT(row.at("samples_s").size(), 5U);
  EXPECT_TRUE(has(row.at("reason"), "interrupted"));
  EXPECT_FALSE(std::filesystem::exists(file("w.json"))) << "no winners";
}

TEST_F(Tune, WinnersHoldForTheirProblemMachineBuildAndCode) {
  ASSERT_EQ(tune({}).status, 0);
  ASSERT_EQ(winners().size(), 1U);
  ASSERT_EQ(tune(overrides({"acoustic.pml_cells=4"})).status, 0);
  ASSERT_EQ(winners().size(), 2U) << "another problem has its own";
  ASSERT_EQ(tune({}).status, 0);
  EXPECT_EQ(winners().size(), 2U) << "the same problem's is replaced";
  const Arguments tuned = {"--tuned", file("w.json"), "--dry-run"};
  EXPECT_TRUE(has(run_deck(tuned).out, "1 variants tuned"));
  Arguments other = tuned;
  for (const std::string& word : overrides({"acoustic.pml_cells=5"})) other.push_back(word);
  const std::string none = run_deck(other).out;
  EXPECT_TRUE(has(none, "0 variants tuned"));
  EXPECT_FALSE(has(none, "tune again"));
  const json written = json::parse(read_text(file("w.json")));
  for (const char* key : {"machine", "build", "code"}) {
    json foreign = written;
    for (json& winner : foreign.at("winners")) winner.at(key) = "another";
    write_text(file("w.json"), foreign.dump());
    const std::string out = run_deck(tuned).out;
    EXPECT_TRUE(has(out, "0 variants tuned")) << key;
    EXPECT_TRUE(has(out, "another machine, build or revision")) << key;
  }
}

TEST_F(Tune, StrictEndsWithItsOwnStatusWhereThereIsDoubt) {
  // 24 x 22 x 20 cells fit any cache.
  const Outcome outcome = tune({"--strict"});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "doubtful: ")) << outcome.out;
}

TEST_F(Tune, NothingLeftIsRefusedByADryRunToo) {
  expect_error(tune({"--dry-run", "-x", "acoustic/*"}), {"select.exclude"});
}

TEST_F(Tune, KeysOfRunAloneAreCheckedAndNamed) {
  for (const char* key : {"measure.bogus", "parallel.bogus", "output.bogus", "select.bogus"}) {
    const std::string set = std::string(key) + "=1";
    expect_error(tune(overrides({set})), {"--set", key});
    expect_error(run_program({"predict", deck(), "--machine", "H100", "--set", set}),
                 {"--set", key});
  }
  const Outcome idle = tune(overrides({"measure.repetitions=77", "measure.machine=nosuch.json"}));
  EXPECT_EQ(idle.status, 0) << idle.err;
  EXPECT_TRUE(has(idle.err, "measure.repetitions")) << idle.err;
  EXPECT_TRUE(has(idle.err, "measure.machine")) << idle.err;
  EXPECT_EQ(tune({}).err, "") << "the deck's own keys are run's";
}

// The files that winners go to.
TEST_F(Tune, TunedFilesThatLeaveNothingAreRefused) {
  expect_error(run_program({"tune", deck(), "-w", file("none/x/")}), {"none/x"});
  ASSERT_EQ(tune({}).status, 0);
  std::string text = read_text(file("w.json"));
  text.replace(text.find("8x8x8"), 5, "9x9x9");
  write_text(file("w.json"), text);
  expect_error(run_deck({"--tuned", file("w.json")}), {"w.json", "winners"});
  write_text(file("w.json"), "{}");
  expect_error(tune({}), {"w.json"});
  EXPECT_EQ(read_text(file("w.json")), "{}");
}

}  // namespace
}  // namespace tessera::test
