// SPDX-License-Identifier: Apache-2.0
// The slots of the circular multi-queue, on the paper's example of three steps at a time (EBISU
// Figures 5 and 6); streams of them variant/jacobi/bitwise_test.cpp compares with sweeps.
#include "base/tile/multi_queue.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tessera {
namespace {

constexpr int kLevels = 3;

template <class Addressing>
class MultiQueueTest : public testing::Test {};
using Schemes = testing::Types<ShiftedValues, ShiftedAddresses, ComputedAddresses>;
TYPED_TEST_SUITE(MultiQueueTest, Schemes);

TYPED_TEST(MultiQueueTest, SeveralValuesAtATimeAreOneAfterTheOther) {
  const QueueShape shape{kLevels, 10, 10, 4};
  MultiQueue<TypeParam> by_four(shape), by_one(shape);
  for (int round = 0; round < 50; ++round) {
    for (int level = 0; level < kLevels; ++level) {
      for (int i = 0; i < 10; ++i) ASSERT_EQ(by_four.slot(level, i), by_one.slot(level, i));
    }
    by_four.shuffle(4);
    for (int i = 0; i < 4; ++i) by_one.shuffle();
  }
}

TYPED_TEST(MultiQueueTest, TailIsTheHeadThatTheStepBeforeLeaves) {
  MultiQueue<TypeParam> queue({kLevels, 3, 2, 0});
  for (int round = 0; round < 20; ++round) {
    for (int level = 1; level < kLevels; ++level) {
      EXPECT_EQ(queue.tail(level), queue.slot(level - 1, 0)) << level << " in round " << round;
    }
    queue.shuffle();
  }
}

TYPED_TEST(MultiQueueTest, SlotsOfTheirOwnAreReadByNobodyInTheirRound) {
  MultiQueue<TypeParam> queue({kLevels, 4, 4, 0});
  for (int round = 0; round < 20; ++round) {
    std::set<int> read;
    for (int level = 0; level < kLevels; ++level) {
      for (int i = 0; i < 3; ++i) read.insert(queue.slot(level, i));
    }
    for (int level = 0; level < kLevels; ++level) EXPECT_EQ(read.count(queue.tail(level)), 0U);
    queue.shuffle();
  }
}

TEST(MultiQueueShape, IsTheSeeds) {
  // Figure 5 and Listing 5: RANGE is 7 for a depth of 3; Listing 7 has 16 for lazy streaming.
  const QueueShape naive{3, 3, 2, 0};
  EXPECT_EQ(MultiQueue<ShiftedValues>::slots(naive), 7);
  EXPECT_EQ(MultiQueue<ShiftedAddresses>::slots(naive), 7);
  EXPECT_EQ(MultiQueue<ComputedAddresses>::slots(naive), 8);
  const QueueShape lazy{3, 4, 4, 0};
  EXPECT_EQ(MultiQueue<ShiftedAddresses>::slots(lazy), 12);
  EXPECT_EQ(MultiQueue<ComputedAddresses>::slots(lazy), 16);
  // The slots of Figure 5.b, queue by queue.
  const MultiQueue<ShiftedValues> queue(naive);
  EXPECT_EQ(queue.slot(0, 0), 4);
  EXPECT_EQ(queue.tail(0), 6);
  EXPECT_EQ(queue.tail(1), 4);
  EXPECT_EQ(queue.tail(2), 2);
  EXPECT_EQ(queue.slot(2, 0), 0);
}

TEST(MultiQueueShape, ShiftedAddressesWrap) {
  MultiQueue<ShiftedAddresses> queue({1, 3, 2, 0});
  EXPECT_EQ(queue.tail(0), 2);
  queue.shuffle();
  EXPECT_EQ(queue.tail(0), 0);
  EXPECT_EQ(queue.slot(0, 0), 1);
  queue.shuffle();
  queue.shuffle();
  EXPECT_EQ(queue.tail(0), 2);
}

}  // namespace
}  // namespace tessera
