// SPDX-License-Identifier: Apache-2.0
#include "base/grid/extents.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Extents, CountsCellsIn64Bits) {
  EXPECT_EQ((Extents{2, 3, 5}.cells()), 30);
  EXPECT_EQ((Extents{1300, 1300, 1300}.cells()), 2'197'000'000LL);  // past 2^31
  EXPECT_EQ((Extents{1 << 20, 1 << 20, 1 << 20}.cells()), std::int64_t{1} << 60);
  EXPECT_EQ((Extents{0, 7, 7}.cells()), 0);
}

TEST(Box, CountsCellsIn64Bits) {
  const Box box{10, 2010, 20, 2020, 30, 2030};
  EXPECT_EQ(box.nz(), 2000);
  EXPECT_EQ(box.ny(), 2000);
  EXPECT_EQ(box.nx(), 2000);
  EXPECT_EQ(box.cells(), 8'000'000'000LL);  // past 2^32
}

TEST(Box, EmptyAlongAnyAxisHasNoCells) {
  const Box full{0, 3, 0, 4, 0, 5};
  EXPECT_FALSE(full.empty());
  // Two negative extents must not multiply to a positive count.
  for (const Box& box : {Box{}, Box{3, 3, 0, 4, 0, 5}, Box{0, 3, 4, 2, 0, 5}, Box{0, 3, 0, 4, 6, 5},
                         Box{3, 1, 4, 1, 0, 5}}) {
    EXPECT_TRUE(box.empty());
    EXPECT_EQ(box.cells(), 0);
  }
}

TEST(Box, ContainsItsFirstButNotItsEndCells) {
  const Box box{1, 4, 2, 6, 3, 8};
  EXPECT_TRUE(box.contains(1, 2, 3));
  EXPECT_TRUE(box.contains(3, 5, 7));
  EXPECT_FALSE(box.contains(4, 5, 7));
  EXPECT_FALSE(box.contains(3, 6, 7));
  EXPECT_FALSE(box.contains(3, 5, 8));
  EXPECT_FALSE(box.contains(0, 2, 3));
  EXPECT_FALSE(box.contains(1, 1, 3));
  EXPECT_FALSE(box.contains(1, 2, 2));
}

TEST(Box, WholeGridAndIntersection) {
  EXPECT_EQ(whole({3, 4, 5}), (Box{0, 3, 0, 4, 0, 5}));
  const Box a{0, 4, 1, 7, 2, 9};
  const Box b{2, 8, 0, 3, 5, 20};
  EXPECT_EQ(intersect(a, b), (Box{2, 4, 1, 3, 5, 9}));
  EXPECT_EQ(intersect(b, a), intersect(a, b));
  EXPECT_EQ(intersect(a, a), a);
  EXPECT_TRUE(intersect(a, {4, 8, 0, 9, 0, 9}).empty());  // they touch
}

}  // namespace
}  // namespace tessera
