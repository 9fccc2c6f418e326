// SPDX-License-Identifier: Apache-2.0
#include "base/registry/configuration_text.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(ConfigurationText, ExtentsBeginWithX) {
  EXPECT_EQ(extents_text({32, 16}), "32x16");
  EXPECT_EQ(extents_text({32, 8, 1}), "32x8x1");
  EXPECT_EQ(extents_text({0, 16, 0}), "fullx16xfull");
}

TEST(ConfigurationText, WhatIsUsualGoesWithoutSaying) {
  EXPECT_EQ(parameter_text("chunk", 64), ",chunk=64");
  EXPECT_EQ(parameter_text("chunk", 0), "");
  EXPECT_EQ(parameter_text("rows", 1, 1), "");
  EXPECT_EQ(parameter_text("v", 1), ",v=1");
}

}  // namespace
}  // namespace tessera
