// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/kernels/exchange.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace tessera::jacobi {
namespace {

struct SmallTile {
  static constexpr int kNx = 8, kNy = 6;
};

template <int R, int Ry>
void check_record() {
  using Record = EdgeRecord<SmallTile, R, Ry>;
  // Every place is that of one cell; cells that no neighbour reads have none.
  std::vector<int> owners(Record::kElements, 0);
  for (int y = 0; y < SmallTile::kNy; ++y) {
    for (int x = 0; x < SmallTile::kNx; ++x) {
      int places = 0;
      Record::for_each_place(y, x, [&](int place) {
        ++owners.at(place);
        ++places;
      });
      const int expected =
          (y < Ry) + (y >= SmallTile::kNy - Ry) + (x < R) + (x >= SmallTile::kNx - R);
      EXPECT_EQ(places, expected) << y << ' ' << x;
    }
  }
  for (const int owner : owners) EXPECT_EQ(owner, 1);
  // The halo, each cell once, is found where its owner leaves it.
  std::set<std::pair<int, int>> seen;
  const auto check = [&](const typename Record::Beside& cell) {
    EXPECT_TRUE(seen.insert({cell.y, cell.x}).second) << cell.y << ' ' << cell.x;
    EXPECT_TRUE(cell.down != 0 || cell.right != 0);
    bool found = false;
    Record::for_each_place(cell.y - cell.down * SmallTile::kNy,
                           cell.x - cell.right * SmallTile::kNx,
                           [&](int place) { found = found || place == cell.place; });
    EXPECT_TRUE(found) << cell.y << ' ' << cell.x;
  };
  for (int i = 0; i < Record::kElements; ++i) check(Record::halo_cell(i));
  for (int i = 0; i < Record::kCorners; ++i) check(Record::corner_cell(i));
  EXPECT_EQ(seen.size(), std::size_t((SmallTile::kNx + 2 * R) * (SmallTile::kNy + 2 * Ry) -
                                     SmallTile::kNx * SmallTile::kNy));
}

TEST(EdgeRecord, HoldsWhatNeighboursReadOnceAndWithoutGaps) {
  check_record<1, 1>();
  check_record<2, 2>();
}

/// What a warp reads of a neighbour's column is one run: a line has a cell of each of its rows.
TEST(EdgeRecord, ColumnsAreTransposed) {
  using Record = EdgeRecord<SmallTile, 2, 2>;
  for (int i = Record::kLeft + 1; i < Record::kRight; ++i) {
    const auto before = Record::halo_cell(i - 1);
    const auto cell = Record::halo_cell(i);
    EXPECT_EQ(cell.place, before.place + 1);
    if (i % SmallTile::kNy != Record::kLeft % SmallTile::kNy) {
      EXPECT_EQ(cell.y, before.y + 1);
    }
  }
}

TEST(Exchange, FindsWhatTheNeighbourLeft) {
  using Record = EdgeRecord<SmallTile, 1, 1>;
  std::vector<double> memory(Exchange<double>::elements<Record>(2, 6), -1.0);
  const Exchange<double> exchange{{}, 2, 3, memory.data(), GridBarrier(), 2};
  for (int rank = 0; rank < 6; ++rank) {
    for (int y = 0; y < SmallTile::kNy; ++y) {
      for (int x = 0; x < SmallTile::kNx; ++x) {
        exchange.leave<Record>(rank, 2, 7, y, x, 100.0 * rank + 10 * y + x);
      }
    }
  }
  const auto value = [&](int rank, int y, int x) {
    const double* const at = exchange.find<Record>(rank, 2, 7, Record::beside(y, x));
    return at == nullptr ? -2.0 : *at;
  };
  EXPECT_EQ(value(0, 3, 8), 130);   // right: first column
  EXPECT_EQ(value(1, 2, -1), 27);   // left: last column
  EXPECT_EQ(value(4, -1, 5), 155);  // above: last row
  EXPECT_EQ(value(1, 6, 5), 405);   // below: first row
  EXPECT_EQ(value(4, -1, -1), 57);  // a corner
  EXPECT_EQ(value(0, -1, 3), -2);   // the device tile ends
  EXPECT_EQ(value(2, 3, 8), -2);
  // Another step's and another round's records are others.
  EXPECT_EQ(*exchange.find<Record>(0, 1, 7, Record::beside(3, 8)), -1);
  EXPECT_EQ(*exchange.find<Record>(0, 2, 6, Record::beside(3, 8)), -1);
}

}  // namespace
}  // namespace tessera::jacobi
