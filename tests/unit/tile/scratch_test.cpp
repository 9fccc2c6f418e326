// SPDX-License-Identifier: Apache-2.0
// Tiles with halos in team scratch against direct reads of the field.
#include "base/tile/scratch.hpp"

#include <gtest/gtest.h>

#include "base/grid/transfer.hpp"
#include "base/tile/tiling.hpp"
#include "fixtures/cells.hpp"

namespace tessera {
namespace {

/// Counts, at each cell, the neighbours within the radius along x and y whose value in the plane
/// differs from the field's.
template <class T, class TileType, int R>
struct ComparePlane {
  using Plane = ScratchPlane<T, TileType, R>;
  FieldRef<const T> field;
  FieldRef<int> errors;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace p = tiling.place(team.league_rank());
    const TileExtent plane_extent{1, p.extent.ny, p.extent.nx};
    const Plane plane(team);
    for (int z = p.z0; z < p.z0 + p.extent.nz; ++z) {
      // 1. Interior cell by cell, halo by the whole team.
      for_each_cell(team, TileType{}, plane_extent,
                    [&](const Cell& c) { plane(c.y, c.x) = *field.at(z, p.y0 + c.y, p.x0 + c.x); });
      plane.load_halo(team, field.at(z, p.y0, p.x0), field.row, plane_extent);
      team.team_barrier();
      // 2. Compare, then let nobody overwrite what another thread still reads.
      for_each_cell(team, TileType{}, plane_extent, [&](const Cell& c) {
        int wrong = 0;
        for (int m = -R; m <= R; ++m) {
          wrong += plane(c.y, c.x + m) != *field.at(z, p.y0 + c.y, p.x0 + c.x + m);
          wrong += plane(c.y + m, c.x) != *field.at(z, p.y0 + c.y + m, p.x0 + c.x);
        }
        *errors.at(z, p.y0 + c.y, p.x0 + c.x) = wrong;
      });
      team.team_barrier();
    }
  }
};

template <class T, class TileType, int R>
void check_plane() {
  const Extents n{6, 13, 37};  // no extent a multiple of a tile's
  Field<T> field("field", n, R, T(-1));
  // Halo cells of the grid too have values of their own.
  const auto host = Kokkos::create_mirror_view(field.view());
  for (std::size_t i = 0; i < host.size(); ++i) host(i) = static_cast<T>(i % 65521);
  Kokkos::deep_copy(field.view(), host);
  for (const Box& box : {whole(n), Box{1, 5, 2, 12, 3, 30}, Box{2, 3, 5, 6, 7, 8}}) {
    const Field<int> errors("errors", n, 0, -1);
    const Tiling tiling(box, TileType::kNx, TileType::kNy, 3);
    using Kernel = ComparePlane<T, TileType, R>;
    launch_teams<TileType::kCells>(
        ExecSpace(), "tessera::test::compare_plane", static_cast<int>(tiling.league()),
        Kernel::Plane::scratch_bytes(), Kernel{field.ref(), errors.ref(), tiling});
    Kokkos::fence();
    const auto wrong = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), errors.view());
    test::for_cells(whole(n), [&](int z, int y, int x) {
      ASSERT_EQ(wrong(errors.index(z, y, x)), box.contains(z, y, x) ? 0 : -1)
          << z << " " << y << " " << x;
    });
  }
}

template <class T>
class ScratchOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ScratchOf, Reals);

TYPED_TEST(ScratchOf, PlaneHaloEqualsTheField) {
  check_plane<TypeParam, Tile<8, 8>, 4>();
  check_plane<TypeParam, Tile<16, 4>, 4>();
  check_plane<TypeParam, Tile<32, 8>, 1>();
  check_plane<TypeParam, Tile<4, 32>, 2>();
}

/// Every element of a block gets its own code, then all are read back.
template <class Block, int Dx, int Dy, int Dz, int R>
struct FillBlock {
  Kokkos::View<int*, ExecSpace::memory_space> wrong;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Block block(team);
    constexpr int kHz = Block::kHaloZ;
    if (team.team_rank() == 0) {
      int code = 0;
      for (int z = -kHz; z < Dz + kHz; ++z) {
        for (int y = -R; y < Dy + R; ++y) {
          for (int x = -R; x < Dx + R; ++x) block(z, y, x) = float(code++);
        }
      }
    }
    team.team_barrier();
    int errors = 0;
    int code = 0;
    for (int z = -kHz; z < Dz + kHz; ++z) {
      for (int y = -R; y < Dy + R; ++y) {
        for (int x = -R; x < Dx + R; ++x) errors += block(z, y, x) != float(code++);
      }
    }
    errors += &block(0, 0, 1) - &block(0, 0, 0) != 1;
    errors += &block(0, 1, 0) - &block(0, 0, 0) != Block::kPitch;
    if (team.team_rank() == 0) wrong(team.league_rank()) = errors;
  }
};

template <int Dx, int Dy, int Dz, int R>
void check_block() {
  using Block = ScratchBlock<float, Tile<Dx, Dy, Dz>, R>;
  const int depth = Dz == 1 ? 1 : Dz + 2 * R;
  EXPECT_GE(Block::scratch_bytes(), sizeof(float) * (Dx + 2 * R) * (Dy + 2 * R) * depth);
  const int league = 5;
  Kokkos::View<int*, ExecSpace::memory_space> wrong("wrong", league);
  Kokkos::deep_copy(wrong, -1);
  launch_teams<Dx * Dy * Dz>(ExecSpace(), "tessera::test::fill_block", league,
                             Block::scratch_bytes(), FillBlock<Block, Dx, Dy, Dz, R>{wrong});
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wrong);
  for (int i = 0; i < league; ++i) EXPECT_EQ(host(i), 0);
}

TEST(ScratchBlock, ElementsAreDistinctHalosIncluded) {
  check_block<8, 4, 4, 4>();
  check_block<16, 2, 2, 1>();
  check_block<32, 8, 1, 4>();
}

}  // namespace
}  // namespace tessera
