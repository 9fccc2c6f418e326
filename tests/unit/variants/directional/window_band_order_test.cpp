// SPDX-License-Identifier: Apache-2.0
#include "variants/directional/window/band_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tessera::directional {
namespace {

// Every tile once, whatever the bands leave over; within a band z is slower than x and y, and a
// band is done before the next one begins.
TEST(BandOrder, VisitsEveryTileOnceBandByBand) {
  for (const auto& [nx, ny, nz, teams] : std::vector<std::array<int, 4>>{{1, 1, 1, 1},
                                                                         {3, 7, 5, 6},
                                                                         {3, 7, 5, 1},
                                                                         {4, 8, 2, 16},
                                                                         {5, 3, 4, 100},
                                                                         {2, 11, 3, 8},
                                                                         {0, 0, 0, 4}}) {
    const Tiling tiling({0, nz, 0, ny, 0, nx}, 1, 1, 1);
    const BandOrder order(tiling, teams);
    const int rows = std::clamp(teams / std::max(nx, 1), 1, std::max(ny, 1));
    std::vector<int> seen(static_cast<std::size_t>(tiling.league()), 0);
    int band = 0, z = 0;
    for (int rank = 0; rank < tiling.league(); ++rank) {
      const int at = order(rank);
      ASSERT_GE(at, 0);
      ASSERT_LT(at, tiling.league());
      ++seen[static_cast<std::size_t>(at)];
      const TilePlace place = tiling.place(at);
      const int this_band = place.y0 / rows;
      EXPECT_TRUE(this_band > band || (this_band == band && place.z0 >= z));
      EXPECT_LE(this_band, band + 1);
      band = this_band;
      z = place.z0;
    }
    for (const int times : seen) EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace tessera::directional
