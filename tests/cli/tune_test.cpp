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
  EXPECT_TRUE(has(outcome.out, "results so far: " + file("t/result.json"))) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "no winner of acoustic/iso25 is written")) << outcome.out;
  const json rows = json::parse(read_text(file("t/result.json"))).at("results");
  const json& row = rows.at(0);
  EXPECT_EQ(row.at("status"), "valid");
  EXPECT_LT(row.at("samples_s").size(), 5U);
  EXPECT_TRUE(has(row.at("reason"), "interrupted"));
  EXPECT_FALSE(std::filesystem::exists(file("w.json"))) << "no winners";
}

TEST_F(Tune, WinnersHoldForTheirProblemAndThreads) {
  ASSERT_EQ(tune({}).status, 0);
  ASSERT_EQ(winners().size(), 1U);
  EXPECT_EQ(winners()[0].contains("threads"), !kOnDevice);
  ASSERT_EQ(tune(overrides({"acoustic.pml_cells=4"})).status, 0);
  ASSERT_EQ(winners().size(), 2U) << "another problem has its own";
  ASSERT_EQ(tune({}).status, 0);
  EXPECT_EQ(winners().size(), 2U) << "the same problem's is replaced";
  const Arguments tuned = {"--tuned", file("w.json"), "--dry-run"};
  EXPECT_TRUE(has(run_deck(tuned).out, "1 variants tuned"));
  Arguments other = tuned;
  for (const std::string& word : overrides({"acoustic.pml_cells=5"})) other.push_back(word);
  EXPECT_TRUE(has(run_deck(other).out, "0 variants tuned"));
  // Older files tell neither: their winners hold for any.
  json old = json::parse(read_text(file("w.json")));
  old.at("winners").erase(1);
  json& winner = old.at("winners")[0];
  if (!kOnDevice) {
    winner.at("threads") = winner.at("threads").get<int>() + 1;
    write_text(file("w.json"), old.dump());
    EXPECT_TRUE(has(run_deck(tuned).out, "0 variants tuned")) << "other threads";
  }
  for (const char* key : {"threads", "model", "details"}) winner.erase(key);
  write_text(file("w.json"), old.dump());
  EXPECT_TRUE(has(run_deck(tuned).out, "1 variants tuned"));
  EXPECT_TRUE(has(run_deck(other).out, "1 variants tuned"));
  ASSERT_EQ(tune({}).status, 0);
  EXPECT_EQ(winners().size(), 1U) << "and are replaced by any";
}

TEST_F(Tune, KeysOfRunAloneAreCheckedAndNamed) {
  for (const char* set : {"measure.bogus=1", "parallel.bogus=2", "output.bogus=1", "select.bogus=1",
                          "measure.warmup_s=abc", "measure.repetitions=1"}) {
    const std::string key = std::string(set).substr(0, std::string(set).find('='));
    const Arguments more = overrides({set});
    expect_error(tune(more), {"--set", key});
    expect_error(run_program({"predict", deck(), "--machine", "H100", more[0], more[1]}),
                 {"--set", key});
    expect_error(run_program({"list", "--resources", "--deck", deck(), more[0], more[1]}),
                 {"--set", key});
  }
  const Outcome idle = tune(overrides(
      {"measure.repetitions=77", "measure.machine=nosuch.json", "measure.verify_at_size=false"}));
  EXPECT_EQ(idle.status, 0) << idle.err;
  EXPECT_TRUE(has(idle.err, "tessera tune ignores --set measure.machine, measure.repetitions"))
      << idle.err;
  EXPECT_EQ(tune({}).err, "") << "the deck's own keys are run's";
}

}  // namespace
}  // namespace tessera::test
