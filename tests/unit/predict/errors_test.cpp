// SPDX-License-Identifier: Apache-2.0
// Rows of result files set against predictions.
#include "program/predict/errors.hpp"
#include "program/predict/prune.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Errors, RankCorrelation) {
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {10, 20, 30, 40}), 1);
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  // One pair swapped: 1 - 6 (1 + 1) / (4 (16 - 1)).
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8);
}

TEST(Errors, RegionsOfARow) {
  results::Result row;
  row.family = "acoustic";
  row.nx = row.ny = row.nz = 100;
  row.details = "pml_cells=10";
  row.decomposition = "seven";
  const std::vector<Region> regions = regions_of(row);
  ASSERT_EQ(regions.size(), 7U);
  EXPECT_EQ(regions.front().box.cells(), 80LL * 80 * 80);
  row.family = "low_order";
  row.decomposition = "";
  EXPECT_EQ(regions_of(row).front().box.cells(), 100LL * 100 * 100);
}

/// Rows of one file: predicted and measured seconds.
struct Rows {
  std::vector<results::Result> results;
  std::vector<StoredRow> stored;
  JudgedStudy study;
  explicit Rows(const std::vector<std::pair<double, double>>& seconds) {
    results.resize(seconds.size());
    stored.resize(seconds.size());
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      results[i].family = "low_order";
      stored[i].result = &results[i];
      stored[i].seconds = seconds[i].second;
      stored[i].cells = 1;
      stored[i].fitted = i % 2 == 0;
      study.rows.push_back({&stored[i], seconds[i].first, std::nullopt, "GM"});
    }
  }
};

TEST(Errors, ByFamily) {
  Rows rows({{1.1, 1}, {1.5, 2}, {0.9, 1}, {4, 4}});
  rows.stored[0].counted_gm = 10;
  rows.study.rows[0].predicted_gm = 12;
  const auto families = errors_by_family(rows.study);
  ASSERT_EQ(families.size(), 1U);
  EXPECT_NEAR(families[0].fitted, 0.1, 1e-12);
  EXPECT_NEAR(families[0].judged, (0.25 + 0) / 2, 1e-12);
  EXPECT_NEAR(families[0].volume, 0.2, 1e-12);
  EXPECT_EQ(families[0].counted_rows, 1);
  EXPECT_EQ(worst_rows(rows.study, 1).front()->stored, &rows.stored[1]);
}

TEST(Prune, KeepsWhatIsNearTheBest) {
  EXPECT_EQ(within({2, 1, 1.2, 0}, 1.25), (std::vector<bool>{false, true, true, true}));
}

TEST(Prune, SaysHowOftenTheWinnerIsKept) {
  // The second is predicted best, the third is.
  const Rows rows({{2, 1.5}, {1, 1.1}, {1.4, 1}});
  const PruneRecord narrow = prune_record(rows.study, 1.2);
  EXPECT_EQ(narrow.groups, 1);
  EXPECT_EQ(narrow.same_winner, 0);
  EXPECT_EQ(narrow.kept, 1);
  EXPECT_NEAR(narrow.worst_loss, 0.1, 1e-12);
  const PruneRecord wide = prune_record(rows.study, 1.5);
  EXPECT_EQ(wide.same_winner, 1);
  EXPECT_EQ(wide.kept, 2);
  EXPECT_EQ(wide.worst_loss, 0);
}

}  // namespace
}  // namespace tessera
