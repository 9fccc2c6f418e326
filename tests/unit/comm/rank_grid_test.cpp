// SPDX-License-Identifier: Apache-2.0
// The grid of ranks: which is chosen, where it cuts, what it refuses.
#include "base/comm/rank_grid.hpp"

#include "base/comm/parallel.hpp"
#include "base/support/error.hpp"
#include "fixtures/cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::comm {
namespace {

/// A step of the acoustic family in float.
SplitCost acoustic(int layer) {
  SplitCost cost;
  cost.width = 4;
  cost.values = 4;
  cost.cell_bytes = 16;
  cost.layer = layer;
  cost.layer_bytes = 28;
  return cost;
}

double computed(const Domain& part, const SplitCost& cost) {
  const auto all = static_cast<double>(part.box.cells());
  const auto inner =
      static_cast<double>(intersect(part.box, inner_box(part.grid, cost.layer)).cells());
  return inner * cost.cell_bytes + (all - inner) * cost.layer_bytes;
}

TEST(RankGrid, EveryCellBelongsToOneRank) {
  const Extents n{29, 31, 37};
  for (const std::array<int, 3>& parts :
       {std::array{1, 1, 1}, std::array{2, 3, 1}, std::array{1, 1, 7}, std::array{3, 2, 4}}) {
    const RankGrid grid(n, parts, acoustic(5));
    std::vector<int> seen(static_cast<std::size_t>(n.cells()));
    for (int rank = 0; rank < grid.size(); ++rank) {
      test::for_cells(grid.domain(rank).box,
                      [&](int z, int y, int x) { ++seen[n.index(z, y, x)]; });
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), n.cells()) << grid.text();
  }
}

TEST(RankGrid, NeighboursSeeEachOther) {
  const RankGrid grid({40, 40, 40}, {2, 3, 4}, acoustic(0));
  for (int rank = 0; rank < grid.size(); ++rank) {
    const auto at = grid.place(rank);
    EXPECT_EQ(grid.neighbour(rank, 0, 0, 0), rank);
    const int next = grid.neighbour(rank, 1, -1, 1);
    const bool inside = at[2] + 1 < 4 && at[1] > 0 && at[0] + 1 < 2;
    ASSERT_EQ(next >= 0, inside) << rank;
    if (inside) {
      EXPECT_EQ(grid.neighbour(next, -1, 1, -1), rank);
    }
  }
}

TEST(RankGrid, HeavierLayersMoveTheCuts) {
  const Extents n{1000, 1000, 1000};
  const SplitCost cost = acoustic(27);
  const RankGrid grid(n, {1, 1, 4}, cost);
  EXPECT_LT(grid.domain(0).n().nz, 250);
  EXPECT_GT(grid.domain(1).n().nz, 250);
  double most = 0, all = 0;
  for (int rank = 0; rank < 4; ++rank) {
    most = std::max(most, computed(grid.domain(rank), cost));
    all += computed(grid.domain(rank), cost);
  }
  EXPECT_LT(most / (all / 4), 1.003);
  const Domain even(n, {0, 250, 0, 1000, 0, 1000});
  // By hand: planes of 27 x 28 + 223 x 17.26 bytes a cell at the ends, 250 x 17.26 between.
  EXPECT_NEAR(computed(even, cost) / (all / 4), 1.0325, 0.0005);
}

TEST(RankGrid, CutsPlanesThatLieTogetherFirst) {
  EXPECT_EQ(choose_rank_grid({1000, 1000, 1000}, 2, acoustic(27)).text(), "1x1x2");
  EXPECT_EQ(choose_rank_grid({1000, 1000, 1000}, 4, acoustic(27)).text(), "1x1x4");
}

TEST(RankGrid, PackingIsChargedWhereFacesArePacked) {
  SplitCost cost = acoustic(0);
  EXPECT_EQ(packing(2, {1, 1, 4}, cost), 0);
  EXPECT_EQ(packing(2, {1, 2, 2}, cost), 0);  // plane by plane
  EXPECT_EQ(packing(2, {2, 1, 2}, cost), 4);
  EXPECT_EQ(packing(1, {1, 2, 2}, cost), 4);
  EXPECT_EQ(packing(0, {2, 1, 2}, cost), 2 + 2 * 128 / 16.0);
  cost.cuts[2] = false;
  EXPECT_EQ(packing(1, {1, 4, 1}, cost), 0);
  EXPECT_EQ(packing(1, {2, 2, 1}, cost), 4);
}

TEST(RankGrid, CutsMoreAxesWhereSlabsGetThin) {
  const RankGrid many = choose_rank_grid({512, 512, 512}, 64, acoustic(0));
  EXPECT_LT(many.parts()[2], 64);
  EXPECT_GT(many.parts()[1], 1);
  // Rows are cut last: each of their pieces takes a whole line.
  EXPECT_LE(many.parts()[0], many.parts()[1]);
  EXPECT_LE(many.parts()[1], many.parts()[2]);
}

TEST(RankGrid, ALongAxisIsCut) {
  EXPECT_EQ(choose_rank_grid({16, 16, 4096}, 8, acoustic(0)).text(), "8x1x1");
  EXPECT_EQ(choose_rank_grid({16, 4096, 16}, 8, acoustic(0)).text(), "1x8x1");
}

TEST(RankGrid, AFlatGridIsCutWhereItMayBe) {
  SplitCost cost = acoustic(0);
  cost.cuts = {true, true, false};
  EXPECT_EQ(choose_rank_grid({1, 4000, 4000}, 4, cost).parts()[2], 1);
  EXPECT_THROW(RankGrid({1, 4000, 4000}, {1, 1, 2}, cost), Error);
}

TEST(RankGrid, RefusesPartsThinnerThanWhatNeighboursRead) {
  const auto message = [](const auto& body) {
    try {
      body();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      message([] {
        RankGrid({13, 9, 11}, {1, 1, 4}, acoustic(3));
      }),
      "cannot divide 13 cells along z among 4 ranks: each requires at least 4, the cells that "
      "its neighbours read");
  EXPECT_NE(message([] {
              static_cast<void>(choose_rank_grid({13, 9, 11}, 64, acoustic(3)));
            }).find("11 x 9 x 13 cells cannot be divided among 64 ranks"),
            std::string::npos);
  // As many as neighbours read is enough, also where the balance would leave fewer.
  const RankGrid thin({16, 9, 11}, {1, 1, 4}, acoustic(3));
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(thin.domain(rank).n().nz, 4);
}

TEST(RankGrid, ReadsWhatItPrints) {
  EXPECT_EQ(parse_parts("1x2x4", "--ranks"), (std::array{1, 2, 4}));
  for (const char* bad : {"", "4", "1x2", "1x2x0", "1x2x3x4", "1x2x3 ", "axbxc", "1,2,4"}) {
    EXPECT_THROW(static_cast<void>(parse_parts(bad, "--ranks")), Error) << bad;
  }
}

}  // namespace
}  // namespace tessera::comm
