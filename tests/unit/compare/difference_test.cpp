// SPDX-License-Identifier: Apache-2.0
// Verdicts between two runs: by tolerance, by the samples' spread, by each run's own copy
// bandwidth.
#include <gtest/gtest.h>

#include "compare/difference.hpp"
#include "support/error.hpp"

namespace tessera::compare {
namespace {

measure::ResultFile run(double seconds, double spread = 0, double copy = 10) {
  measure::ResultFile file;
  file.machine = {{"device", "a card"}};
  measure::StreamRates streams;
  streams.copy = {copy, copy, copy};
  streams.triad = streams.copy;
  streams.update = streams.copy;
  file.streams = streams;
  measure::Result row;
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

Verdict verdict(const measure::ResultFile& before, const measure::ResultFile& after,
                const DifferenceOptions& options = {}) {
  return difference(before, after, options).rows.at(0).verdict;
}

TEST(Difference, NeedsMoreThanTheTolerance) {
  EXPECT_EQ(verdict(run(1), run(1.02)), Verdict::same);
  EXPECT_EQ(verdict(run(1), run(1.10)), Verdict::slower);
  EXPECT_EQ(verdict(run(1), run(0.90)), Verdict::faster);
  EXPECT_EQ(verdict(run(1), run(1.10), {0.2, false}), Verdict::same);
}

TEST(Difference, NeedsMoreThanTheSpreadOfBothRuns) {
  EXPECT_EQ(verdict(run(1, 0.06), run(1.10, 0.06)), Verdict::same);
  EXPECT_EQ(verdict(run(1, 0.06), run(1.50, 0.06)), Verdict::slower);
}

TEST(Difference, SetsEachRunBesideItsOwnCopyBandwidth) {
  EXPECT_EQ(verdict(run(1, 0, 10), run(1.25, 0, 8)), Verdict::same);
  EXPECT_EQ(verdict(run(1, 0, 10), run(1.25, 0, 8), {0.03, true}), Verdict::slower);
}

TEST(Difference, SaysWhatIsValidNoMore) {
  measure::ResultFile after = run(1);
  set_failed(after.results[0], measure::Status::invalid, "wrong");
  const Difference found = difference(run(1), after, {});
  EXPECT_EQ(found.count(Verdict::lost), 1U);
  EXPECT_EQ(verdict(after, run(1)), Verdict::gained);
  EXPECT_NE(format_difference(found).find("1 lost"), std::string::npos);
}

TEST(Difference, RefusesFilesThatHaveNothingInCommon) {
  measure::ResultFile other = run(1);
  other.machine["device"] = "another card";
  EXPECT_THROW((void)difference(run(1), other, {}), Error);
  other = run(1);
  other.results[0].nx = 50;
  EXPECT_THROW((void)difference(run(1), other, {}), Error);
}

}  // namespace
}  // namespace tessera::compare
