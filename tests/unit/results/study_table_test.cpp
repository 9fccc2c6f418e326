// SPDX-License-Identifier: Apache-2.0
// The answer of a study: order, baseline, width, what is counted and what is named.
#include "program/results/study_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

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
  StepWork work;
  work.cells = 1e9;
  work.minimal_bytes = 16e9;
  work.flops = 41e9;
  set_valid(r, std::vector<double>(5, seconds), work, std::nullopt);
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

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
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
  EXPECT_NE(table.find("4.000     64.0    4.00"), std::string::npos) << table;
}

TEST(StudyTable, NoPredictionIsNone) {
  std::vector<Result> rows = {row("fast", 0.25), row("slow", 1)};
  rows[0].predicted["gcell_per_s"] = 5.0;
  const std::string table = format_study(rows, {});
  EXPECT_NE(table.find("5.000  6.250"), std::string::npos) << table;
  EXPECT_NE(table.find("-          -  6.250"), std::string::npos) << table;
}

TEST(StudyTable, FitsTheWidth) {
  for (const std::size_t width : {80U, 60U, 50U}) {
    StudyTableOptions options;
    options.width = width;
    std::vector<Result> rows = some_rows();
    rows.resize(3);
    const std::string table = format_study(rows, options);
    EXPECT_LE(widest_line(table.substr(0, table.find("* the"))), width) << table;
    EXPECT_NE(table.find("% bound"), std::string::npos);
  }
}

TEST(StudyTable, CountsWhatCannotRunAndNamesItWhenAsked) {
  const std::string table = format_study(some_rows(), {});
  EXPECT_NE(table.find("3 rows cannot run here (2 a device tile; 1 for devices)"),
            std::string::npos)
      << table;
  EXPECT_EQ(table.find("wide:8x8x8"), std::string::npos);
  StudyTableOptions options;
  options.by_name = {"acoustic/wide:8x8x8"};
  const std::string named = format_study(some_rows(), options);
  EXPECT_NE(named.find("acoustic/wide:8x8x8 unsupported: a device tile"), std::string::npos);
  EXPECT_NE(named.find("2 rows cannot run here"), std::string::npos) << named;
  options.all = true;
  const std::string all = format_study(some_rows(), options);
  EXPECT_NE(all.find("acoustic/deep:8x8x8 unsupported: for devices"), std::string::npos);
  EXPECT_EQ(all.find("cannot run here"), std::string::npos);
}

TEST(StudyTable, InvalidRowsAreAlwaysNamed) {
  std::vector<Result> rows = some_rows();
  set_failed(rows[2], Status::invalid, "differs at (1, 2, 3)");
  EXPECT_NE(format_study(rows, {}).find("acoustic/fast:8x8x8 invalid: differs at (1, 2, 3)"),
            std::string::npos);
}

TEST(Winners, OneSentenceAStencil) {
  std::vector<Result> rows = some_rows();
  rows.push_back(row("fast", 0.20, "seven"));
  const Roofline roof{"float", 1000, 100, std::nullopt};
  EXPECT_EQ(format_winners(rows, roof),
            "fastest: acoustic/fast:8x8x8 in seven, 5.000 GCell/s, 80.0 % of its bound; its bound "
            "is memory; no model says what limits it\n");
  rows.pop_back();
  rows[2].predicted["binding"] = "L2";
  EXPECT_EQ(format_winners(rows, roof),
            "fastest: acoustic/fast:8x8x8 in single, 4.000 GCell/s, 4.00 times acoustic/naive, "
            "64.0 % of its bound; by the model the L2 cache limits it\n");
  // The stages of the traffic model by the names that rows bear, on devices and on hosts.
  const auto held = [&](const char* stage, bool on_host, const std::string& by) {
    rows[2].predicted["binding"] = stage;
    const std::string text = format_winners(rows, roof, on_host);
    EXPECT_NE(text.find("by the model " + by + " limits it"), std::string::npos) << text;
  };
  held("device memory", false, "device memory");
  held("on-SMX storage", false, "L1 and scratch");
  held("scratch", false, "scratch");
  held("device memory", true, "memory");
  held("L2", true, "the last cache");
  held("on-SMX storage", true, "the L1 cache");
  // Those of the device and the host model, whose L2 is a core's own.
  rows[2].predicted["model"] = "device model (docs/model.md)";
  held("GM", false, "device memory");
  held("lives", false, "the latency of a team's steps");
  rows[2].predicted["model"] = "host model (docs/model.md)";
  held("GM", true, "memory");
  held("L3", true, "the last cache");
  held("L2", true, "the L2 cache");
  rows[2].predicted.erase("model");
  EXPECT_EQ(format_winners({unsupported("wide", "a device tile")}, roof), "");
}

TEST(Winners, SaysTheShareOnceWhereNothingElseIsMoved) {
  std::vector<Result> rows = {row("fast", 0.25)};
  const Roofline roof{"float", 1000, 100, std::nullopt};
  rows[0].resources = {{"minimal_elements_per_cell", 6.85},
                       {"moved_elements_per_cell", 6.85 * (1 + 1e-15)}};
  EXPECT_EQ(format_winners(rows, roof).find("at least traffic"), std::string::npos);
  rows[0].resources["moved_elements_per_cell"] = 8.0;
  EXPECT_NE(format_winners(rows, roof).find("64.0 % at least traffic"), std::string::npos);
}

TEST(FiguresOfMerit, ALineARow) {
  EXPECT_EQ(format_figures_of_merit({row("fast", 0.25), unsupported("wide", "no")}),
            "FOM acoustic/fast:8x8x8/iso25/single/float 4 GCell/s valid\n"
            "FOM acoustic/wide:8x8x8/iso25/single/float - GCell/s unsupported\n");
}

}  // namespace
}  // namespace tessera::results
