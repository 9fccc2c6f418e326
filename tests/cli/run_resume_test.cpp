// SPDX-License-Identifier: Apache-2.0
// `tessera run` that does not come to its end in one go: SIGINT, SIGKILL, --resume, --time-budget,
// default names.
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

// What is missing is measured, what is there is kept: of a selection, rows that are not selected
// too. A run with nothing to measure leaves the file as it is.
TEST_F(Cli, ResumedRunMeasuresWhatIsMissing) {
  ASSERT_EQ(run_deck({"-v", "acoustic/naive:default"}).status, 0);
  const json before = read_result();
  ASSERT_EQ(run_deck(kTwoTiles + Arguments{"--resume"}).status, 0);
  const json after = read_result();
  ASSERT_EQ(after.at("results").size(), 2u);
  EXPECT_EQ(after.at("begun"), before.at("date"));
  const auto count = [](const json& row, const json& file) {
    return std::count(file.at("results").begin(), file.at("results").end(), row);
  };
  for (const json& row : after.at("results")) {
    EXPECT_EQ(row.at("status"), "valid");
    if (row.at("variant") == "acoustic/naive") {
      EXPECT_EQ(row.at("samples_s"), before.at("results")[0].at("samples_s")) << "it was kept";
    }
  }
  ASSERT_EQ(run_deck({"--resume", "-v", "acoustic/naive_simd"}).status, 0);
  const json more = read_result();
  EXPECT_GT(more.at("results").size(), 2u);
  for (const json& row : after.at("results")) EXPECT_EQ(count(row, more), 1) << row;
  ASSERT_EQ(run_deck(kTwoTiles + Arguments{"--resume"}).status, 0);
  const json kept = read_result();
  EXPECT_EQ(kept.at("results").size(), more.at("results").size());
  for (const json& row : kept.at("results")) EXPECT_EQ(count(row, more), 1) << row;
}

TEST_F(Cli, ResumedRunLeavesTheFileOfAnotherRunAlone) {
  ASSERT_EQ(run_deck(kTwoTiles + overrides({"measure.repetitions=7"})).status, 0);
  const std::string before = read_text(result());
  const Arguments one = {"-v", "acoustic/naive:default", "--resume"};
  for (const auto& [more, what] :
       {std::pair(overrides({"case.nx=25"}), "deck.case.nx"),
        std::pair(Arguments{"--platform", "other"}, "machine.name"),
        std::pair(overrides({"case.nx=25"}) + Arguments{"--dry-run"}, "deck.case.nx")}) {
    expect_error(run_program(run_arguments(one + more)), {out(), what, "-o"});
  }
  // Repetitions are counted row by row.
  ASSERT_EQ(run_deck(kTwoTiles + Arguments{"--resume"}).status, 0);
  EXPECT_EQ(read_text(result()), before);
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
  EXPECT_TRUE(has(outcome.out, "doubtful")) << outcome.out;
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

TEST_F(Cli, KilledRunIsResumedFromWhatItLeft) {
  const Arguments endless = kTwoTiles + overrides({"measure.repetitions=1000000"});
  ChildProcess child(run_arguments(endless), on_a_terminal());
  ASSERT_TRUE(child.wait_for_err("timing, round", 2)) << child.err();
  child.send(SIGKILL);
  EXPECT_EQ(child.finish().status, 128 + SIGKILL);
  EXPECT_EQ(run_record().at("state"), "running");
  const json left = read_result();
  ASSERT_EQ(left.at("results").size(), 2u);
  EXPECT_FALSE(left.at("results")[0].at("reason").empty());
  // Rows that are not finished are measured again.
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--resume"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_result().at("results")[0].at("samples_s").size(), 5u);
  EXPECT_EQ(run_record().at("state"), "complete");
}

TEST_F(Cli, InterruptedRunWritesWhatItHas) {
  ChildProcess child(run_arguments(overrides({"measure.repetitions=1000000"})), on_a_terminal());
  // The second "timing" comes after the first repetition.
  ASSERT_TRUE(child.wait_for_err("timing", 2)) << child.err();
  child.send(SIGINT);
  const Outcome outcome = child.finish();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_TRUE(has(outcome.out, out()));
  EXPECT_EQ(run_record().at("state"), "failed");
  const json row = read_result().at("results")[0];
  EXPECT_EQ(row.at("status"), "valid");
  EXPECT_GE(row.at("samples_s").size(), 1u);
  EXPECT_LT(row.at("samples_s").size(), 1000000u);
  EXPECT_TRUE(has(row.at("reason"), "interrupted"));
}

TEST_F(Cli, WhatEndsBeforeTheFirstSampleLeavesNoFolder) {
  ChildProcess child(run_arguments(overrides({"measure.warmup_s=600"})), on_a_terminal());
  ASSERT_TRUE(child.wait_for_err("warming up")) << child.err();
  child.send(SIGINT);
  EXPECT_EQ(child.finish().status, 130);
  expect_untouched();
  expect_refused(run_deck(kTwoTiles + Arguments{"--time-budget", "0.001s"}), {"time budget"});
}

// Enough for a first sample of each, however slow the machine; then for none: what is unmeasured is
// no failure, and what is unfinished is kept until its turn comes.
TEST_F(Cli, TimeBudgetEndsARun) {
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run_deck(kTwoTiles).status, 0);
  const std::chrono::duration<double> once = std::chrono::steady_clock::now() - begin;
  const std::string budget = std::to_string(1 + static_cast<int>(2 * once.count())) + "s";
  const Outcome outcome = run_deck(kTwoTiles + Arguments{"--time-budget", budget} +
                                   overrides({"measure.repetitions=1000000"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json part = read_result();
  for (const json& row : part.at("results")) EXPECT_TRUE(has(row.at("reason"), "time budget"));
  const Outcome none = run_deck(kTwoTiles + Arguments{"-v", "acoustic/naive_simd:default"} +
                                Arguments{"--resume", "--time-budget", "0.001s"});
  ASSERT_EQ(none.status, 0) << none.err;
  const json left = read_result();
  for (const json& row : left.at("results")) {
    if (row.at("variant") == "acoustic/naive_simd") {
      EXPECT_EQ(row.at("status"), "unmeasured");
    } else {
      EXPECT_GE(row.at("samples_s").size(), 1u);
    }
  }
  expect_error(run_deck({"--time-budget", "soon"}), {"--time-budget", "soon"});
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
