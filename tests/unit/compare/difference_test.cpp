// SPDX-License-Identifier: Apache-2.0
// Verdicts between two runs: by tolerance, by the samples' spread, by each run's own copy
// bandwidth.
#include <gtest/gtest.h>

#include "base/support/error.hpp"
#include "program/compare/difference.hpp"

#include <fmt/core.h>

namespace tessera::compare {
namespace {

/// A run of its own: each has another date.
results::ResultFile run(double seconds, double spread = 0, double copy = 10) {
  static int count = 0;
  results::ResultFile file;
  file.date = fmt::format("2026-01-01T00:00:{:02}Z", count++ % 60);
  file.machine = {{"device", "a GPU"}};
  machine::StreamRates streams;
  streams.copy = {copy, copy, copy};
  streams.triad = streams.copy;
  streams.update = streams.copy;
  file.streams = streams;
  results::Result row;
  row.family = "acoustic";
  row.stencil = "acoustic/iso25";
  row.variant = "acoustic/a";
  row.configuration = "8";
  row.nx = row.ny = row.nz = 100;
  row.steps = 10;
  StepWork work;
  work.cells = 1e6;
  work.minimal_bytes = 16e6;
  work.flops = 41e6;
  set_valid(row,
            {seconds * (1 - spread), seconds * (1 - spread), seconds, seconds * (1 + spread),
             seconds * (1 + spread)},
            work, file.streams);
  file.results = {row};
  return file;
}

Difference between(const results::ResultFile& before, const results::ResultFile& after,
                   const DifferenceOptions& options = {}) {
  return difference({{"before.json", before}}, after, options);
}

Verdict verdict(const results::ResultFile& before, const results::ResultFile& after,
                const DifferenceOptions& options = {}) {
  return between(before, after, options).rows.at(0).verdict;
}

std::string message(const std::vector<StoredFile>& stored, const results::ResultFile& after) {
  try {
    (void)difference(stored, after, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Difference, NeedsMoreThanTheTolerance) {
  EXPECT_EQ(verdict(run(1), run(1.02)), Verdict::same);
  EXPECT_EQ(verdict(run(1), run(1.10)), Verdict::slower);
  EXPECT_EQ(verdict(run(1), run(0.90)), Verdict::faster);
  EXPECT_EQ(verdict(run(1), run(1.10), {0.2, false, false}), Verdict::same);
}

TEST(Difference, NeedsMoreThanTheSpreadOfBothRuns) {
  EXPECT_EQ(verdict(run(1, 0.06), run(1.10, 0.06)), Verdict::same);
  EXPECT_EQ(verdict(run(1, 0.06), run(1.50, 0.06)), Verdict::slower);
}

TEST(Difference, SetsEachRunBesideItsOwnCopyBandwidth) {
  EXPECT_EQ(verdict(run(1, 0, 10), run(1.25, 0, 8)), Verdict::same);
  EXPECT_EQ(verdict(run(1, 0, 10), run(1.25, 0, 8), {0.03, true, false}), Verdict::slower);
}

TEST(Difference, SaysWhatIsValidNoMore) {
  results::ResultFile after = run(1);
  set_failed(after.results[0], results::Status::invalid, "wrong");
  const Difference found = between(run(1), after);
  EXPECT_EQ(found.count(Verdict::lost), 1U);
  EXPECT_EQ(found.rows[0].reason, "invalid: wrong");
  EXPECT_EQ(verdict(after, run(1)), Verdict::gained);
  EXPECT_NE(format_difference(found).find("1 lost"), std::string::npos);
}

TEST(Difference, TakesTheRangeOfTheCopyForNoise) {
  results::ResultFile unsteady = run(1.10);
  unsteady.streams->copy = {8, 10, 11};
  EXPECT_EQ(verdict(run(1), unsteady), Verdict::same);
  EXPECT_EQ(verdict(run(1), unsteady, {0.03, true, false}), Verdict::slower);
}

TEST(Difference, TakesTheNewestValidRowOfSeveralFiles) {
  results::ResultFile old = run(2), fresh = run(1), broken = run(1);
  old.date = "2026-01-01T00:00:00Z";
  fresh.date = "2026-02-01T00:00:00Z";
  broken.date = "2026-03-01T00:00:00Z";
  set_failed(broken.results[0], results::Status::invalid, "wrong");
  const Difference found =
      difference({{"fresh.json", fresh}, {"broken.json", broken}, {"old.json", old}}, run(1), {});
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].verdict, Verdict::same);
  EXPECT_EQ(found.rows[0].stored, "fresh.json");
  EXPECT_EQ(found.rows[0].date, "2026-02-01T00:00:00Z");
}

TEST(Difference, LeavesOutFilesOfOtherMachines) {
  results::ResultFile other = run(2);
  other.machine["device"] = "another GPU";
  const std::vector<StoredFile> stored = {{"other.json", other}, {"mine.json", run(1)}};
  EXPECT_EQ(difference(stored, run(1), {}).rows.at(0).stored, "mine.json");
  EXPECT_NE(message({{"other.json", other}}, run(1)).find("--any-machine"), std::string::npos);
  EXPECT_EQ(between(other, run(1), {0.03, false, true}).count(Verdict::faster), 1U);
}

TEST(Difference, TellsProcessorsOfOneNameApart) {
  results::ResultFile narrow = run(1), wide = run(1);
  narrow.machine["concurrency"] = 2;
  wide.machine["concurrency"] = 16;
  EXPECT_THROW((void)between(narrow, wide), Error);
  const std::string text = message({{"wide.json", wide}}, narrow);
  EXPECT_NE(text.find("like the run's (a GPU, 2 threads): a GPU, 16 threads;"), std::string::npos)
      << text;
  results::ResultFile again = run(1);
  again.machine = narrow.machine;
  EXPECT_EQ(verdict(narrow, again), Verdict::same);
}

TEST(Difference, LeavesOutTheRunItselfWhateverItIsCalled) {
  results::ResultFile old = run(1), fresh = run(2);
  old.date = "2026-01-01T00:00:00Z";
  fresh.date = "2026-02-01T00:00:00Z";
  results::ResultFile copy = fresh;
  copy.results[0].counters["dram_bytes_per_cell"] = 20;  // filled in afterwards
  const Difference found =
      difference({{"old.json", old}, {"fresh.json", fresh}, {"copy.json", copy}}, fresh, {});
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].stored, "old.json");
  EXPECT_EQ(found.rows[0].verdict, Verdict::slower);
  ASSERT_EQ(found.remarks.size(), 2U);
  EXPECT_EQ(found.remarks[1], "copy.json: left out, since it is the run itself");
  EXPECT_NE(message({{"fresh.json", fresh}}, fresh).find("fresh.json: the run itself"),
            std::string::npos);
  // Another run of the same second is another run.
  old.date = fresh.date;
  EXPECT_EQ(verdict(old, fresh), Verdict::slower);
}

TEST(Difference, RefusesFilesThatHaveNothingInCommon) {
  results::ResultFile other = run(1);
  other.results[0].nx = 50;
  EXPECT_THROW((void)between(run(1), other), Error);
  other = run(1);
  other.results[0].steps = 20;
  EXPECT_NE(message({{"stored.json", other}}, run(1)).find("--set case.steps=20"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::compare
