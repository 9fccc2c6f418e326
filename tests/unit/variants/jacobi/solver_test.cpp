// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/case/solver.hpp"

#include <gtest/gtest.h>

#include "fixtures/scratch_directory.hpp"

namespace tessera::jacobi {
namespace {

TEST(JacobiFacts, AreFoundByName) {
  EXPECT_EQ(facts_of("jacobi/j2d5pt").dims, 2);
  EXPECT_EQ(facts_of("jacobi/j3d7pt").dims, 3);
  EXPECT_EQ(facts_of("jacobi/j3d7pt").r, 1);
}

TEST(JacobiFacts, OfAnUnknownNameAreAnError) {
  const std::string message = test::error_of([] { static_cast<void>(facts_of("jacobi/j3d8pt")); });
  EXPECT_TRUE(test::has(message, "\"jacobi/j3d8pt\" does not exist")) << message;
  EXPECT_TRUE(test::has(message, "did you mean jacobi/j3d7pt?")) << message;
}

}  // namespace
}  // namespace tessera::jacobi
