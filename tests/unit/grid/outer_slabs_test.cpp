// SPDX-License-Identifier: Apache-2.0
// A box and what lies around it are all cells of a grid, each once.
#include "base/grid/outer_slabs.hpp"

#include "fixtures/cells.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

void expect_each_cell_once(const Extents& n, const Box& box, const Box& inner) {
  std::vector<int> seen(static_cast<std::size_t>(n.cells()));
  const auto visit = [&](const Box& b) {
    test::for_cells(b, [&](int z, int y, int x) { ++seen[n.index(z, y, x)]; });
  };
  visit(box);
  for (const Region& region : outer_slabs(n, box, inner)) {
    visit(region.box);
    const Box common = intersect(region.box, inner);
    const Update wanted = common == region.box ? Update::inner
                          : common.empty()     ? Update::pml
                                               : Update::branched;
    EXPECT_EQ(region.update, wanted) << region.name;
    EXPECT_EQ(region.hole, wanted == Update::branched ? inner : Box{}) << region.name;
  }
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], 1) << "cell " << i;
}

TEST(OuterSlabs, CoversTheRestOnce) {
  const Extents n{13, 17, 29};
  expect_each_cell_once(n, {5, 8, 6, 11, 8, 24}, {2, 11, 2, 15, 2, 27});
  expect_each_cell_once(n, {0, 13, 3, 11, 8, 29}, {0, 13, 0, 17, 0, 29});
  expect_each_cell_once(n, {0, 13, 0, 17, 0, 29}, {0, 13, 0, 17, 0, 29});
  expect_each_cell_once(n, {2, 11, 2, 15, 4, 24}, {2, 11, 2, 15, 2, 27});
}

}  // namespace
}  // namespace tessera
