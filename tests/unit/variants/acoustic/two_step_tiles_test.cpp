// SPDX-License-Identifier: Apache-2.0
// How acoustic/two_step cuts the cells of a pass among its teams.
#include "variants/acoustic/two_step/tile.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fixtures/cells.hpp"
#include "variants/acoustic/kernels/pass.hpp"

namespace tessera::acoustic {
namespace {

/// Each cell of the box is in one core, and each of pass_first_box() in one team's part of it.
void expect_each_cell_once(const Extents& n, const Box& box, int nx, int ny, int together) {
  const PassTiling tiles(box, nx, ny, together);
  std::vector<int> second(static_cast<std::size_t>(n.cells())), first(second);
  const auto count = [&](std::vector<int>& seen, const Box& b) {
    test::for_cells(b, [&](int z, int y, int x) { ++seen.at(n.index(z, y, x)); });
  };
  for (int rank = 0; rank < tiles.league(); ++rank) {
    const Box core = tiles.core(rank);
    if (core.empty()) continue;
    EXPECT_LE(core.nx(), nx);
    EXPECT_LE(core.ny(), ny);
    count(second, core);
    const Box stored = tiles.first(core, n);
    // Stage one computes kR cells around the core.
    EXPECT_TRUE(stored.z0 >= core.z0 - kR && stored.z1 <= core.z1 + kR);
    EXPECT_TRUE(stored.y0 >= core.y0 - kR && stored.y1 <= core.y1 + kR);
    EXPECT_TRUE(stored.x0 >= core.x0 - kR && stored.x1 <= core.x1 + kR);
    count(first, stored);
  }
  const Box first_box = pass_first_box(box, n);
  test::for_cells(whole(n), [&](int z, int y, int x) {
    ASSERT_EQ(second[n.index(z, y, x)], box.contains(z, y, x)) << z << " " << y << " " << x;
    ASSERT_EQ(first[n.index(z, y, x)], first_box.contains(z, y, x)) << z << " " << y << " " << x;
  });
}

TEST(PassTiling, CoversTheBoxOnce) {
  for (const Extents& n : {Extents{97, 45, 136}, Extents{97, 45, 139}}) {
    for (const Layers& layers : {Layers(0), Layers(5), Layers(4, true)}) {
      const Box box = pass_box(inner_box(n, layers), layers);
      for (const int together : {1, 4, 7, 132}) {
        expect_each_cell_once(n, box, 56, 24, together);
        expect_each_cell_once(n, box, 24, 16, together);
      }
    }
  }
}

TEST(PassTiling, CutsWhatIsLeftOfWholeRoundsByCost) {
  // 17 x 40 tiles on 132 teams: five rounds, and 20 tiles, whose six parts are one round more.
  const PassTiling layers({31, 967, 31, 969, 32, 968}, 56, 24, 132);
  EXPECT_EQ(layers.tiles, 680);
  EXPECT_EQ(layers.whole, 660);
  EXPECT_EQ(layers.parts, 6);
  EXPECT_EQ(layers.part_planes, 156);
  EXPECT_EQ(layers.league(), 660 + 20 * 6);
  // 18 x 42 tiles: 96 are left. Whole they take a round of 1000 + 17 planes, in four parts three
  // rounds of 250 + 17.
  const PassTiling none({0, 1000, 0, 1000, 0, 1000}, 56, 24, 132);
  EXPECT_EQ(none.tiles, 756);
  EXPECT_EQ(none.parts, 4);
  EXPECT_EQ(none.part_planes, 250);
  // Nothing is left.
  const PassTiling even({0, 1000, 0, 24, 0, 56 * 4}, 56, 24, 2);
  EXPECT_EQ(even.parts, 1);
  EXPECT_EQ(even.league(), 4);
}

}  // namespace
}  // namespace tessera::acoustic
