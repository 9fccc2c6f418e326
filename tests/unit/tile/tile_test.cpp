// SPDX-License-Identifier: Apache-2.0
// Tiles, tilings and for_each_cell: every cell of a box exactly once, on the default backend.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/device/static_for.hpp"
#include "base/grid/field.hpp"
#include "base/grid/transfer.hpp"
#include "base/tile/tiling.hpp"
#include "fixtures/cells.hpp"

namespace tessera {
namespace {

TEST(StaticFor, IndexIsAConstantInTheBody) {
  std::vector<int> seen;
  static_for<4>([&](auto i) {
    static_assert(decltype(i)::value < 4);
    seen.push_back(i);
  });
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
  static_for<0>([](auto) { FAIL() << "an empty loop has no iterations"; });
}

TEST(StaticFor, WhileStopsAtFalse) {
  int calls = 0;
  static_while<5>([&](auto i) {
    ++calls;
    return i < 2;
  });
  EXPECT_EQ(calls, 3);
}

TEST(StaticFor, RotationIsModularForConstantsAndInts) {
  static_assert(decltype(rotate<9>(Constant<7>{}, Constant<4>{}))::value == 2);
  for (int phase = 0; phase < 9; ++phase) {
    EXPECT_EQ(rotate<9>(phase, Constant<8>{}), (phase + 8) % 9);
  }
}

TEST(Tiling, CoversTheBoxWithClippedTilesXFastest) {
  const Box box{2, 9, 1, 14, 3, 22};  // 7 x 13 x 19
  const Tiling tiling(box, 8, 4, 3);
  EXPECT_EQ(tiling.league(), 3 * 4 * 3);
  std::set<std::vector<int>> seen;
  for (int rank = 0; rank < tiling.league(); ++rank) {
    const TilePlace p = tiling.place(rank);
    ASSERT_TRUE(p.extent.nx >= 1 && p.extent.ny >= 1 && p.extent.nz >= 1) << rank;
    ASSERT_TRUE(p.extent.nx <= 8 && p.extent.ny <= 4 && p.extent.nz <= 3) << rank;
    test::for_cells(whole({p.extent.nz, p.extent.ny, p.extent.nx}), [&](int z, int y, int x) {
      ASSERT_TRUE(box.contains(p.z0 + z, p.y0 + y, p.x0 + x)) << rank;
      ASSERT_TRUE(seen.insert({p.z0 + z, p.y0 + y, p.x0 + x}).second) << rank;
    });
  }
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), box.cells());
  EXPECT_EQ(tiling.place(1).x0, tiling.place(0).x0 + 8);
}

TEST(Tiling, LeagueIsCountedIn64Bits) {
  EXPECT_EQ(Tiling({0, 3000, 0, 3000, 0, 3000}, 1, 1, 1).league(), 27'000'000'000LL);
}

/// Counts the visits to each cell and records the slot that the cell was given.
template <class TileType>
struct Visit {
  FieldRef<int> visits, slots;
  Tiling tiling;
  TileType tile;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace p = tiling.place(team.league_rank());
    for_each_cell(team, tile, p.extent, [&](const Cell& c) {
      *visits.at(p.z0 + c.z, p.y0 + c.y, p.x0 + c.x) += 1;
      *slots.at(p.z0 + c.z, p.y0 + c.y, p.x0 + c.x) = c.slot;
    });
  }
};

template <class TileType>
void check_visits(const TileType& tile) {
  for (const Box& box : {Box{0, 13, 0, 9, 0, 21}, Box{3, 10, 1, 8, 5, 18}, Box{4, 5, 4, 5, 4, 5}}) {
    const Extents n{13, 9, 21};
    const Field<int> visits("visits", n, 1);
    const Field<int> slots("slots", n, 1);
    const Tiling tiling(box, tile.nx(), tile.ny(), tile.nz());
    launch_teams<TileType::kCells>(ExecSpace(), "tessera::test::visit",
                                   static_cast<int>(tiling.league()), 0,
                                   Visit<TileType>{visits.ref(), slots.ref(), tiling, tile});
    Kokkos::fence();
    const auto count = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), visits.view());
    const auto slot = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), slots.view());
    test::for_cells(test::grown(whole(n), 1), [&](int z, int y, int x) {
      const bool in = box.contains(z, y, x);
      ASSERT_EQ(count(visits.index(z, y, x)), in ? 1 : 0) << z << " " << y << " " << x;
      if (kOnDevice || !in) return;
      const int zt = (z - box.z0) % tile.nz();
      const int yt = (y - box.y0) % tile.ny();
      const int xt = (x - box.x0) % tile.nx();
      ASSERT_EQ(slot(slots.index(z, y, x)), (zt * tile.ny() + yt) * tile.nx() + xt);
    });
  }
}

TEST(ForEachCell, VisitsEachCellOfClippedTilesOnce) {
  check_visits(Tile<8, 4>{});
  check_visits(Tile<4, 4, 4>{});
  check_visits(Tile<32, 2, 2>{});
  check_visits(Tile<1, 1, 1>{});
  check_visits(Tile<64, 16>{});  // larger than the box
}

TEST(ForEachCell, RuntimeTilesOfAHost) {
  if constexpr (kOnDevice) {
    GTEST_SKIP() << "run-time tiles are for hosts: there no thread owns a cell";
  } else {
    check_visits(RuntimeTile{5, 3, 2});
    check_visits(RuntimeTile{21, 9, 13});
    check_visits(RuntimeTile{100, 100, 100});
  }
}

}  // namespace
}  // namespace tessera
