// SPDX-License-Identifier: Apache-2.0
// Fang's layer conditions with the numbers of its sections III to VI: a core of a Xeon Phi has 512
// KB of L2, runs up to four threads, the grid has 328 cells along x, the table 902 velocities.
#include <gtest/gtest.h>

#include "fixtures/scratch_directory.hpp"
#include "program/predict/layer_condition.hpp"

namespace tessera::model {
namespace {

constexpr double kL2 = 512 * 1024;

/// (7) has nine layers, (8) one.
LayerCondition phi(double layers, int rows_of_table, double value_bytes, double threads = 4) {
  return {threads, 328, value_bytes, layers, kL2, rows_of_table * 902 * value_bytes};
}

TEST(LayerCondition, SevenAsPrinted) {
  const LayerCondition c = phi(9, 11, 4);
  EXPECT_DOUBLE_EQ(c.wanted(1), 4 * 328 * 4 * 9);
  EXPECT_DOUBLE_EQ(c.available(), 256 * 1024 - 11 * 902 * 4);
  EXPECT_TRUE(c.holds(4));
  EXPECT_FALSE(c.holds(5));
  EXPECT_EQ(c.most_rows(), 4);
}

TEST(LayerCondition, RowsOfTheTraditionalScheme) {
  // Beside the best of Table II: 1, 4, 1, 2 rows.
  EXPECT_EQ(phi(9, 11, 4).most_rows(), 4);
  EXPECT_EQ(phi(9, 17, 4).most_rows(), 4);
  EXPECT_EQ(phi(9, 11, 8).most_rows(), 1);
  EXPECT_EQ(phi(9, 17, 8).most_rows(), 1);
}

TEST(LayerCondition, EightAllowsNineTimesTheRows) {
  // Beside the best of Table II: 8, 8, 8, 4 rows.
  EXPECT_EQ(phi(1, 11, 4).most_rows(), 42);
  EXPECT_EQ(phi(1, 17, 4).most_rows(), 38);
  EXPECT_EQ(phi(1, 11, 8).most_rows(), 17);
  EXPECT_EQ(phi(1, 17, 8).most_rows(), 13);
  for (const double ny : {1, 7, 40}) {
    EXPECT_DOUBLE_EQ(phi(9, 11, 4).wanted(ny), phi(1, 11, 4).wanted(9 * ny));
  }
}

TEST(LayerCondition, IsStrictAndNeverBelowZeroRows) {
  const LayerCondition just{1, 100, 4, 1, 8000, 0};  // 400 B a row, 4000 B
  EXPECT_FALSE(just.holds(10));
  EXPECT_EQ(just.most_rows(), 9);
  EXPECT_EQ((LayerCondition{1, 100, 4, 1, 8000, 5000}.most_rows()), 0);
  EXPECT_EQ((LayerCondition{4, 328, 8, 9, kL2, 300000}.most_rows()), 0);
}

TEST(LayerCondition, ChoosesTheWidestBlockThatHolds) {
  const std::vector<Block> offered = {
      {"1x8", 1, 8}, {"4x16", 4, 16}, {"4x64", 4, 64}, {"16x16", 16, 16}, {"full", 0, 0}};
  EXPECT_EQ(choose_block(offered, phi(9, 11, 4), 328, 936).name, "4x64");
  EXPECT_EQ(choose_block(offered, phi(1, 11, 4), 328, 936).name, "16x16");
  EXPECT_EQ(choose_block(offered, phi(9, 17, 8), 328, 936).name, "1x8");
  // Where it holds for none the narrowest; a grid that is narrower than a block is its own width.
  EXPECT_EQ(choose_block(offered, {4, 328, 8, 9, kL2, 300000}, 328, 936).name, "1x8");
  EXPECT_EQ(choose_block(offered, phi(9, 11, 4), 3, 936).name, "full");
  EXPECT_NE(test::error_of([] { static_cast<void>(choose_block({}, phi(9, 11, 4), 1, 1)); }), "");
}

TEST(LayerCondition, TakesACoresShareOfItsOwnCache) {
  machine::Machine machine;
  machine.name = "m", machine.kind = "cpu", machine.units = 8;
  EXPECT_NE(test::error_of([&] { static_cast<void>(layer_condition(machine, 328, 4, 9, 0)); }), "");
  machine.caches = {{"L1", 32768.0, 64.0, 8.0, {}},
                    {"L2", 1048576.0, 64.0, 4.0, {}},
                    {"L3", 33554432.0, 64.0, 1.0, {}}};
  EXPECT_DOUBLE_EQ(layer_condition(machine, 328, 4, 9, 0).cache_bytes, 524288)
      << "two cores share an L2; the L3 is everybody's";
  EXPECT_DOUBLE_EQ(layer_condition(machine, 328, 4, 9, 0).threads, 1);
  machine.threads_per_unit = 4;
  EXPECT_DOUBLE_EQ(layer_condition(machine, 328, 4, 9, 0).threads, 4);
  machine.kind = "gpu";
  EXPECT_NE(test::error_of([&] { static_cast<void>(layer_condition(machine, 328, 4, 9, 0)); }), "");
}

}  // namespace
}  // namespace tessera::model
