// SPDX-License-Identifier: Apache-2.0
// A vector register as a Pack: each lane as the scalar, and stores that touch nothing else.
#include "base/tile/host_pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

template <class T>
class HostPacks : public testing::Test {
 protected:
  static constexpr int kLanes = kHostLanes<T>;
  std::vector<T> a, b, c;

  void SetUp() override {
    for (int i = 0; i < 3 * kLanes; ++i) {
      a.push_back(T(1) / T(3 + i)), b.push_back(T(7) / T(2 + i)), c.push_back(-T(5) / T(1 + i));
    }
  }
  /// Whether each lane is f(lane).
  template <class F>
  static bool is(HostPack<T> got, const F& f) {
    std::vector<T> lanes(kLanes);
    got.store(lanes.data());
    for (int i = 0; i < kLanes; ++i) {
      if (lanes[i] != f(i)) return false;
    }
    return true;
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(HostPacks, Reals);

TYPED_TEST(HostPacks, RoundAsScalars) {
  using T = TypeParam;
  const auto a = HostPack<T>::load(&this->a[1]), b = HostPack<T>::load(&this->b[2]),
             c = HostPack<T>::load(&this->c[0]);
  const auto x = [&](int i) { return this->a[i + 1]; };
  const auto y = [&](int i) { return this->b[i + 2]; };
  const auto z = [&](int i) { return this->c[i]; };
  EXPECT_TRUE(this->is(a + b, [&](int i) { return x(i) + y(i); }));
  EXPECT_TRUE(this->is(T(3) - b, [&](int i) { return T(3) - y(i); }));
  EXPECT_TRUE(this->is(T(3) * b, [&](int i) { return T(3) * y(i); }));
  EXPECT_TRUE(this->is(divide(a, b), [&](int i) { return divide(x(i), y(i)); }));
  EXPECT_TRUE(
      this->is(multiply_add(a, b, c), [&](int i) { return multiply_add(x(i), y(i), z(i)); }));
  EXPECT_TRUE(
      this->is(multiply_add(T(2), a, T(1)), [&](int i) { return multiply_add(T(2), x(i), T(1)); }));
  EXPECT_TRUE(this->is(positive_part(a + c), [&](int i) { return std::max(x(i) + z(i), T(0)); }));
}

TYPED_TEST(HostPacks, AreShiftedOutOfTwo) {
  using T = TypeParam;
  constexpr int kLanes = kHostLanes<T>;
  if constexpr (kLanes > 1) {
    const auto a = HostPack<T>::load(&this->a[0]), b = HostPack<T>::load(&this->a[kLanes]);
    EXPECT_TRUE(this->is(lanes_from<1>(a, b), [&](int i) { return this->a[i + 1]; }));
    EXPECT_TRUE(
        this->is(lanes_from<kLanes - 1>(a, b), [&](int i) { return this->a[i + kLanes - 1]; }));
  }
}

TYPED_TEST(HostPacks, AreStoredInPart) {
  using T = TypeParam;
  constexpr int kLanes = kHostLanes<T>;
  const auto value = HostPack<T>::load(this->a.data());
  for (int begin = -2; begin <= kLanes + 2; ++begin) {
    for (int end = -2; end <= kLanes + 2; ++end) {
      std::vector<T> to(kLanes + 2, T(9));
      store_between(&to[1], begin, end, value);
      for (int i = -1; i <= kLanes; ++i) {
        const bool stored = i >= std::max(begin, 0) && i < std::min(end, kLanes);
        ASSERT_EQ(to[i + 1], stored ? this->a[i] : T(9)) << begin << " " << end << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace tessera
