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

TEST(Cut, ShrunkTilesStoreEachCellOnceAndAreNoMore) {
  for (const int n : {1, 2, 7, 8, 63, 64, 65, 288, 384, 1000, 8064, 8784}) {
    for (const int tile : {16, 32, 144, 1024}) {
      for (const int lost : {0, 1, 2, 5, 30}) {
        for (const int grain : {1, 8, 16}) {
          const Cut largest{n, tile, lost};
          if (largest.step() < 1) continue;
          const Cut cut = shrunk(largest, grain, grain);
          SCOPED_TRACE(testing::Message()
                       << n << " cells, tile " << tile << ", lost " << lost << ", grain " << grain);
          check_covers(cut, lost);
          EXPECT_LE(cut.tile, tile);
          EXPECT_EQ(cut.tile % grain, 0);
          EXPECT_LE(cut.count(), largest.count());
        }
      }
    }
  }
}

TEST(Cut, ShrunkTilesAndWhatTheyStoreAreWholeWhereTheyFit) {
  // 384 cells take three tiles of at most 144: 128 stored of 136, in place of 140, 140 and 104.
  const Cut cut = shrunk({384, 144, 2}, 8, 8);
  EXPECT_EQ(cut.tile, 136);
  EXPECT_EQ(cut.step(), 128);
  EXPECT_EQ(cut.count(), 3);
  // No room for whole lines: 124 of 128 cells stay 124.
  const Cut tight = shrunk({372, 128, 2}, 8, 8);
  EXPECT_EQ(tight.tile, 128);
  EXPECT_EQ(tight.step(), 124);
}

TEST(Cut, ShrunkTilesKeepTheirLeastWidth) {
  const Cut cut = shrunk({3, 144, 2}, 8, 16);
  EXPECT_EQ(cut.tile, 16);
  EXPECT_EQ(cut.count(), 1);
}

TEST(Cut, SkewedTilesStoreEachCellOnceWhateverTheDepth) {
  constexpr int kGrain = 8;
  for (const int n : {1, 2, 7, 8, 63, 64, 65, 288, 1000, 8064}) {
    for (const int tile : {16, 144, 512}) {
      for (const int skew : {1, 2, 6, 30, 96}) {
        const Cut cut = skewed(n, tile, skew, kGrain, kGrain);
        SCOPED_TRACE(testing::Message() << n << " cells, tile " << tile << ", skew " << skew);
        EXPECT_LE(cut.tile, tile);
        EXPECT_EQ(cut.tile % kGrain, 0);
        EXPECT_LE(cut.count(), (n + skew + kGrain - 1 + tile - 1) / tile);
        int next = 0;
        for (int i = 0; i < cut.count(); ++i) {
          ASSERT_EQ(cut.begin(i), next);
          ASSERT_GE(cut.end(i), next);
          next = cut.end(i);
          if (cut.begin(i) == cut.end(i)) continue;
          EXPECT_EQ(cut.begin(i) % kGrain, 0);
          EXPECT_LE(cut.first(i), cut.begin(i));
          EXPECT_LE(cut.end(i), cut.first(i) + cut.tile);
        }
        EXPECT_EQ(next, n);
        EXPECT_LE(cut.first(0) + skew, 0);  // the first step begins no later than the grid
      }
    }
  }
}

TEST(Cut, SkewedTilesAreAsNarrowAsTheirNumberAllows) {
  // 8064 cells and 96 of skew: 16 tiles of 512 would be 8192, 510 are enough, 512 in whole lines.
  EXPECT_EQ(skewed(8064, 512, 96, 8, 8).count(), 16);
  // 288 and 8: one tile of 296.
  const Cut cut = skewed(288, 400, 6, 8, 8);
  EXPECT_EQ(cut.tile, 296);
  EXPECT_EQ(cut.count(), 1);
}

TEST(Cut, TooDeepATileStaysAsItIs) { EXPECT_LT(shrunk({100, 16, 8}, 8, 8).step(), 1); }

}  // namespace
}  // namespace tessera::jacobi
