// SPDX-License-Identifier: Apache-2.0
// What ColumnQueues keep and load; that they hold what their planes have the variant's comparison
// with the reference shows.
#include "variants/ete/gather_queue/column_queues.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/device/space.hpp"

namespace tessera::ete {
namespace {

constexpr int kR = 4, kNx = 16, kNy = 3;
using Cells = Tile<kNx, kNy>;

TEST(ColumnQueues, HoldTwelveOrFortyEightValuesACell) {
  if (kOnDevice) GTEST_SKIP() << "registers have no size";
  constexpr std::size_t kCells = kNx * kNy * sizeof(float);
  const auto values = [&](std::size_t bytes) { return bytes / kCells; };
  EXPECT_EQ(values(ColumnQueues<float, kR, 1, Cells>::scratch_bytes(kThisKind)), 12U);
  // Those 3 cells away take the place of 4: a depth must divide the period.
  EXPECT_EQ(values(ColumnQueues<float, kR, 4, Cells>::scratch_bytes(kThisKind)), 48U + 4);
}

TEST(ColumnQueues, NumberTheLoadsOfAPlane) {
  using Queues = ColumnQueues<float, kR, 4, Cells>;
  EXPECT_EQ((ColumnQueues<float, kR, 1, Cells>::kColumns), 5);
  EXPECT_EQ(Queues::kColumns, 17);
  int next = 0;
  Queues::for_each_load([&](auto load, auto dz, auto dy, auto dx) {
    EXPECT_EQ(load, Queues::load_of(dz, dy, dx));
    EXPECT_EQ(load, next++);
    EXPECT_EQ(dz, dy == 0 && dx == 0 ? kR : std::abs(dy + dx));
  });
  EXPECT_EQ(next, Queues::kColumns);
}

}  // namespace
}  // namespace tessera::ete
