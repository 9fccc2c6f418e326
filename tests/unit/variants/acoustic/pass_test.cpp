// SPDX-License-Identifier: Apache-2.0
// Which cells a pass of two steps takes, and of which it stores the first step.
#include "variants/acoustic/kernels/pass.hpp"

#include <gtest/gtest.h>

namespace tessera::acoustic {
namespace {

Box box_of(const Extents& n, const Layers& layers) {
  return pass_box(inner_box(n, layers), layers);
}

TEST(PassBox, LeavesARingBesideTheLayers) {
  // x by whole vectors: 27 + 4 is rounded up to 32, 973 - 4 down to 968.
  EXPECT_EQ(box_of({1000, 990, 1000}, 27), (Box{31, 969, 31, 959, 32, 968}));
  EXPECT_TRUE(box_of({60, 60, 16}, 4).empty());
}

TEST(PassBox, TakesTheWholeGridWithoutLayers) {
  EXPECT_EQ(box_of({50, 41, 72}, 0), (Box{0, 50, 0, 41, 0, 72}));
  // A vector may hang over the face.
  EXPECT_EQ(box_of({50, 41, 75}, 0), (Box{0, 50, 0, 41, 0, 75}));
}

TEST(PassBox, LeavesARingUnderAFreeSurface) {
  EXPECT_EQ(box_of({50, 41, 72}, {0, true}), (Box{4, 50, 0, 41, 0, 72}));
  EXPECT_EQ(box_of({50, 41, 72}, {5, true}), (Box{4, 41, 9, 32, 16, 60}));
}

TEST(PassBox, StoresTheFirstStepOfTheRingToo) {
  const Extents n{50, 41, 72};
  EXPECT_EQ(pass_first_box({9, 41, 9, 32, 16, 56}, n), (Box{5, 45, 5, 36, 12, 60}));
  EXPECT_EQ(pass_first_box({0, 50, 0, 41, 0, 72}, n), whole(n));
}

}  // namespace
}  // namespace tessera::acoustic
