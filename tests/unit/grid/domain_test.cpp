// SPDX-License-Identifier: Apache-2.0
// Regions of a grid, cut to the parts of it: each cell once, by the formula that it has.
#include "base/grid/domain.hpp"

#include "fixtures/cells.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

/// 0 not updated, 1 inner, 2 PML; 9 where twice.
std::vector<int> formulas(const std::vector<Region>& regions, const Extents& n) {
  std::vector<int> out(static_cast<std::size_t>(n.cells()));
  for (const Region& r : regions) {
    test::for_cells(r.box, [&](int z, int y, int x) {
      const bool in_hole = r.hole.contains(z, y, x);
      if (r.update == Update::shell && in_hole) return;
      const bool inner = r.update == Update::inner || (r.update == Update::branched && in_hole);
      int& cell = out[n.index(z, y, x)];
      cell = cell != 0 ? 9 : inner ? 1 : 2;
    });
  }
  return out;
}

TEST(Domain, CutRegionsComputeTheSame) {
  const Extents n{23, 19, 21};
  constexpr int kLayer = 5;
  for (const Decomposition kind : kDecompositions) {
    const auto all = formulas(decompose(n, kLayer, kind), n);
    for (const Box& part : {Box{0, 7, 0, 19, 0, 21}, Box{3, 20, 4, 9, 6, 21}, Box{0, 5, 0, 5, 0, 5},
                            Box{8, 12, 8, 12, 8, 12}, whole(n)}) {
      const Domain domain(n, part);
      const std::vector<Region> regions = cut(decompose(n, kLayer, kind), domain);
      const auto here = formulas(regions, domain.n());
      test::for_cells(whole(domain.n()), [&](int z, int y, int x) {
        ASSERT_EQ(here[domain.n().index(z, y, x)],
                  all[n.index(z + part.z0, y + part.y0, x + part.x0)]);
      });
      for (const Region& r : regions) {
        EXPECT_GT(r.pml_cells() + r.inner_cells(), 0) << r.name;
        EXPECT_EQ(intersect(r.box, whole(domain.n())), r.box) << r.name;
      }
    }
  }
}

TEST(Domain, AShellIsWhatTheCoreLeaves) {
  const Box outer{0, 9, 0, 8, 0, 7};
  for (const Box& core : {Box{2, 7, 0, 8, 0, 7}, Box{2, 7, 1, 8, 3, 4}, outer}) {
    std::int64_t cells = core.cells();
    const std::vector<Box> shell = shell_of(outer, core);
    for (std::size_t i = 0; i < shell.size(); ++i) {
      cells += shell[i].cells();
      EXPECT_TRUE(intersect(shell[i], core).empty());
      for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersect(shell[i], shell[j]).empty());
    }
    EXPECT_EQ(cells, outer.cells());
  }
  EXPECT_TRUE(shell_of(outer, outer).empty());
}

}  // namespace
}  // namespace tessera
