// SPDX-License-Identifier: Apache-2.0
#include "base/grid/transfer.hpp"

#include "fixtures/cells.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Transfer, RoundTripIsDenseWithXFastest) {
  const Extents n{3, 4, 5};
  const Field<float> field("field", n, 4, 7.0F);
  from_host(field, [](int z, int y, int x) { return static_cast<float>(100 * z + 10 * y + x); });
  const std::vector<float> dense = to_host(field);
  ASSERT_EQ(dense.size(), 60U);
  std::size_t i = 0;
  test::for_cells(whole(n), [&](int z, int y, int x) {
    EXPECT_EQ(dense[i++], static_cast<float>(100 * z + 10 * y + x));
  });
}

TEST(Transfer, FromHostKeepsTheHalo) {
  const Extents n{2, 3, 5};
  const int halo = 2;
  const Field<double> field("field", n, halo, 7.0);
  from_host(field, [](int, int, int) { return 1.0; });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.view());
  const Box inside = whole(n);
  test::for_cells(test::grown(inside, halo), [&](int z, int y, int x) {
    ASSERT_EQ(host(field.index(z, y, x)), inside.contains(z, y, x) ? 1.0 : 7.0);
  });
}

struct Double {
  FieldRef<float> field;
  Extents n;
  KOKKOS_FUNCTION void operator()(int i) const {
    *field.at(i / (n.ny * n.nx), i / n.nx % n.ny, i % n.nx) *= 2.0F;
  }
};

TEST(Transfer, SeesWhatAKernelWrote) {
  const Extents n{3, 4, 5};
  const Field<float> field("field", n, 1);
  from_host(field, [](int z, int y, int x) { return static_cast<float>(100 * z + 10 * y + x); });
  Kokkos::parallel_for("tessera::test::double",
                       Kokkos::RangePolicy<ExecSpace>(0, static_cast<int>(n.cells())),
                       Double{field.ref(), n});
  Kokkos::fence();
  const std::vector<float> dense = to_host(field);
  EXPECT_EQ(dense[0], 0.0F);
  EXPECT_EQ(dense[(2 * 4 + 3) * 5 + 4], 2.0F * 234);
}

}  // namespace
}  // namespace tessera
