// SPDX-License-Identifier: Apache-2.0
// Contraction is pinned: a multiply-add is fused where the source says so and nowhere else.
#include "base/device/fma.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/device/space.hpp"

namespace tessera {
namespace {

template <class T>
struct Products {
  Kokkos::View<T*, ExecSpace::memory_space> a, c, pinned, plain;
  int n;
  KOKKOS_FUNCTION void operator()(int) const {
#pragma omp simd
    for (int i = 0; i < n; ++i) {
      pinned(i) = multiply_add(a(i), a(i), c(i));
      plain(i) = a(i) * a(i) + c(i);
    }
  }
};

template <class T>
class FmaOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(FmaOf, Reals);

TYPED_TEST(FmaOf, RoundsAsStatedInKernelsAndOnTheHost) {
  using T = TypeParam;
  // a = 1 + d with d^2 at most half a unit in the last place of 1: a^2 rounds to 1 + 2d, so that
  // a^2 + c is zero where the product is rounded first, and d^2 where it is not.
  const int n = 37;  // a vectorised body and a remainder
  const T d = std::ldexp(T(1), -(std::numeric_limits<T>::digits + 1) / 2);
  const T square = d * d;
  Kokkos::View<T*, ExecSpace::memory_space> a("a", n), c("c", n), pinned("pinned", n),
      plain("plain", n);
  Kokkos::deep_copy(a, 1 + d);
  Kokkos::deep_copy(c, -(1 + 2 * d));
  Kokkos::parallel_for("tessera::test::products", Kokkos::RangePolicy<ExecSpace>(0, 1),
                       Products<T>{a, c, pinned, plain, n});
  Kokkos::fence();
  const auto host_pinned = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pinned);
  const auto host_plain = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plain);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(host_pinned(i), kFusedMultiplyAdd ? square : T(0)) << i;
    EXPECT_EQ(host_plain(i), T(0)) << "the compiler contracted a*b + c, element " << i;
    if constexpr (!kOnDevice) {
      EXPECT_EQ(multiply_add(a(i), a(i), c(i)), host_pinned(i)) << i;
    }
  }
}

template <class T>
struct Quotients {
  Kokkos::View<T*, ExecSpace::memory_space> a, b, quotient;
  KOKKOS_FUNCTION void operator()(int i) const { quotient(i) = divide(a(i), b(i)); }
};

TYPED_TEST(FmaOf, DividesAsTheHostDoes) {
  using T = TypeParam;
  const int n = 20000;
  Kokkos::View<T*, ExecSpace::memory_space> a("a", n), b("b", n), quotient("quotient", n);
  const auto host_a = Kokkos::create_mirror_view(a);
  const auto host_b = Kokkos::create_mirror_view(b);
  for (int i = 0; i < n; ++i) {
    // Numerators of all signs and magnitudes, zero too; denominators as the PML's, 1 and more.
    const T spread = std::sin(T(i)) * std::ldexp(T(1), i % 41 - 20);
    host_a(i) = i % 7 == 0 ? T(0) : spread;
    host_b(i) = 1 + T(3) * T(i) / n;
  }
  Kokkos::deep_copy(a, host_a);
  Kokkos::deep_copy(b, host_b);
  Kokkos::parallel_for("tessera::test::quotients", Kokkos::RangePolicy<ExecSpace>(0, n),
                       Quotients<T>{a, b, quotient});
  Kokkos::fence();
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), quotient);
  for (int i = 0; i < n; ++i) ASSERT_EQ(got(i), host_a(i) / host_b(i)) << i;
}

}  // namespace
}  // namespace tessera
