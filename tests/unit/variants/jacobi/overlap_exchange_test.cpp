// SPDX-License-Identifier: Apache-2.0
// What of a rank's cells runs beside an exchange: all of them are made once, from cells that are
// right.
#include "variants/jacobi/case/overlap_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tessera::jacobi {
namespace {

constexpr StencilFacts kStar{.dims = 3, .r = 2, .ry = 2, .flops = 1};
constexpr StencilFacts kFlat{.dims = 2, .r = 1, .ry = 0, .flops = 1};

comm::RankGrid grid_of(const Extents& n, const std::array<int, 3>& parts, int width) {
  comm::SplitCost cost;
  cost.width = width;
  return {n, parts, cost};
}

/// How often each of the rank's own cells is kept; 1 everywhere where all is well.
void expect_each_kept_once(const Overlap& way, const Box& own) {
  std::vector<Piece> pieces = way.edges;
  pieces.push_back(way.core);
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Box& box = pieces[i].kept;
    kept += box.cells();
    EXPECT_EQ(intersect(box, own), box);
    EXPECT_EQ(intersect(box, pieces[i].made), box) << "kept, but not made";
    for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersect(box, pieces[j].kept).empty());
  }
  EXPECT_EQ(kept, own.cells());
}

TEST(Overlap, OneStepOnAnyGridOfRanks) {
  for (const std::array<int, 3>& parts :
       {std::array{1, 1, 3}, std::array{1, 3, 1}, std::array{2, 1, 1}, std::array{2, 2, 2}}) {
    for (const int depth : {1, 3}) {
      const comm::RankGrid grid = grid_of({40, 41, 290}, parts, depth * kStar.r);
      for (int rank = 0; rank < grid.size(); ++rank) {
        const DeepHalo deep(kStar, grid, rank, depth);
        const auto way = overlap_exchange(deep, rank, kStar, 1, 4);
        ASSERT_TRUE(way.has_value());
        EXPECT_FALSE(way->slabs);
        expect_each_kept_once(*way, deep.own());
        const Box& core = way->core.made;
        EXPECT_EQ(core.x0 % 32, 0) << "a line of floats";
        // It reads no cell of another rank.
        const auto away = [&](int d, int side, int mine, int others) {
          const int at[3] = {d == 0 ? side : 0, d == 1 ? side : 0, d == 2 ? side : 0};
          if (grid.neighbour(rank, at[0], at[1], at[2]) < 0) return;
          EXPECT_GE(side * (others - mine), kStar.r);
        };
        away(0, -1, core.z0, deep.own().z0);
        away(0, 1, core.z1, deep.own().z1);
        away(1, -1, core.y0, deep.own().y0);
        away(1, 1, core.y1, deep.own().y1);
        away(2, -1, core.x0, deep.own().x0);
        away(2, 1, core.x1, deep.own().x1);
      }
    }
  }
}

TEST(Overlap, SeveralStepsWhereTheSlowestAxisIsCut) {
  for (const int steps : {2, 3}) {
    for (const StencilFacts& facts : {kStar, kFlat}) {
      const bool flat = facts.dims == 2;
      const Extents n = flat ? Extents{1, 91, 33} : Extents{90, 12, 33};
      const int deepest = 3;
      const comm::RankGrid grid =
          grid_of(n, flat ? std::array{1, 3, 1} : std::array{1, 1, 3}, deepest * facts.r);
      for (int rank = 0; rank < 3; ++rank) {
        const DeepHalo deep(facts, grid, rank, deepest);
        const auto way = overlap_exchange(deep, rank, facts, steps, 8);
        ASSERT_TRUE(way.has_value());
        EXPECT_TRUE(way->slabs);
        EXPECT_EQ(way->edges.size(), rank == 1 ? 2U : 1U);
        const Box own = streamed(deep.own(), facts.dims);
        expect_each_kept_once(*way, own);
        const int wrong = (steps - 1) * facts.r;
        for (const Piece& edge : way->edges) {
          EXPECT_EQ(edge.made.nz(), slab_planes(steps, facts.r));
          EXPECT_EQ(edge.kept.z0 - edge.made.z0, wrong);
          EXPECT_EQ(edge.made.z1 - edge.kept.z1, wrong);
          // What it reads the exchange has brought: t R planes beyond the cut.
          EXPECT_GE(edge.made.z0 - facts.r, own.z0 - steps * facts.r);
          EXPECT_LE(edge.made.z1 + facts.r, own.z1 + steps * facts.r);
        }
        const Piece& core = way->core;
        if (rank > 0) {
          EXPECT_EQ(core.made.z0 - facts.r, own.z0);
          EXPECT_EQ(core.kept.z0 - core.made.z0, wrong);
        }
        if (rank < 2) {
          EXPECT_EQ(core.made.z1 + facts.r, own.z1);
          EXPECT_EQ(core.made.z1 - core.kept.z1, wrong);
        }
      }
    }
  }
}

TEST(Overlap, WaitsWhereThereIsNoRest) {
  const auto way = [](const Extents& n, const std::array<int, 3>& parts, int steps) {
    const DeepHalo deep(kStar, grid_of(n, parts, steps * kStar.r), 0, steps);
    return overlap_exchange(deep, 0, kStar, steps, 4);
  };
  EXPECT_FALSE(way({90, 40, 70}, {1, 2, 1}, 2).has_value()) << "rows: no slab of whole planes";
  EXPECT_FALSE(way({22, 40, 70}, {1, 1, 2}, 2).has_value()) << "fewer than 3 t R planes";
  EXPECT_TRUE(way({24, 40, 70}, {1, 1, 2}, 2).has_value());
  EXPECT_FALSE(way({24, 40, 40}, {2, 1, 1}, 1).has_value()) << "no whole line along x";
}

}  // namespace
}  // namespace tessera::jacobi
