// SPDX-License-Identifier: Apache-2.0
// What plans say of the blocks of rows of jacobi/skewed; variant/jacobi/bitwise_test.cpp has their
// values.
#include "variants/jacobi/skewed/sums.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace tessera::jacobi {
namespace {

/// A value is loaded once, whatever the number of rows of the block that it is a neighbour of.
template <class StencilType, int Ks, int Ky>
void check_loads() {
  std::set<std::tuple<int, int, int>> values;
  for (int k = 0; k < Ks; ++k) {
    for (int j = 0; j < Ky; ++j) {
      for (const Point& p : StencilType::points()) values.insert({k + p.s, j + p.y, p.x});
    }
  }
  EXPECT_EQ((BlockSums<StencilType, float, Ks, Ky>::loads()), static_cast<int>(values.size()))
      << StencilType::kName << " " << Ks << "x" << Ky;
}

TEST(SkewedSumsLoads, AreOneOfEachValue) {
  for_each_stencil([](auto stencil) {
    using Any = decltype(stencil);
    check_loads<Any, 1, 1>();
    check_loads<Any, 2, 2>();
    check_loads<Any, 4, 1>();
  });
  EXPECT_EQ((BlockSums<J2d5pt, float, 4, 1>::loads()), 14);
}

}  // namespace
}  // namespace tessera::jacobi
