// SPDX-License-Identifier: Apache-2.0
#include "base/grid/field.hpp"

#include <gtest/gtest.h>

#include "fixtures/cells.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

using test::error_of;
using test::has;

constexpr Extents kOddSizes[] = {{1, 1, 1}, {3, 5, 7}, {2, 9, 31}, {4, 3, 33}, {5, 7, 129}};

template <class T>
class FieldOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(FieldOf, Reals);

TYPED_TEST(FieldOf, FirstInteriorCellOfEveryRowIsOnALine) {
  for (const Extents& n : kOddSizes) {
    for (const int halo : {0, 1, 4, 8}) {
      const Field<TypeParam> field("field", n, halo);
      const auto ref = field.ref();
      for (int z = -halo; z < n.nz + halo; ++z) {
        for (int y = -halo; y < n.ny + halo; ++y) {
          const auto address = reinterpret_cast<std::uintptr_t>(ref.at(z, y, 0));
          ASSERT_EQ(address % kLineBytes, 0U)
              << n.nx << " halo " << halo << " row " << z << " " << y;
        }
      }
    }
  }
}

TYPED_TEST(FieldOf, IndexAndAddressAgreeAndStayInTheAllocation) {
  for (const Extents& n : kOddSizes) {
    for (const int halo : {0, 4}) {
      const Field<TypeParam> field("field", n, halo);
      const auto size = static_cast<std::int64_t>(field.view().size());
      EXPECT_EQ(size, field.layout().count);
      std::vector<char> used(static_cast<std::size_t>(size), 0);
      test::for_cells(test::grown(whole(n), halo), [&](int z, int y, int x) {
        const std::int64_t i = field.index(z, y, x);
        ASSERT_GE(i, 0);
        ASSERT_LT(i, size);
        ASSERT_EQ(field.ref().at(z, y, x) - field.view().data(), i);
        ASSERT_EQ(used[static_cast<std::size_t>(i)]++, 0) << "two cells share an element";
      });
    }
  }
}

TYPED_TEST(FieldOf, FillSetsEveryElement) {
  Field<TypeParam> field("field", {3, 5, 7}, 2, TypeParam(3));
  const auto all_are = [&](TypeParam value) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.view());
    for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(host(i), value) << i;
  };
  all_are(3);
  field.fill(-2);
  all_are(-2);
}

TEST(FieldRef, OffsetsPast2To31Elements) {
  // 1400^3 cells with halo 4: nothing is allocated, only offsets are formed.
  const Extents n{1400, 1400, 1400};
  const FieldLayout layout(n, 4, sizeof(float));
  EXPECT_EQ(layout.pitch, 1408);
  EXPECT_EQ(layout.plane(), 1408LL * 1408);
  EXPECT_GT(layout.count, std::int64_t{1} << 31);
  constexpr std::int64_t kNowhere = std::int64_t{1} << 40;
  const FieldRef<const char> ref{reinterpret_cast<const char*>(kNowhere),
                                 static_cast<int>(layout.plane()), layout.pitch};
  const auto offset = [&](int z, int y, int x) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(ref.at(z, y, x))) - kNowhere;
  };
  EXPECT_EQ(offset(1399, 1399, 1399), 1399LL * 1408 * 1408 + 1399LL * 1408 + 1399);
  EXPECT_GT(offset(1399, 1399, 1399), std::int64_t{1} << 31);
  EXPECT_EQ(offset(-4, -4, -4), -4LL * 1408 * 1408 - 4LL * 1408 - 4);
}

TEST(FieldLayout, CountsBytesIn64Bits) {
  const Extents n{2000, 2000, 2000};
  const std::int64_t bytes = field_bytes(n, 4, sizeof(double));
  EXPECT_GE(bytes, 2008LL * 2008 * 2008 * 8);
  EXPECT_LE(bytes, 2008LL * 2008 * (2008 + 16) * 8 + 2 * kLineBytes);
}

TEST(FieldLayout, PitchIsAMultipleOfALineAndHoldsBothHalos) {
  for (const int nx : {1, 23, 24, 25, 56, 57, 1000}) {
    for (const int bytes : {4, 8}) {
      const FieldLayout layout({1, 1, nx}, 4, bytes);
      EXPECT_EQ(layout.pitch * bytes % kLineBytes, 0);
      EXPECT_EQ(layout.lead * bytes % kLineBytes, 0);
      EXPECT_GE(layout.pitch, nx + 8);
      EXPECT_LT(layout.pitch, nx + 8 + kLineBytes / bytes);
    }
  }
}

TEST(FieldLayout, RefusesPlanesWhoseNeighboursNeed64Bits) {
  // 2R + 1 planes of 15,360 x 15,360 are within 2^31 elements, those of 15,500 x 15,500 are not.
  EXPECT_NO_THROW(FieldLayout({1000, 15000, 15000}, 4, sizeof(float)));
  const std::string message = error_of([] { FieldLayout({1000, 15500, 15500}, 4, sizeof(float)); });
  EXPECT_TRUE(has(message, "15500 x 15500"));
  EXPECT_TRUE(has(message, "the limit is 238609294"));
}

}  // namespace
}  // namespace tessera
