// SPDX-License-Identifier: Apache-2.0
// RegisterWindow: values live across for_each_cell, and both ways of moving it see the same planes.
#include "base/tile/register_window.hpp"

#include <gtest/gtest.h>

#include "base/grid/field.hpp"
#include "base/grid/transfer.hpp"
#include "base/tile/scratch.hpp"
#include "base/tile/tiling.hpp"
#include "fixtures/cells.hpp"

namespace tessera {
namespace {

constexpr int kDepth = 5;

enum class Motion { rotate, shift };

/// out(z) = sum_j (j + 1) in(z + j), j < kDepth, streamed along z with the values in a window.
template <class T, class TileType, Motion kMotion>
struct Stream {
  using Window = RegisterWindow<T, kDepth, TileType>;
  FieldRef<const T> in;
  FieldRef<T> out;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace p = tiling.place(team.league_rank());
    const TileExtent plane{1, p.extent.ny, p.extent.nx};
    const int end = p.z0 + p.extent.nz;
    Window window(team);
    for_each_cell(team, TileType{}, plane, [&](const Cell& c) {
      static_for<kDepth - 1>(
          [&](auto j) { window.at(c, j) = *in.at(p.z0 + j, p.y0 + c.y, p.x0 + c.x); });
    });
    if constexpr (kMotion == Motion::rotate) {
      int z = p.z0;
      while (z < end) {
        for_each_phase<kDepth>([&](auto phase) {
          advance(team, p, plane, window, phase, z);
          return ++z < end;
        });
      }
    } else {
      for (int z = p.z0; z < end; ++z) {
        advance(team, p, plane, window, Constant<0>{}, z);
        for_each_cell(team, TileType{}, plane, [&](const Cell& c) { window.shift(c); });
      }
    }
  }

 private:
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team, const TilePlace& p,
                                           const TileExtent& plane, Window& window, Phase phase,
                                           int z) const {
    for_each_cell(team, TileType{}, plane, [&](const Cell& c) {
      window.at(c, rotate<kDepth>(phase, Constant<kDepth - 1>{})) =
          *in.at(z + kDepth - 1, p.y0 + c.y, p.x0 + c.x);
    });
    // A call of its own: the value must come from the window.
    for_each_cell(team, TileType{}, plane, [&](const Cell& c) {
      T sum = 0;
      static_for<kDepth>([&](auto j) { sum += T(j + 1) * window.at(c, rotate<kDepth>(phase, j)); });
      *out.at(z, p.y0 + c.y, p.x0 + c.x) = sum;
    });
  }
};

/// Whole numbers small enough to be exact in float.
int value(int z, int y, int x) { return (z * 31 + y * 7 + x * 3) % 101; }

template <class T, class TileType, Motion kMotion>
void check_stream() {
  const Extents n{23, 9, 21};  // more planes than registers, clipped tiles
  const Extents taller{n.nz + kDepth - 1, n.ny, n.nx};
  const Field<T> in("in", taller, 0);
  const Field<T> out("out", n, 0);
  from_host(in, [](int z, int y, int x) { return static_cast<T>(value(z, y, x)); });
  for (const int chunk : {23, 7, 1}) {
    const Tiling tiling(whole(n), TileType::kNx, TileType::kNy, chunk);
    using Kernel = Stream<T, TileType, kMotion>;
    launch_teams<TileType::kCells>(
        ExecSpace(), "tessera::test::stream", static_cast<int>(tiling.league()),
        Kernel::Window::scratch_bytes(), Kernel{in.ref(), out.ref(), tiling});
    Kokkos::fence();
    const std::vector<T> got = to_host(out);
    std::size_t i = 0;
    test::for_cells(whole(n), [&](int z, int y, int x) {
      int wanted = 0;
      for (int j = 0; j < kDepth; ++j) wanted += (j + 1) * value(z + j, y, x);
      ASSERT_EQ(got[i++], static_cast<T>(wanted)) << z << " " << y << " " << x;
    });
  }
}

template <class T>
class RegisterWindowOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RegisterWindowOf, Reals);

TYPED_TEST(RegisterWindowOf, RotatesByRenaming) {
  check_stream<TypeParam, Tile<8, 4>, Motion::rotate>();
  check_stream<TypeParam, Tile<32, 8>, Motion::rotate>();
}

TYPED_TEST(RegisterWindowOf, ShiftsByCopying) {
  check_stream<TypeParam, Tile<8, 4>, Motion::shift>();
  check_stream<TypeParam, Tile<32, 8>, Motion::shift>();
}

/// Writes a window, two planes and another window, then reads all of them back: they must not
/// overlap.
template <class T, class TileType>
struct Neighbours {
  using Window = RegisterWindow<T, 3, TileType>;
  using Plane = ScratchPlane<T, TileType, 2>;
  FieldRef<int> errors;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace p = tiling.place(team.league_rank());
    Window first(team);
    const Plane a(team);
    const Plane b(team);
    Window second(team);
    for_each_cell(team, TileType{}, p.extent, [&](const Cell& c) {
      const T code = T(c.y * TileType::kNx + c.x);
      static_for<3>([&](auto j) { first.at(c, j) = code + T(1000 * (j + 1)); });
      static_for<3>([&](auto j) { second.at(c, j) = code + T(1000 * (j + 4)); });
      a(c.y, c.x) = code + T(7000);
      b(c.y, c.x) = code + T(8000);
    });
    team.team_barrier();
    for_each_cell(team, TileType{}, p.extent, [&](const Cell& c) {
      const T code = T(c.y * TileType::kNx + c.x);
      int wrong = 0;
      static_for<3>([&](auto j) { wrong += first.at(c, j) != code + T(1000 * (j + 1)); });
      static_for<3>([&](auto j) { wrong += second.at(c, j) != code + T(1000 * (j + 4)); });
      wrong += a(c.y, c.x) != code + T(7000);
      wrong += b(c.y, c.x) != code + T(8000);
      *errors.at(p.z0, p.y0 + c.y, p.x0 + c.x) = wrong;
    });
  }
};

TYPED_TEST(RegisterWindowOf, SharesTheScratchWithPlanesWithoutOverlap) {
  const Extents n{5, 11, 29};
  const Field<int> errors("errors", n, 0, -1);
  using Kernel = Neighbours<TypeParam, Tile<16, 4>>;
  const Tiling tiling(whole(n), 16, 4, 1);
  launch_teams<64>(ExecSpace(), "tessera::test::neighbours", static_cast<int>(tiling.league()),
                   2 * (Kernel::Window::scratch_bytes() + Kernel::Plane::scratch_bytes()),
                   Kernel{errors.ref(), tiling});
  Kokkos::fence();
  for (const int wrong : to_host(errors)) ASSERT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tessera
