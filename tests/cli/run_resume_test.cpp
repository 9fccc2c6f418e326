// SPDX-License-Identifier: Apache-2.0
// `tessera run` that does not come to its end in one go: --resume, --time-budget, default names.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

const Arguments kTwoTiles = {"-v", "acoustic/gmem:8x8x8", "-v", "acoustic/naive:default"};

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(Cli, ResumedRunMeasuresWhatIsMissing) {
  ASSERT_EQ(run_deck({"-v", "acoustic/naive:default"}).status, 0);
  const json before = read_result();
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--resume"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "1 of the 1 rows of"));
  const json after = read_result();
  ASSERT_EQ(after.at("results").size(), 2u);
  EXPECT_EQ(after.at("begun"), before.at("date"));
  for (const json& row : after.at("results")) {
    EXPECT_EQ(row.at("status"), "valid");
    if (row.at("variant") != "acoustic/naive") continue;
    EXPECT_EQ(row.at("samples_s"), before.at("results")[0].at("samples_s")) << "it was kept";
  }
}

TEST_F(Cli, ResumedRunLeavesTheFileOfAnotherRunAlone) {
  ASSERT_EQ(run_deck(kTwoTiles + overrides({"measure.repetitions=7"})).status, 0);
  const std::string before = read_text(result());
  const Arguments one = {"-v", "acoustic/naive:default", "--resume"};
  for (const auto& [more, what] :
       {std::pair(overrides({"case.nx=25"}), "its deck.case.nx is 24, here it is 25"),
        std::pair(Arguments{"--platform", "other"}, "machine.name is "),
        std::pair(overrides({"case.nx=25"}) + Arguments{"--dry-run"}, "deck.case.nx")}) {
    expect_error(run_program(run_arguments(one + more)), {"holds another run", what, "-o"});
    EXPECT_EQ(read_text(result()), before);
  }
  // Repetitions are counted row by row.
  const Outcome fewer = run_deck(kTwoTiles + Arguments{"--resume"});
  ASSERT_EQ(fewer.status, 0) << fewer.err;
  EXPECT_TRUE(has(fewer.out, "every row is finished")) << fewer.out;
}

// Shares of a kept row are of the bound that its own run measured, whatever the memory gives now.
TEST_F(Cli, ResumedRunLeavesKeptRowsBelowTheirOwnRoof) {
  ASSERT_EQ(run_deck({"-v", "acoustic/naive:default"}).status, 0);
  json before = read_result();
  json& kept = before.at("results")[0];
  for (const char* share : {"fraction_of_roofline", "fraction_of_copy"}) {
    kept.at(share) = kept.at(share).get<double>() / 100;
  }
  kept.at("roofline_gflop_per_s") = kept.at("roofline_gflop_per_s").get<double>() * 100;
  before.at("date") = "2026-01-01T00:00:00Z";  // a new file is of today
  write_text(result(), before.dump());
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--resume", "--strict"});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "lower than when acoustic/naive:default")) << outcome.out;
  const json after = read_result();
  EXPECT_NE(after.at("date"), before.at("date"));
  int found = 0;
  for (const json& row : after.at("results")) {
    EXPECT_TRUE(row.at("fraction_of_roofline").is_number());
    if (row.at("variant") != "acoustic/naive") continue;
    ++found;
    EXPECT_EQ(row, kept);
  }
  EXPECT_EQ(found, 1);
}

TEST_F(Cli, ResumedRunWithNothingToMeasureLeavesTheFileAsItIs) {
  ASSERT_EQ(run_deck(kTwoTiles).status, 0);
  const json before = read_result();
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--resume"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "every row is finished: nothing is measured")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "streams: copy"));
  EXPECT_EQ(read_result(), before);
}

TEST_F(Cli, KilledRunIsResumedFromWhatItLeft) {
  const Arguments endless = kTwoTiles + overrides({"measure.repetitions=1000000"});
  ChildProcess child(run_arguments(endless), on_a_terminal());
  ASSERT_TRUE(child.wait_for_err("timing, round", 2)) << child.err();
  child.send(SIGKILL);
  EXPECT_EQ(child.finish().status, 128 + SIGKILL);
  EXPECT_EQ(run_record().at("state"), "running");
  const json left = read_result();
  ASSERT_EQ(left.at("results").size(), 2u);
  EXPECT_TRUE(has(left.at("results")[0].at("reason"), "of 1000000 repetitions"));
  // Rows that are not finished are measured again.
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--resume"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_result().at("results")[0].at("samples_s").size(), 5u);
  EXPECT_EQ(run_record().at("state"), "complete");
}

