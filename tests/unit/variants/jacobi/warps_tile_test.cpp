// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/warps/tile.hpp"

#include <gtest/gtest.h>

namespace tessera::jacobi {
namespace {

TEST(WarpStrips, NameTheirConfigurations) {
  EXPECT_EQ(WarpStrips{.steps = 8}.text(), "128x1,t=8");
  EXPECT_EQ((WarpStrips{.rows = 4, .warps = 12, .steps = 3}.text()), "64x48,t=3");
  EXPECT_EQ((WarpStrips{.rows = 4, .warps = 8, .steps = 2, .stages = 2}.text()), "64x32,t=2");
}

TEST(WarpStrips, FewSumsLeaveRegistersForMoreTeams) {
  EXPECT_EQ(WarpStrips{.steps = 4}.min_teams(1, 5), 16);
  EXPECT_EQ(WarpStrips{.steps = 4}.min_teams(2, 9), 8);
  EXPECT_EQ((WarpStrips{.steps = 8, .box_teams = 12}.min_teams(1, 9)), 12);
  EXPECT_EQ((WarpStrips{.steps = 8, .box_teams = 12}.min_teams(1, 5)), 8);
  EXPECT_EQ((WarpStrips{.rows = 4, .warps = 8, .steps = 2}.min_teams(1, 7)), 1);
}

}  // namespace
}  // namespace tessera::jacobi
