// SPDX-License-Identifier: Apache-2.0
#include "base/tile/transposed_row.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

template <class T>
class TransposedRow : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(TransposedRow, Precisions);

/// Lengths below, at and beyond the lanes of a vector, multiples and not.
const int kLengths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 40};

/// Cells 1, 2, ... in their natural order, from an address that is not a vector's.
template <class T>
std::vector<T> numbered(int cells) {
  std::vector<T> natural(cells + 1, T(0));
  for (int x = 0; x < cells; ++x) natural[1 + x] = T(1 + x);
  return natural;
}

TYPED_TEST(TransposedRow, EachLaneHoldsAStretchOfNeighbours) {
  using T = TypeParam;
  for (const int length : kLengths) {
    const int cells = length * kHostLanes<T>;
    const std::vector<T> natural = numbered<T>(cells);
    std::vector<T> row(cells + 2, T(-1));
    transpose_row(row.data() + 1, natural.data() + 1, length);
    for (int lane = 0; lane < kHostLanes<T>; ++lane) {
      for (int i = 0; i < length; ++i) {
        const int x = lane * length + i;
        ASSERT_EQ(transposed_place<T>(x, length), i * kHostLanes<T> + lane);
        ASSERT_EQ(row[1 + i * kHostLanes<T> + lane], T(1 + x)) << length << " " << x;
      }
    }
    EXPECT_EQ(row.front(), T(-1));
    EXPECT_EQ(row.back(), T(-1));
  }
}

TYPED_TEST(TransposedRow, UntransposesToWhatWasTransposed) {
  using T = TypeParam;
  for (const int length : kLengths) {
    const int cells = length * kHostLanes<T>;
    const std::vector<T> natural = numbered<T>(cells);
    std::vector<T> row(cells), back(cells + 2, T(-1));
    transpose_row(row.data(), natural.data() + 1, length);
    untranspose_row(back.data() + 1, row.data(), length);
    for (int x = 0; x < cells; ++x) ASSERT_EQ(back[1 + x], T(1 + x)) << length << " " << x;
    EXPECT_EQ(back.front(), T(-1));
    EXPECT_EQ(back.back(), T(-1));
  }
}

/// A neighbour at distance -d is d vectors before, in the row and, for its first cells, in what the
/// tile before has left, which gets this row's last cells.
TYPED_TEST(TransposedRow, NeighboursOnTheLeftAreVectorsBefore) {
  using T = TypeParam;
  constexpr int kHalo = 4, kLanes = kHostLanes<T>;
  for (const int length : kLengths) {
    if (length < kHalo) continue;
    const int cells = length * kLanes;
    const std::vector<T> natural = numbered<T>(cells);
    std::vector<T> around(cells + kHalo * kLanes, T(-1));
    T* const row = around.data() + kHalo * kLanes;
    transpose_row(row, natural.data() + 1, length);
    T before[kHalo] = {T(0), T(-1), T(-2), T(-3)};
    fill_periodic_halo<kHalo>(row, length);
    for (int x = 0; x < cells; ++x) {
      for (int d = 0; d <= kHalo; ++d) {
        ASSERT_EQ(row[transposed_place<T>(x, length) - d * kLanes], T(1 + (x - d + cells) % cells))
            << length << " " << x << " " << d;
      }
    }
    exchange_left_halo<kHalo>(row, length, before);
    for (int x = 0; x < cells; ++x) {
      for (int d = 0; d <= kHalo; ++d) {
        ASSERT_EQ(row[transposed_place<T>(x, length) - d * kLanes], T(1 + x - d))
            << length << " " << x << " " << d;
      }
    }
    for (int d = 1; d <= kHalo; ++d) {
      EXPECT_EQ(row[transposed_place<T>(-d, length)], T(1 - d)) << length;
      EXPECT_EQ(before[d - 1], T(1 + cells - d)) << length;
    }
  }
}

}  // namespace
}  // namespace tessera
