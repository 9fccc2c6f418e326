// SPDX-License-Identifier: Apache-2.0
// ColumnQueues: while a stream moves on, every point below and above is the one of its plane,
// though each value of the columns beside was seen in the plane itself.
#include "variants/ete/gather_queue/column_queues.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/device/space.hpp"

namespace tessera::ete {
namespace {

constexpr int kR = 4, kNx = 16, kNy = 3, kPlanes = 11;
constexpr int kRow = kNx + 2 * kR, kPlane = kRow * (kNy + 2 * kR);
using Cells = Tile<kNx, kNy>;

/// What lies at a place of the field: every one differs.
KOKKOS_INLINE_FUNCTION float value(int z, int y, int x) {
  return static_cast<float>((z + kR) * kPlane + (y + kR) * kRow + x + kR);
}

/// Counts, cell by cell and plane by plane, the points that a queue gives otherwise than the field.
template <int Diagonals>
struct Walk {
  using Queues = ColumnQueues<float, kR, Diagonals, Cells>;
  const float* field;  // cell (0, 0, 0)
  Kokkos::View<int> wrong;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Queues queues(team);
    const TileExtent extent{1, kNy, kNx - 1};  // clipped
    for_each_cell(team, Cells{}, extent,
                  [&](const Cell& c) { queues.fill(c, field + c.y * kRow + c.x, kRow, kPlane); });
    int z = 0;
    while (z < kPlanes) {
      for_each_phase<Queues::kPeriod>([&](auto phase) {
        for_each_cell(team, Cells{}, extent, [&](const Cell& c) {
          int bad = 0;
          const auto expect = [&](auto dz, auto dy, auto dx) {
            bad += queues.template at<dz, dy, dx>(phase, c) != value(z + dz, c.y + dy, c.x + dx);
          };
          static_for<kR>([&](auto i) {
            expect(Constant<-(i + 1)>{}, Constant<0>{}, Constant<0>{});
            if constexpr (i + 1 < kR) expect(Constant<i + 1>{}, Constant<0>{}, Constant<0>{});
          });
          static_for<Diagonals>([&](auto i) {
            constexpr int kM = decltype(i)::value + 1;
            expect(Constant<-kM>{}, Constant<kM>{}, Constant<0>{});
            expect(Constant<-kM>{}, Constant<-kM>{}, Constant<0>{});
            expect(Constant<-kM>{}, Constant<0>{}, Constant<kM>{});
            expect(Constant<-kM>{}, Constant<0>{}, Constant<-kM>{});
          });
          if (bad > 0) Kokkos::atomic_add(wrong.data(), bad);
          const float* here = field + z * kPlane + c.y * kRow + c.x;
          queues.take(phase, c, here, kRow, here[kR * kPlane]);
        });
        return ++z < kPlanes;
      });
    }
  }
};

template <int Diagonals>
int wrong_points() {
  constexpr int kSize = (kPlanes + 2 * kR) * kPlane;
  Kokkos::View<float*> field("field", kSize);
  auto host = Kokkos::create_mirror_view(field);
  for (int i = 0; i < kSize; ++i) host(i) = static_cast<float>(i);
  Kokkos::deep_copy(field, host);
  Kokkos::View<int> wrong("wrong");
  const ExecSpace exec;
  launch_teams<Cells::kCells>(exec, "tessera::test::column_queues", 1,
                              Walk<Diagonals>::Queues::scratch_bytes(kThisKind) +
                                  Walk<Diagonals>::Queues::kWindows * kScratchSlack,
                              Walk<Diagonals>{field.data() + kR * kPlane + kR * kRow + kR, wrong});
  exec.fence();
  int found = 0;
  Kokkos::deep_copy(found, wrong);
  return found;
}

TEST(ColumnQueues, HoldWhatTheirPlanesHave) {
  EXPECT_EQ(wrong_points<1>(), 0);
  EXPECT_EQ(wrong_points<4>(), 0);
}

TEST(ColumnQueues, HoldTwelveOrFortyEightValuesACell) {
  if (kOnDevice) GTEST_SKIP() << "registers have no size";
  constexpr std::size_t kCells = kNx * kNy * sizeof(float);
  const auto values = [&](std::size_t bytes) { return bytes / kCells; };
  EXPECT_EQ(values(ColumnQueues<float, kR, 1, Cells>::scratch_bytes(kThisKind)), 12U);
  // Those 3 cells away take the place of 4: a depth must divide the period.
  EXPECT_EQ(values(ColumnQueues<float, kR, 4, Cells>::scratch_bytes(kThisKind)), 48U + 4);
}

TEST(ColumnQueues, NumberTheLoadsOfAPlane) {
  using Queues = ColumnQueues<float, kR, 4, Cells>;
  EXPECT_EQ((ColumnQueues<float, kR, 1, Cells>::kColumns), 5);
  EXPECT_EQ(Queues::kColumns, 17);
  int next = 0;
  Queues::for_each_load([&](auto load, auto dz, auto dy, auto dx) {
    EXPECT_EQ(load, Queues::load_of(dz, dy, dx));
    EXPECT_EQ(load, next++);
    EXPECT_EQ(dz, dy == 0 && dx == 0 ? kR : std::abs(dy + dx));
  });
  EXPECT_EQ(next, Queues::kColumns);
}

}  // namespace
}  // namespace tessera::ete
