// SPDX-License-Identifier: Apache-2.0
// Skewed tiles along an axis: each cell is stored once however many steps, and each tile is made a
// round behind the one before it.
#include "base/tile/skewed_cut.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tessera {
namespace {

TEST(SkewedCut, StoresEachCellOnceHoweverManySteps) {
  constexpr int kGrain = 8;
  for (const int n : {1, 2, 7, 8, 63, 64, 65, 288, 1000, 8064}) {
    for (const int tile : {16, 144, 512}) {
      for (const int skew : {1, 2, 6, 30, 96}) {
        const int tiles = fewest_tiles(n, tile, skew, kGrain);
        const SkewedCut cut = skewed(n, tiles, skew, kGrain, kGrain);
        SCOPED_TRACE(testing::Message() << n << " cells, tile " << tile << ", skew " << skew);
        EXPECT_LE(cut.tile, tile);
        EXPECT_EQ(cut.tile % kGrain, 0);
        EXPECT_LE(cut.count(), tiles);
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

TEST(SkewedCut, IsAsNarrowAsItsNumberOfTilesAllows) {
  // 8064 cells and 96 of skew: 16 tiles of 510, 512 in whole lines.
  EXPECT_EQ(fewest_tiles(8064, 512, 96, 8), 16);
  EXPECT_EQ(skewed(8064, 16, 96, 8, 8).tile, 512);
  // 288 and 8: one tile of 296.
  EXPECT_EQ(fewest_tiles(288, 400, 6, 8), 1);
  EXPECT_EQ(skewed(288, 1, 6, 8, 8).tile, 296);
  EXPECT_EQ(skewed(3, 1, 6, 8, 32).tile, 32);
}

TEST(SkewedCut, IsPeriodicWhereOneTileHoldsARow) {
  for (const int n : {1, 5, 12, 384}) {
    for (const int fixed : {1, 2}) {
      for (const int steps : {1, 3, 48}) {
        const SkewedCut cut = periodic(n, steps, fixed, 8, 8);
        SCOPED_TRACE(testing::Message() << n << " cells, " << fixed << " fixed, " << steps);
        EXPECT_EQ(cut.count(), 1);
        EXPECT_GE(cut.tile, n + 2 * fixed);
        EXPECT_LT(cut.tile, n + 2 * fixed + 8);
        EXPECT_EQ(cut.begin(0), 0);
        EXPECT_EQ(cut.end(0), n);
        for (int step = 0; step <= steps; ++step) {
          // Each cell has a place of its own, and its neighbour on the left lies before it.
          const int x0 = cut.first(0) + (steps - step) * fixed;
          for (int x = -fixed; x < n + fixed; ++x) {
            ASSERT_GE(cut.place(x, x0), 0);
            ASSERT_LT(cut.place(x, x0), cut.tile);
            if (x == -fixed) continue;
            ASSERT_EQ(cut.place(x, x0), (cut.place(x - 1, x0) + 1) % cut.tile);
          }
        }
        EXPECT_EQ(cut.place(-fixed, cut.first(0) + steps * fixed), 0);
      }
    }
  }
  // 384 cells and 2 on each side: 392, however many steps. A tile of 16 holds 14 and one each side.
  EXPECT_EQ(periodic(384, 24, 2, 8, 8).tile, 392);
}

TEST(TileChain, MakesEachTileARoundBehindTheOneBefore) {
  constexpr int kRounds = 5, kFirst = 0;
  const int threads = ExecSpace().concurrency();
  for (int teams = 1; teams <= threads && teams <= 3; ++teams) {
    for (const int tiles : {1, 2, 7}) {
      const TeamChain chain;
      chain.reset(ExecSpace());
      std::vector<std::atomic<int>> done(tiles);
      std::atomic<int> early{0};
      const auto work = [&](int link) {
        for_each_tile_in_chain(chain.counters(), kFirst, teams, link, tiles, kRounds,
                               [&](int i, const auto& wait, const auto& finish) {
                                 for (int round = 1; round <= kRounds; ++round) {
                                   wait();
                                   if (i > 0 && done[i - 1] < round) ++early;
                                   ++done[i];
                                   finish();
                                 }
                               });
      };
      std::vector<std::thread> others;
      for (int link = 1; link < teams; ++link) others.emplace_back(work, link);
      work(0);
      for (std::thread& other : others) other.join();
      EXPECT_EQ(early, 0) << teams << " teams, " << tiles << " tiles";
      for (const auto& rounds : done) EXPECT_EQ(rounds, kRounds);
    }
  }
}

}  // namespace
}  // namespace tessera
