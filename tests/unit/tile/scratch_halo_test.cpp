// SPDX-License-Identifier: Apache-2.0
// Halos of 3D blocks and columns of planes in scratch, and the threads that a team has to spare.
#include <gtest/gtest.h>

#include "base/grid/field.hpp"
#include "base/grid/transfer.hpp"
#include "base/tile/scratch.hpp"
#include "base/tile/tiling.hpp"
#include "fixtures/cells.hpp"

namespace tessera::scratch_halo_test {
namespace {

/// Whole numbers small enough to be exact in float, no two alike near each other.
[[nodiscard]] KOKKOS_INLINE_FUNCTION int value(int z, int y, int x) {
  return (z + 8) * 10007 + (y + 8) * 101 + x + 8;
}

/// Loads a block with its star halo and counts, for each cell, the points of its star that differ
/// from the field.
template <class T, class TileType, int R>
struct CompareStar {
  using Block = ScratchBlock<T, TileType, R>;
  FieldRef<const T> in;
  FieldRef<int> errors;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace p = tiling.place(team.league_rank());
    const T* source = in.at(p.z0, p.y0, p.x0);
    const Block block(team);
    for_each_cell(team, TileType{}, p.extent, [&](const Cell& c) {
      block(c.z, c.y, c.x) = *in.at(p.z0 + c.z, p.y0 + c.y, p.x0 + c.x);
    });
    block.load_star_halo(team, source, in.row, in.plane, p.extent);
    team.team_barrier();
    for_each_cell(team, TileType{}, p.extent, [&](const Cell& c) {
      const int z = p.z0 + c.z, y = p.y0 + c.y, x = p.x0 + c.x;
      int wrong = 0;
      for (int m = -R; m <= R; ++m) {
        wrong += block(c.z + m, c.y, c.x) != T(value(z + m, y, x));
        wrong += block(c.z, c.y + m, c.x) != T(value(z, y + m, x));
        wrong += block(c.z, c.y, c.x + m) != T(value(z, y, x + m));
      }
      *errors.at(z, y, x) = wrong;
    });
  }
};

/// Fills `Depth` planes with halos, then compares each point of each cell's cross with the field.
template <class T, class TileType, int R>
struct ComparePlanes {
  static constexpr int kDepth = 3;
  using Planes = ScratchPlanes<T, TileType, R, kDepth>;
  FieldRef<const T> in;
  FieldRef<int> errors;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace p = tiling.place(team.league_rank());
    const TileExtent extent{1, p.extent.ny, p.extent.nx};
    const Planes planes(team);
    for (int j = 0; j < kDepth; ++j) {
      for_each_cell(team, TileType{}, extent, [&](const Cell& c) {
        planes[j](c.y, c.x) = *in.at(p.z0 + j, p.y0 + c.y, p.x0 + c.x);
      });
      planes[j].load_halo(team, in.at(p.z0 + j, p.y0, p.x0), in.row, extent);
    }
    team.team_barrier();
    for_each_cell(team, TileType{}, extent, [&](const Cell& c) {
      const int y = p.y0 + c.y, x = p.x0 + c.x;
      int wrong = 0;
      for (int j = 0; j < kDepth; ++j) {
        for (int m = -R; m <= R; ++m) {
          wrong += planes[j](c.y + m, c.x) != T(value(p.z0 + j, y + m, x));
          wrong += planes[j](c.y, c.x + m) != T(value(p.z0 + j, y, x + m));
        }
      }
      *errors.at(p.z0, y, x) = wrong;
    });
  }
};

/// Runs Kernel on a box whose tiles are clipped at every face; every cell of the box must be right.
template <template <class, class, int> class Kernel, class T, class TileType, int R, class Scratch>
void check_halos(const Box& box, int planes_of_a_tile) {
  const Extents n{19, 21, 43};
  const Field<T> in("in", n, 8);
  const auto host = Kokkos::create_mirror_view(in.view());
  test::for_cells(test::grown(whole(n), 8),
                  [&](int z, int y, int x) { host(in.index(z, y, x)) = T(value(z, y, x)); });
  Kokkos::deep_copy(in.view(), host);
  const Field<int> errors("errors", n, 0, -1);
  const Tiling tiling(box, TileType::kNx, TileType::kNy, planes_of_a_tile);
  launch_teams<TileType::kCells>(ExecSpace(), "tessera::test::compare_halos",
                                 static_cast<int>(tiling.league()), Scratch::scratch_bytes(),
                                 Kernel<T, TileType, R>{in.ref(), errors.ref(), tiling});
  Kokkos::fence();
  const std::vector<int> wrong = to_host(errors);
  std::size_t i = 0;
  test::for_cells(whole(n), [&](int z, int y, int x) {
    ASSERT_EQ(wrong[i++], box.contains(z, y, x) ? 0 : -1) << z << " " << y << " " << x;
  });
}

template <class T>
class ScratchHalo : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ScratchHalo, Reals);

template <class T, class TileType, int R>
void check_star() {
  for (const Box& box : {Box{0, 19, 0, 21, 0, 43}, Box{1, 4, 2, 5, 3, 39}, Box{2, 3, 5, 6, 7, 8}}) {
    check_halos<CompareStar, T, TileType, R, ScratchBlock<T, TileType, R>>(box, TileType::kNz);
  }
}

TYPED_TEST(ScratchHalo, StarOfABlockEqualsTheField) {
  check_star<TypeParam, Tile<8, 8, 8>, 4>();
  check_star<TypeParam, Tile<8, 8, 8>, 1>();
  check_star<TypeParam, Tile<16, 4, 4>, 2>();
}

TYPED_TEST(ScratchHalo, CrossesOfPlanesEqualTheField) {
  using Narrow = Tile<8, 4>;
  using Wide = Tile<32, 8>;
  check_halos<ComparePlanes, TypeParam, Narrow, 4, ScratchPlanes<TypeParam, Narrow, 4, 3>>(
      {4, 5, 0, 21, 0, 43}, 1);
  check_halos<ComparePlanes, TypeParam, Wide, 2, ScratchPlanes<TypeParam, Wide, 2, 3>>(
      {4, 5, 1, 20, 3, 40}, 1);
}

/// A team with threads for two tiles: each cell of either is visited once.
struct CountVisits {
  using First = Tile<8, 4>;
  using Second = Tile<2, 8>;
  Kokkos::View<int*, ExecSpace::memory_space> visits;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_cell(team, First{}, {1, 4, 8},
                  [&](const Cell& c) { Kokkos::atomic_add(&visits(c.y * 8 + c.x), 1); });
    for_each_cell<First::kCells>(team, Second{}, {1, 7, 2}, [&](const Cell& c) {
      Kokkos::atomic_add(&visits(First::kCells + c.y * 2 + c.x), 100 + (c.x + c.y) % 2);
    });
  }
};

TEST(ForEachCell, RanksCountFromFirstRank) {
  constexpr int kCells = CountVisits::First::kCells + CountVisits::Second::kCells;
  const Kokkos::View<int*, ExecSpace::memory_space> visits("visits", kCells);
  launch_teams<kCells>(ExecSpace(), "tessera::test::count_visits", 1, 0, CountVisits{visits});
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), visits);
  for (int i = 0; i < CountVisits::First::kCells; ++i) EXPECT_EQ(host(i), 1) << i;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 2; ++x) {
      EXPECT_EQ(host(CountVisits::First::kCells + y * 2 + x), y < 7 ? 100 + (x + y) % 2 : 0)
          << y << " " << x;
    }
  }
}

}  // namespace
}  // namespace tessera::scratch_halo_test
