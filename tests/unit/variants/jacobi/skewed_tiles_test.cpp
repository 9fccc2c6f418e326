// SPDX-License-Identifier: Apache-2.0
// Skewed tiles: each cell is stored once however many steps, and all threads have some.
#include "variants/jacobi/skewed/tiles.hpp"

#include <gtest/gtest.h>

namespace tessera::jacobi {
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

/// Of tiles of at most 16 cells, or 16 x 8.
constexpr TileLimits kFlat{.nx = 16, .least_x = 8, .grain_x = 4, .round = 2};
constexpr TileLimits kDeep{.nx = 16,
                           .ny = 8,
                           .least_x = 8,
                           .least_y = 2,
                           .grain_x = 4,
                           .grain_y = 2,
                           .radius_y = 1,
                           .round = 2};

/// Every thread has tiles, every plane and every stored cell one owner.
void check_tiles(const Extents& n, const TileLimits& limits, int steps, int threads) {
  SCOPED_TRACE(testing::Message() << n.nx << " x " << n.ny << " x " << n.nz << ", " << steps
                                  << " steps, " << threads << " threads");
  const SkewedTiles tiles = skewed_tiles(n, limits, steps, threads);
  EXPECT_LE(tiles.x.tile, limits.nx);
  EXPECT_LE(tiles.y.tile, limits.ny);
  EXPECT_GE(tiles.groups, 1);
  EXPECT_LE(tiles.groups, n.nz);
  EXPECT_GE(tiles.teams, 1);
  EXPECT_LE(tiles.teams, tiles.count());
  EXPECT_LE(tiles.league(), threads);
  std::int64_t stored = 0;
  for (int i = 0; i < tiles.count(); ++i) {
    const PlanePlace place = tiles.place(i);
    stored += std::int64_t{place.y_end - place.y_begin} * (place.x_end - place.x_begin);
  }
  EXPECT_EQ(stored, std::int64_t{n.ny} * n.nx);
  int next = 0;
  for (int group = 0; group < tiles.groups; ++group) {
    EXPECT_EQ(tiles.share_begin(n.nz, group), next);
    next = tiles.share_begin(n.nz, group + 1);
    EXPECT_LE(next - tiles.share_begin(n.nz, group), tiles.share(n.nz));
  }
  EXPECT_EQ(next, n.nz);
}

TEST(SkewedTiles, GiveEachCellOneOwner) {
  for (const int threads : {1, 2, 3, 16, 96}) {
    for (const int steps : {1, 3, 12}) {
      for (const int nx : {1, 7, 64, 100}) {
        for (const int nz : {1, 5, 64}) {
          check_tiles({nz, 1, nx}, kFlat, steps, threads);
          for (const int ny : {1, 9, 50}) check_tiles({nz, ny, nx}, kDeep, steps, threads);
        }
      }
    }
  }
}

TEST(SkewedTiles, ArePeriodicAlongXWhereARowFits) {
  EXPECT_TRUE(skewed_tiles({64, 50, 14}, kDeep, 12, 2).x.periodic);
  EXPECT_FALSE(skewed_tiles({64, 50, 15}, kDeep, 12, 2).x.periodic);
  EXPECT_FALSE(skewed_tiles({64, 50, 14}, kDeep, 12, 2).y.periodic);
}

TEST(SkewedTiles, AreAsManyAsKeepThreadsBusy) {
  // 64 cells and a skew of 3, 4 in its grain: five tiles of 16; six threads have six of 12.
  EXPECT_EQ(skewed_tiles({1000, 1, 64}, kFlat, 3, 1).count(), 5);
  const SkewedTiles six = skewed_tiles({1000, 1, 64}, kFlat, 3, 6);
  EXPECT_EQ(six.count(), 6);
  EXPECT_EQ(six.teams, 6);
  // Two tiles, the fewest, and eight threads: four chains of two, each a quarter of the planes.
  const SkewedTiles chains = skewed_tiles({1000, 1, 12}, kFlat, 3, 8);
  EXPECT_EQ(chains.league(), 8);
  EXPECT_GT(chains.groups, 1);
}

}  // namespace
}  // namespace tessera::jacobi
