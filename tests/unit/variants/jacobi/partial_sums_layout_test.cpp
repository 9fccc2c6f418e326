// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/partial_sums/layout.hpp"

#include <gtest/gtest.h>

namespace tessera::jacobi {
namespace {

/// EBISU Table 2: scratch accesses a cell with redundant register streaming, four cells a thread;
/// one of them is the store.
TEST(StripLoads, AreThoseOfThePaper) {
  EXPECT_EQ((strip_loads<J2d5pt, 4>() + 1), 4);
  EXPECT_EQ((strip_loads<J2d9pt, 4>() + 1), 6);
  EXPECT_EQ((strip_loads<J2d9ptGol, 4>() + 1), 4);
  EXPECT_EQ((strip_loads<J2d25pt, 4>() + 1), 6);
  EXPECT_EQ((strip_loads<J3d7pt, 4>() + 1), 4.5);
  EXPECT_EQ((strip_loads<J3d13pt, 4>() + 1), 7);
  EXPECT_EQ((strip_loads<J3d17pt, 4>() + 1), 5.5);
  EXPECT_EQ((strip_loads<J3d27pt, 4>() + 1), 5.5);
  EXPECT_EQ((strip_loads<Poisson, 4>() + 1), 5.5);
}

TEST(StripLoads, OfOneCellAreItsColumns) {
  EXPECT_EQ((strip_loads<J3d7pt, 1>()), 5);
  EXPECT_EQ((strip_loads<J3d27pt, 1>()), 9);
}

TEST(StripNeeds, NothingBesideAStarInItsHaloRows) {
  EXPECT_TRUE((strip_needs<J3d7pt, 4>(-1, 0)));
  EXPECT_FALSE((strip_needs<J3d7pt, 4>(-1, 1)));
  EXPECT_TRUE((strip_needs<J3d7pt, 4>(3, -1)));
  EXPECT_FALSE((strip_needs<J3d7pt, 4>(5, 0)));
}

}  // namespace
}  // namespace tessera::jacobi