TEST_F(Cli, TimeBudgetEndsARun) {
  // Enough for a first sample of each, however slow the machine.
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run_deck(kTwoTiles + overrides({"measure.warmup_s=0"})).status, 0);
  const std::chrono::duration<double> once = std::chrono::steady_clock::now() - begin;
  const std::string budget = std::to_string(1 + static_cast<int>(2 * once.count())) + "s";
  const Outcome outcome =
      run_deck(kTwoTiles + Arguments{"--time-budget", budget} +
               overrides({"measure.repetitions=1000000", "measure.warmup_s=0"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json result = read_result();
  for (const json& row : result.at("results")) {
    EXPECT_TRUE(has(row.at("reason"), "the time budget was spent")) << row.at("reason");
  }
  expect_error(run_deck({"--time-budget", "soon"}), {"--time-budget", "soon"});
}

TEST_F(Cli, UnmeasuredRowsAreNoFailures) {
  ASSERT_EQ(run_deck({"-v", "acoustic/naive:default"}).status, 0);
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--resume", "--time-budget", "0.001s"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "1 rows were not measured (1 the time budget was spent)"));
  const json result = read_result();
  ASSERT_EQ(result.at("results").size(), 2u);
  EXPECT_EQ(result.at("results")[0].at("status"), "unmeasured");
  EXPECT_EQ(result.at("results")[1].at("status"), "valid");
}

TEST_F(Cli, BudgetSpentBeforeTheFirstSampleLeavesNoFolder) {
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--time-budget", "0.001s"});
  expect_refused(outcome, {"nothing was measured", "time budget", "no file is written"});
}

TEST_F(Cli, ResumedRunOfASelectionLeavesTheOtherRowsInTheFile) {
  ASSERT_EQ(run_deck(kTwoTiles).status, 0);
  const json before = read_result();
  for (const char* of_one : {"acoustic/naive:default", "acoustic/naive_simd"}) {
    const Outcome outcome = run_deck({"--resume", "-v", of_one});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "that are not selected stay in the file")) << outcome.out;
    const json after = read_result();
    EXPECT_GE(after.at("results").size(), 2u);
    for (const json& row : before.at("results")) {
      const auto& rows = after.at("results");
      EXPECT_EQ(std::count(rows.begin(), rows.end(), row), 1) << row;
    }
  }
  EXPECT_GT(read_result().at("results").size(), 2u) << "the second selection was measured";
}

TEST_F(Cli, ResumedRunKeepsWhatIsUnfinishedUntilItsTurnComes) {
  ASSERT_EQ(run_deck(kTwoTiles).status, 0);
  json before = read_result();
  json& part = before.at("results")[0];
  part.at("samples_s").erase(0);
  part.at("reason") = "interrupted: 4 of 5 repetitions";
  write_text(result(), before.dump());
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--resume", "--time-budget", "0.001s"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_result().at("results")[0], part);
}

TEST_F(Cli, AFolderThatIsThereIsRefused) {
  ASSERT_EQ(run_deck().status, 0);
  const std::string before = read_text(result());
  for (const Arguments& more : {Arguments{}, Arguments{"--dry-run"}}) {
    expect_error(run_program(run_arguments(more)), {out(), "--resume", "-o"});
  }
  EXPECT_EQ(read_text(result()), before);
}

TEST_F(Cli, DefaultNamesDoNotCollide) {
  std::string text = deck_text();
  text.resize(text.find("[output]"));
  write_text(deck(), text);
  ProcessOptions here;
  here.directory = folder_.path().string();
  const Arguments run = {"run", deck(), "--platform", "Some Machine"};
  ASSERT_EQ(run_program(run, here).status, 0);
  const auto files = [&] {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
      found.push_back(entry.path());
    }
    return found;
  };
  ASSERT_EQ(files().size(), 1u);
  const fs::path first = files().front();
  EXPECT_TRUE(first.filename().string().rfind("tiny-some-machine-20", 0) == 0) << first;
  // It continues its own folder; without --resume the next has a name of its own.
  const Outcome resumed = run_program(run + Arguments{"--resume"}, here);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.out, first.filename().string())) << resumed.out;
  EXPECT_EQ(files().size(), 1u);
}

}  // namespace
}  // namespace tessera::test
