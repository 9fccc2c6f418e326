// SPDX-License-Identifier: Apache-2.0
// How the records of jacobi/ebisu lie in memory; ebisu_stream_test.cpp has what they carry.
#include "variants/jacobi/kernels/exchange.hpp"

#include <gtest/gtest.h>

namespace tessera::jacobi {
namespace {

struct SmallTile {
  static constexpr int kNx = 8, kNy = 6;
};

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

}  // namespace
}  // namespace tessera::jacobi
