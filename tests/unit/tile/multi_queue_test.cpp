// SPDX-License-Identifier: Apache-2.0
// The circular multi-queue on the paper's example: a 1D 3-point stencil, three steps at a time
// (EBISU Figures 5 and 6, Listings 5 to 7).
#include "base/tile/multi_queue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace tessera {
namespace {

constexpr int kLevels = 3;
constexpr double kA = 0.25, kB = 0.5, kC = 0.25;

double compute(double left, double middle, double right) {
  return kA * left + kB * middle + kC * right;
}

/// Three steps over the whole line, one after the other; the two ends are fixed.
std::vector<double> sweeps(std::vector<double> u) {
  for (int step = 0; step < kLevels; ++step) {
    std::vector<double> next = u;
    for (std::size_t i = 1; i + 1 < u.size(); ++i) next[i] = compute(u[i - 1], u[i], u[i + 1]);
    u = next;
  }
  return u;
}

/// The same in one pass over the line: a value is loaded and one is stored a round. `lag` is 1 as
/// in Listing 5, or 2: lazily, from values that were whole before the round (Listing 7).
template <class Addressing>
std::vector<double> streamed(const std::vector<double>& u, int lag, bool own_slots) {
  const int n = static_cast<int>(u.size());
  const int length = lag + 2;
  const QueueShape shape{kLevels, length, own_slots ? length : length - 1, 0};
  MultiQueue<Addressing> queue(shape);
  std::vector<double> slots(static_cast<std::size_t>(queue.range()), -1e30);
  const auto at = [&](int level, int i) -> double& {
    return slots.at(static_cast<std::size_t>(queue.slot(level, i)));
  };
  std::vector<double> stored(u.size(), -1);
  for (int round = 0; round < n + kLevels * lag; ++round) {
    at(0, length - 1) = round < n ? u[static_cast<std::size_t>(round)] : -1e30;
    for (int level = 1; level <= kLevels; ++level) {
      const int p = round - level * lag;
      if (p < 0 || p >= n) continue;
      const bool fixed = p == 0 || p == n - 1;
      // compute, then enqueue: the head that is read is where the result goes
      const double made =
          fixed ? at(level - 1, 1) : compute(at(level - 1, 0), at(level - 1, 1), at(level - 1, 2));
      if (level == kLevels) {
        stored[static_cast<std::size_t>(p)] = made;
      } else {
        at(level, length - 1) = made;
      }
    }
    if (MultiQueue<Addressing>::kMovesValues) {
      for (int i = 0; i + 1 < queue.range(); ++i) slots[i] = slots[i + 1];
    }
    queue.shuffle();
  }
  return stored;
}

std::vector<double> line(int n) {
  std::vector<double> u;
  for (int i = 0; i < n; ++i) u.push_back((i * 37 % 101) / 16.0);
  return u;
}

template <class Addressing>
class MultiQueueTest : public testing::Test {};
using Schemes = testing::Types<ShiftedValues, ShiftedAddresses, ComputedAddresses>;
TYPED_TEST_SUITE(MultiQueueTest, Schemes);

TYPED_TEST(MultiQueueTest, ThreeStepsInOnePassEqualThreeSweeps) {
  for (const int n : {3, 4, 7, 8, 50}) {
    const auto wanted = sweeps(line(n));
    EXPECT_EQ(streamed<TypeParam>(line(n), 1, false), wanted) << n << " cells, Listing 5";
    EXPECT_EQ(streamed<TypeParam>(line(n), 2, true), wanted) << n << " cells, Listing 7";
    EXPECT_EQ(streamed<TypeParam>(line(n), 2, false), wanted) << n << " cells, a round late";
  }
}

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
