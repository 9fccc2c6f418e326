// SPDX-License-Identifier: Apache-2.0
// The halo exchange between skewed tiles: each finds beside and above its planes the last cells and
// rows of the tiles before, of the same plane and time step.
#include "variants/jacobi/skewed/exchange.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

namespace tessera::jacobi {
namespace {

constexpr int kPlanes = 2, kRounds = 3;

/// Makes `columns` x `rows` tiles one after the other, as one thread would, and checks the halos of
/// each plane once it is made.
template <class Real, int R>
void check_exchange(int dims, int columns, int rows, int steps, int advances) {
  SCOPED_TRACE(testing::Message() << dims << "D, R = " << R << ", " << columns << " x " << rows
                                  << " tiles, " << steps << " steps, " << advances << " advances");
  constexpr int kLanes = kHostLanes<Real>;
  constexpr Real kUntouched = -7;
  const TileLayout layout = TileLayout{.lanes = kLanes,
                                       .line = 8,
                                       .radius = R,
                                       .radius_y = dims == 2 ? 0 : R,
                                       .planes = kPlanes,
                                       .length = 2 * R + 1,
                                       .height = dims == 2 ? 1 : 2 * R + 1}
                                .allocated_for((2 * R + 1) * kLanes, dims == 2 ? 1 : 2 * R + 1);
  const SkewedTiles tiles{{rows * layout.height, layout.height, 0},
                          {columns * layout.width(), layout.width(), 0}};
  ASSERT_EQ(tiles.x.count(), columns);
  ASSERT_EQ(tiles.y.count(), rows);
  using Exchange = HaloExchange<Real, R>;
  const auto elements = static_cast<std::size_t>(Exchange::elements(layout, tiles, steps, kRounds));
  std::vector<Real> memory(elements + 8, kUntouched);
  std::map<std::tuple<int, int, int>, std::vector<Real>> made;  // batches by tile, round and step
  Real next = 1;
  for (int i = 0; i < tiles.count(); ++i) {
    Exchange halos(layout, tiles, i, steps, kRounds, memory.data(), 4);
    for (int round = 0; round < kRounds; ++round) {
      for (int step = 1; step < steps; ++step) {
        std::vector<Real> batch(layout.batch(), kUntouched);
        Real* const planes = batch.data() + layout.first();
        for (int k = 0; k < kPlanes; ++k) {
          for (int y = layout.height - 1; y >= 0; --y) {
            Real* const row = planes + k * layout.plane + y * layout.pitch;
            for (int e = 0; e < layout.width(); ++e) row[e] = next++;
            halos.fill_left(row, k, y);
          }
        }
        halos.start(planes, 0, kPlanes);
        for (int n = 0; n < advances; ++n) halos.advance();
        halos.finish();
        // In the tile on the left, or in the same one if it is alone, or nowhere.
        const bool first_column = i < rows;
        const std::vector<Real>& left = columns == 1   ? batch
                                        : first_column ? batch
                                                       : made.at({i - rows, round, step});
        for (int k = 0; k < kPlanes; ++k) {
          for (int y = 0; y < layout.height; ++y) {
            const std::size_t row = layout.first() + k * layout.plane + y * layout.pitch;
            for (int x = 0; x < layout.width(); ++x) {
              for (int d = 0; d <= 2 * R; ++d) {
                const int at = transposed_place<Real>(x, layout.length) - d * kLanes;
                const int cell = x - d;
                const Real wanted =
                    cell >= 0 ? batch[row + transposed_place<Real>(cell, layout.length)]
                    : columns > 1 && first_column
                        ? Real(0)
                        : left[row + transposed_place<Real>(cell + layout.width(), layout.length)];
                ASSERT_EQ(batch[row + at], wanted)
                    << "tile " << i << ", round " << round << ", step " << step << ", plane " << k
                    << ", row " << y << ", cell " << x << " - " << d;
              }
            }
          }
          // The upper halo: whole rows, with their left halos, of the tile above.
          for (int e = 0; e < layout.upper_halo(); ++e) {
            const std::size_t at = k * layout.plane + e;
            const Real wanted =
                i % rows == 0 ? kUntouched
                              : made.at({i - 1, round, step})[at + layout.height * layout.pitch];
            ASSERT_EQ(batch[at], wanted) << "tile " << i << ", plane " << k << ", element " << e;
          }
        }
        made[{i, round, step}] = std::move(batch);
      }
    }
  }
  for (std::size_t at = elements; at < memory.size(); ++at) ASSERT_EQ(memory[at], kUntouched);
}

template <class Real>
class SkewedExchange : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SkewedExchange, Precisions);

TYPED_TEST(SkewedExchange, FindsTheLastCellsOfTheTilesBefore) {
  for (const int steps : {1, 2, 4}) {
    for (const int advances : {0, 1, 100}) {
      for (const int columns : {1, 2, 3}) {
        check_exchange<TypeParam, 1>(2, columns, 1, steps, advances);
        check_exchange<TypeParam, 2>(2, columns, 1, steps, advances);
        for (const int rows : {1, 2, 3}) {
          check_exchange<TypeParam, 1>(3, columns, rows, steps, advances);
          check_exchange<TypeParam, 2>(3, columns, rows, steps, advances);
        }
      }
    }
  }
}

/// Rounds at the ends of a stream make some of a batch's planes.
TEST(SkewedExchangePlanes, LeavesOthersAlone) {
  constexpr int kLanes = kHostLanes<double>;
  const TileLayout layout =
      TileLayout{
          .lanes = kLanes, .line = 8, .radius_y = 1, .planes = kPlanes, .length = 2, .height = 2}
          .allocated_for(2 * kLanes, 2);
  const SkewedTiles tiles{{4, 2, 0}, {2 * kLanes, 2 * kLanes, 0, true}};
  std::vector<double> memory(HaloExchange<double, 1>::elements(layout, tiles, 2, 1), 5.0);
  std::vector<double> batch(layout.batch(), 1.0);
  HaloExchange<double, 1> halos(layout, tiles, 1, 2, 1, memory.data(), 4);
  halos.start(batch.data() + layout.first(), 1, 2);
  halos.finish();
  for (int e = 0; e < layout.upper_halo(); ++e) {
    EXPECT_EQ(batch[e], 1.0);
    EXPECT_EQ(batch[layout.plane + e], 5.0);
  }
  halos.start(batch.data() + layout.first(), 2, 1);  // none
  halos.finish();
}

}  // namespace
}  // namespace tessera::jacobi
