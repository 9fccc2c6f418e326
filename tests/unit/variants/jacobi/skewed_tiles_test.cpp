// SPDX-License-Identifier: Apache-2.0
// Skewed tiles of a plane: each cell has one owner, and all threads have some.
#include "variants/jacobi/skewed/tiles.hpp"

#include <gtest/gtest.h>

namespace tessera::jacobi {
namespace {

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
