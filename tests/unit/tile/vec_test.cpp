// SPDX-License-Identifier: Apache-2.0
#include "base/tile/vec.hpp"

#include <gtest/gtest.h>

#include "base/grid/field.hpp"
#include "base/grid/transfer.hpp"

namespace tessera {
namespace {

template <class T, int N>
constexpr bool kRightSize = sizeof(Vec<T, N>) == N * sizeof(T) &&
                            alignof(Vec<T, N>) == (N * sizeof(T) < 16 ? N * sizeof(T) : 16);
static_assert(kRightSize<float, 1> && kRightSize<float, 2> && kRightSize<float, 4>);
static_assert(kRightSize<double, 1> && kRightSize<double, 2> && kRightSize<double, 4>);

enum class Store { cached, streaming };

/// Triples each value of a row, N at a time.
template <class T, int N, Store kStore>
struct Triple {
  FieldRef<const T> in;
  FieldRef<T> out;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto v = Vec<T, N>::load(in.at(0, 0, N * i));
    for (int k = 0; k < N; ++k) v[k] *= T(3);
    if constexpr (kStore == Store::cached) {
      v.store(out.at(0, 0, N * i));
    } else {
      v.store_streaming(out.at(0, 0, N * i));
    }
  }
};

template <class T, int N, Store kStore>
void check_triple() {
  const Extents n{1, 1, 96};
  const int vectors = 17;
  const Field<T> in("in", n, 4);
  const Field<T> out("out", n, 4, T(-1));
  from_host(in, [](int, int, int x) { return static_cast<T>(x + 1); });
  Kokkos::parallel_for("tessera::test::triple", Kokkos::RangePolicy<ExecSpace>(0, vectors),
                       Triple<T, N, kStore>{in.ref(), out.ref()});
  Kokkos::fence();
  const std::vector<T> got = to_host(out);
  for (int x = 0; x < n.nx; ++x) {
    EXPECT_EQ(got[static_cast<std::size_t>(x)], x < N * vectors ? T(3 * (x + 1)) : T(-1)) << x;
  }
}

template <class T>
class VecOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(VecOf, Reals);

TYPED_TEST(VecOf, LoadsAndStoresNValues) {
  check_triple<TypeParam, 1, Store::cached>();
  check_triple<TypeParam, 2, Store::cached>();
  check_triple<TypeParam, 4, Store::cached>();
}

TYPED_TEST(VecOf, StreamingStoresWriteTheSameValues) {
  check_triple<TypeParam, 1, Store::streaming>();
  check_triple<TypeParam, 2, Store::streaming>();
  check_triple<TypeParam, 4, Store::streaming>();
}

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
