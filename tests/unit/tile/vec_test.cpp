// SPDX-License-Identifier: Apache-2.0
#include "base/tile/vec.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace tessera {
namespace {

template <class T, int N>
constexpr bool kRightSize = sizeof(Vec<T, N>) == N * sizeof(T) &&
                            alignof(Vec<T, N>) == (N * sizeof(T) < 16 ? N * sizeof(T) : 16);
static_assert(kRightSize<float, 1> && kRightSize<float, 2> && kRightSize<float, 4>);
static_assert(kRightSize<double, 1> && kRightSize<double, 2> && kRightSize<double, 4>);

template <class T>
class VecOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(VecOf, Reals);

TYPED_TEST(VecOf, ArithmeticIsThatOfTheLanes) {
  using T = TypeParam;
  const Vec<T, 4> a{{T(1.5), T(-2), T(0), T(1e-3)}};
  const Vec<T, 4> b{{T(3), T(0.7), T(-5), T(1e4)}};
  const T s = T(1.1);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ((a + b)[i], a[i] + b[i]);
    EXPECT_EQ((a - b)[i], a[i] - b[i]);
    EXPECT_EQ((s - b)[i], s - b[i]);
    EXPECT_EQ((s * b)[i], s * b[i]);
    EXPECT_EQ((a * b)[i], a[i] * b[i]);
    EXPECT_EQ((-a)[i], -a[i]);
    EXPECT_EQ(divide(a, b)[i], a[i] / b[i]);
    EXPECT_EQ(multiply_add(a, b, s)[i], multiply_add(a[i], b[i], s));
    EXPECT_EQ(multiply_add(s, a, b)[i], multiply_add(s, a[i], b[i]));
    EXPECT_EQ(multiply_add(a, b, a)[i], multiply_add(a[i], b[i], a[i]));
  }
  static_assert(std::is_same_v<Pack<T, 1>, T> && std::is_same_v<Pack<T, 4>, Vec<T, 4>>);
  EXPECT_EQ(lane(s, 3), s);
  EXPECT_EQ(lane(a, 3), a[3]);
}

}  // namespace
}  // namespace tessera
