// SPDX-License-Identifier: Apache-2.0
#include "stencils/jacobi_tiles.hpp"

#include <gtest/gtest.h>

namespace tessera::jacobi {
namespace {

/// Whether the tiles store each of n cells once, none of those lost at a cut.
void check_covers(const Cut& cut, int lost) {
  int next = 0;
  for (int i = 0; i < cut.count(); ++i) {
    ASSERT_EQ(cut.begin(i), next);
    next = cut.end(i);
    ASSERT_GT(next, cut.begin(i));
    ASSERT_GE(cut.begin(i) - cut.first(i), lost);
    ASSERT_LE(next + lost, cut.first(i) + cut.tile);
  }
  ASSERT_EQ(next, cut.n);
}

TEST(Cut, OverlappingTilesStoreEachCellOnce) {
  for (const int n : {1, 2, 7, 8, 63, 64, 65, 288, 384, 1000, 8064, 8784}) {
    for (const int tile : {16, 32, 144, 1024}) {
      for (const int lost : {0, 1, 2, 5, 30}) {
        const Cut cut{n, tile, lost};
        if (cut.step() < 1) continue;
        SCOPED_TRACE(testing::Message() << n << " cells, tile " << tile << ", lost " << lost);
        check_covers(cut, lost);
      }
    }
  }
}

TEST(Cut, TooDeepATileHasNoStep) { EXPECT_LT((Cut{100, 16, 8}.step()), 1); }

}  // namespace
}  // namespace tessera::jacobi
