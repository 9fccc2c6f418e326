// SPDX-License-Identifier: Apache-2.0
// The answer of a study: order, baseline, width, what is counted and what is named.
#include "program/results/study_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "fixtures/scratch_directory.hpp"

namespace tessera::results {
namespace {

Result row(const std::string& variant, double seconds,
           const std::string& decomposition = "single") {
  Result r;
  r.family = "acoustic";
  r.stencil = "acoustic/iso25";
  r.variant = "acoustic/" + variant;
  r.configuration = "8x8x8";
  r.decomposition = decomposition;
  r.precision = "float";
  set_valid(r, std::vector<double>(5, seconds), {1e9, 16e9, 41e9}, std::nullopt);
  set_roofline(r, {"float", 1000, 100, std::nullopt});
  return r;
}

Result unsupported(const std::string& variant, const std::string& reason) {
  Result r = row(variant, 1);
  set_failed(r, Status::unsupported, reason);
  return r;
}

std::vector<Result> some_rows() {
  Result naive = row("naive", 1.0);
  naive.baseline = true;
  return {naive,
          row("slow", 2.0),
          row("fast", 0.25),
          unsupported("wide", "a device tile"),
          unsupported("long", "a device tile"),
          unsupported("deep", "for devices")};
}

TEST(StudyTable, BestFirstWithTheBaselineMarked) {
  const std::string table = format_study(some_rows(), {});
  const std::size_t fast = table.find("fast:8x8x8");
  const std::size_t naive = table.find("naive:8x8x8 *");
  const std::size_t slow = table.find("slow:8x8x8");
  ASSERT_NE(slow, std::string::npos) << table;
  EXPECT_LT(fast, naive);
  EXPECT_LT(naive, slow);
  // 4 GCell/s of 100 / 16: 64 % of the bound, 4 times the baseline.
  EXPECT_TRUE(test::has(table, "4.000     64.0    4.00"));
  // Why there is no factor of a baseline.
  EXPECT_FALSE(test::has(table, "x base is -"));
  EXPECT_TRUE(test::has(format_study({row("slow", 2.0)}, {}), "x base is -"));
}

TEST(StudyTable, NoPredictionIsNone) {
  std::vector<Result> rows = {row("fast", 0.25), row("slow", 1)};
  rows[0].predicted["gcell_per_s"] = 5.0;
  const std::string table = format_study(rows, {});
  EXPECT_TRUE(test::has_all(table, {"5.000  6.250", "-          -  6.250"}));
}

TEST(StudyTable, FitsTheWidth) {
  for (const std::size_t width : {80U, 60U, 50U}) {
    StudyTableOptions options;
    options.width = width;
    std::vector<Result> rows = some_rows();
    rows.resize(3);
    const std::string table = format_study(rows, options);
    std::istringstream lines(table.substr(0, table.find("* the")));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << table;
    EXPECT_TRUE(test::has(table, "% bound"));
  }
}

TEST(StudyTable, CountsWhatCannotRunAndNamesItWhenAsked) {
  const auto has = [](const StudyTableOptions& options, const char* part) {
    return format_study(some_rows(), options).find(part) != std::string::npos;
  };
  StudyTableOptions options;
  EXPECT_TRUE(has(options, "3 rows") && has(options, "2 a device tile; 1 for devices"));
  EXPECT_FALSE(has(options, "wide:8x8x8"));
  options.by_name = {"acoustic/wide:8x8x8"};
  EXPECT_TRUE(has(options, "acoustic/wide:8x8x8 unsupported: a device tile"));
  EXPECT_TRUE(has(options, "2 rows"));
  options.all = true;
  EXPECT_TRUE(has(options, "acoustic/deep:8x8x8 unsupported: for devices"));
  // Invalid rows are always named.
  std::vector<Result> rows = some_rows();
  set_failed(rows[2], Status::invalid, "differs at (1, 2, 3)");
  EXPECT_TRUE(
      test::has(format_study(rows, {}), "acoustic/fast:8x8x8 invalid: differs at (1, 2, 3)"));
}

TEST(Winners, OneSentenceAStencil) {
  std::vector<Result> rows = some_rows();
  rows.push_back(row("fast", 0.20, "seven"));
  const Roofline roof{"float", 1000, 100, std::nullopt};
  const auto expect = [&](const std::vector<std::string>& parts, bool on_host = false) {
    const std::string text = format_winners(rows, roof, on_host);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_TRUE(test::has_all(text, parts));
  };
  expect({"acoustic/fast:8x8x8 in seven", "5.000 GCell/s", "80.0 %", "memory"});
  rows.pop_back();
  expect({"acoustic/fast:8x8x8 in single", "4.000 GCell/s", "4.00 times acoustic/naive", "64.0 %"});
  // The stages of the models by the names that rows bear, on devices and on hosts.
  const auto held = [&](const char* model, const char* stage, bool on_host, const char* by) {
    rows[2].predicted = {{"binding", stage}, {"model", model}};
    expect({std::string(by) + " limits it"}, on_host);
  };
  held("", "device memory", false, "device memory");
  held("", "on-SMX storage", false, "L1 and scratch");
  held("", "L2", true, "the last cache");
  held("device model (docs/model.md)", "GM", false, "device memory");
  held("device model (docs/model.md)", "lives", false, "the latency of a team's steps");
  held("host model (docs/model.md)", "L3", true, "the last cache");
  held("host model (docs/model.md)", "L2", true, "the L2 cache");
  EXPECT_EQ(format_winners({unsupported("wide", "a device tile")}, roof), "");
  // The share once where nothing else is moved.
  rows = {row("fast", 0.25)};
  rows[0].resources = {{"minimal_elements_per_cell", 6.85},
                       {"moved_elements_per_cell", 6.85 * (1 + 1e-15)}};
  EXPECT_FALSE(test::has(format_winners(rows, roof), "by the fewest"));
  rows[0].resources["moved_elements_per_cell"] = 8.0;
  EXPECT_TRUE(test::has(format_winners(rows, roof), "64.0 % by the fewest"));
}

TEST(FiguresOfMerit, TheFastestAndAVerdictEndARun) {
  const std::string fastest = "FOM acoustic/fast/8x8x8/iso25/single/float = 4 GCell/s\n";
  EXPECT_EQ(format_figures_of_merit({row("fast", 0.25), unsupported("wide", "no")}), fastest);
  EXPECT_EQ(format_verdict({row("slow", 0.5), row("fast", 0.25), unsupported("wide", "no")}),
            fastest + "PASS\n");
  Result half = row("fast", 0.25);
  half.details = "pml_cells=0 storage=half vp_storage=linear";
  EXPECT_EQ(format_figures_of_merit({half}),
            "FOM acoustic/fast/8x8x8/iso25/single/float/half = 4 GCell/s\n");
  half.details = "vp_storage=linear";
  EXPECT_EQ(format_figures_of_merit({half}), fastest);
  Result wrong = row("wrong", 0.125);
  set_failed(wrong, Status::invalid, "differs");
  EXPECT_EQ(format_verdict({row("fast", 0.25), wrong}), fastest + "FAIL\n");
  EXPECT_EQ(format_verdict({unsupported("wide", "no")}), "FAIL\n");
}

}  // namespace
}  // namespace tessera::results
