// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/kernels/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

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

TEST(PlanePlace, StoresItsOwnCells) {
  const PlanePlace place{.y0 = -2, .x0 = 10, .y_begin = 0, .y_end = 3, .x_begin = 12, .x_end = 14};
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      EXPECT_EQ(place.stores(y, x), y >= 2 && y < 5 && x >= 2 && x < 4) << y << ", " << x;
    }
  }
}

TEST(TileShape, NamesItsConfigurations) {
  EXPECT_EQ((TileShape{.nx = 1024, .ny = 1, .own = 4}.text(7)), "1024x1,t=7");
  EXPECT_EQ((TileShape{.nx = 256, .ny = 1, .own = 4, .planes = 4}.text(7)), "256x4,t=7");
  EXPECT_EQ((TileShape{.nx = 128, .ny = 32}.text(2)), "128x32,t=2");
}

/// Tiles of 3 x 2 cells: `rows` rows of `columns`.
PlaneCuts tiles(int rows, int columns) { return {{2 * rows, 2, 0}, {3 * columns, 3, 0}}; }

TEST(Share, EveryPlaneOfEveryTileOnceAndNoTeamLonger) {
  constexpr int kPlanes = 7;
  for (const int columns : {1, 2, 5}) {
    for (const int rows : {1, 4, 13}) {
      for (const int league : {1, 2, 3, 8, 20, 64, 65, 131}) {
        const PlaneCuts cuts = tiles(rows, columns);
        if (league > cuts.count() * kPlanes) continue;
        SCOPED_TRACE(testing::Message() << columns << " x " << rows << " tiles, " << league);
        std::vector<int> seen(cuts.count() * kPlanes);
        int longest = 0;
        for (int rank = 0; rank < league; ++rank) {
          int planes = 0;
          for_each_share(cuts, kPlanes, rank, league,
                         [&](const PlanePlace& place, int s_begin, int s_end) {
                           const int tile = place.y0 / 2 * columns + place.x0 / 3;
                           for (int s = s_begin; s < s_end; ++s) ++seen[tile * kPlanes + s];
                           planes += s_end - s_begin;
                         });
          longest = std::max(longest, planes);
        }
        EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
        EXPECT_EQ(longest, (cuts.count() * kPlanes + league - 1) / league);
      }
    }
  }
}

TEST(Share, WholeTilesWhileThereIsOneForEachTeam) {
  constexpr int kPlanes = 10, kLeague = 4;
  const PlaneCuts cuts = tiles(3, 3);
  for (int rank = 0; rank < kLeague; ++rank) {
    int streams = 0;
    for_each_share(cuts, kPlanes, rank, kLeague,
                   [&](const PlanePlace& place, int s_begin, int s_end) {
                     if (streams++ >= 2) return;
                     EXPECT_EQ(place.y0 / 2 * 3 + place.x0 / 3, (streams - 1) * kLeague + rank);
                     EXPECT_EQ(s_end - s_begin, kPlanes);
                   });
    EXPECT_EQ(streams, 3);
  }
}

}  // namespace
}  // namespace tessera::jacobi
