// SPDX-License-Identifier: Apache-2.0
// Planes that stream through a ring, and values fetched ahead, against direct reads of the field.
#include "base/tile/plane_ring.hpp"

#include <gtest/gtest.h>

#include "base/device/native_launch.hpp"
#include "base/grid/transfer.hpp"
#include "base/tile/tiling.hpp"
#include "fixtures/cells.hpp"

namespace tessera {
namespace {

constexpr int kR = 4;
constexpr int kAhead = 2;
constexpr int kPlanes = kAhead + 1;

/// Counts, at each cell, the neighbours within the radius along x and y whose value in the ring
/// differs from the field's, and 1000 where the value fetched ahead does.
template <class T, class Threads, int V>
struct CompareRing {
  using Ring = PlaneRing<T, V, Threads, kR, kPlanes>;
  using Own = FetchedAhead<T, V, Threads, kPlanes>;
  FieldRef<const T> field;
  FieldRef<int> errors;
  Tiling tiling;

  [[nodiscard]] static std::size_t scratch_bytes() {
    return Ring::scratch_bytes() + Own::scratch_bytes();
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    const TilePlace p = tiling.place(team.league_rank());
    const TileExtent vectors{1, p.extent.ny, (p.extent.nx + V - 1) / V};
    const Ring ring(team, field.row, p.extent);
    const Own own(team);
    const auto fetch = [&](int k) {
      if (k < p.extent.nz) {
        ring.load(k % kPlanes, field.at(p.z0 + k, p.y0, p.x0));
        for_each_cell(team, Threads{}, vectors, [&](const Cell& c) {
          own.fetch(k % kPlanes, field.at(p.z0 + k, p.y0 + c.y, p.x0 + V * c.x));
        });
      }
      commit_copies();
    };
    for (int k = 0; k < kAhead; ++k) fetch(k);
    for (int k = 0; k < p.extent.nz; ++k) {
      wait_for_copies<kAhead - 1>();
      team.team_barrier();
      fetch(k + kAhead);
      for_each_cell(team, Threads{}, vectors, [&](const Cell& c) { compare(ring, own, p, c, k); });
    }
  }

 private:
  KOKKOS_FUNCTION void compare(const Ring& ring, const Own& own, const TilePlace& p, const Cell& c,
                               int k) const {
    const int z = p.z0 + k;
    const int y = p.y0 + c.y;
    const auto fetched = own.take(k % kPlanes, field.at(z, y, p.x0 + V * c.x));
    for (int v = 0; v < V && V * c.x + v < p.extent.nx; ++v) {
      const int x = p.x0 + V * c.x + v;
      const T* here = ring.at(k % kPlanes, c.y, V * c.x + v);
      int wrong = 0;
      for (int m = -kR; m <= kR; ++m) {
        wrong += here[m] != *field.at(z, y, x + m);
        wrong += here[m * Ring::kPitch] != *field.at(z, y + m, x);
      }
      *errors.at(z, y, x) = wrong + (lane(fetched, v) == *field.at(z, y, x) ? 0 : 1000);
    }
  }
};

template <class T, class Threads, int V>
void check_ring() {
  const Extents n{7, 13, 61};  // no extent a multiple of a tile's
  Field<T> field("field", n, kR, T(-1));
  const auto host = Kokkos::create_mirror_view(field.view());
  for (std::size_t i = 0; i < host.size(); ++i) host(i) = static_cast<T>(i % 65521);
  Kokkos::deep_copy(field.view(), host);
  // Tiles start at multiples of a vector; the far ends are ragged.
  for (const Box& box : {whole(n), Box{1, 6, 2, 12, 4, 55}, Box{2, 3, 5, 6, 8, 9}}) {
    const Field<int> errors("errors", n, 0, -1);
    const Tiling tiling(box, V * Threads::kNx, Threads::kNy, 4);
    using Kernel = CompareRing<T, Threads, V>;
    native_launch<Threads::kCells>(ExecSpace(), "tessera::test::compare_ring",
                                   static_cast<int>(tiling.league()), Kernel::scratch_bytes(),
                                   Kernel{field.ref(), errors.ref(), tiling});
    Kokkos::fence();
    const std::vector<int> got = to_host(errors);
    std::size_t i = 0;
    test::for_cells(whole(n), [&](int z, int y, int x) {
      ASSERT_EQ(got[i++], box.contains(z, y, x) ? 0 : -1) << z << ' ' << y << ' ' << x;
    });
  }
}

template <class T>
class PlaneRingOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(PlaneRingOf, Reals);

TYPED_TEST(PlaneRingOf, HoldsPlanesWithTheirHalos) {
  constexpr int kV = kOnDevice ? 4 : 1;
  check_ring<TypeParam, Tile<8, 4>, kV>();
  check_ring<TypeParam, Tile<8, 16>, kV>();
  check_ring<TypeParam, Tile<4, 32>, kV>();
}

}  // namespace
}  // namespace tessera
