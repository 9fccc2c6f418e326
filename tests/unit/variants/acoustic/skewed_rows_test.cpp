// SPDX-License-Identifier: Apache-2.0
// The tiles of acoustic/skewed: each row made once in each step, by tiles no lower than what a
// neighbour reads of them, and enough of them for all threads where there are rows enough.
#include <gtest/gtest.h>

#include "base/device/space.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "variants/acoustic/skewed/pass.hpp"

namespace tessera::acoustic {
namespace {

TEST(SkewedRows, AreMadeOnceInEachStep) {
  for (const int ny : {9, 53, 400, 1000}) {
    for (const int steps : {1, 2, 3, 8}) {
      for (const int threads : {1, 2, 7, 64}) {
        SCOPED_TRACE(testing::Message() << ny << " rows, " << steps << " steps, " << threads);
        const SkewedCut tiles = skewed_rows(ny, 32, steps, threads);
        EXPECT_LE(tiles.tile, 32);
        EXPECT_GE(tiles.tile, 2 * kR);
        for (int step = 1; step <= steps; ++step) {
          const int ahead = (steps - step) * kR;
          int next = 0;
          for (int i = 0; i < tiles.count(); ++i) {
            ASSERT_EQ(tiles.begin(i, ahead), next);
            ASSERT_GE(tiles.end(i, ahead), next);
            next = tiles.end(i, ahead);
          }
          EXPECT_EQ(next, ny);
        }
      }
    }
  }
}

TEST(SkewedRows, AreTilesForAllThreads) {
  // 400 rows and 28 of skew: 14 tiles of at most 32 rows, 31 each; for six threads 18 of 24.
  EXPECT_EQ(skewed_rows(400, 32, 8, 1).count(), 14);
  EXPECT_EQ(skewed_rows(400, 32, 8, 2).count(), 14);
  EXPECT_EQ(skewed_rows(400, 32, 8, 6).count(), 18);
  // Tiles of eight rows are the lowest: of 53 there are no more than eight at t = 4.
  EXPECT_LE(skewed_rows(53, 32, 4, 64).count(), 9);
}

}  // namespace
}  // namespace tessera::acoustic
#endif
