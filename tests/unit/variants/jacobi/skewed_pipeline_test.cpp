// SPDX-License-Identifier: Apache-2.0
// The load pipeline of jacobi/skewed against plain loops: wherever the tile lies, and however much
// of the work is left to the end. What tiles store variant/jacobi/bitwise_test.cpp compares.
#include "variants/jacobi/skewed/pipeline.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace tessera::jacobi::skewed_pipeline_test {
namespace {

constexpr int kPlanes = 2;  // of a batch
constexpr double kUntouched = -7;

/// A field that ends with its last fixed cell, so that a sanitizer sees who reads beyond.
template <class Real, int R>
struct Grid {
  int ns, ny, nx, radius_y;
  std::vector<Real> values;

  Grid(int dims, int ns, int ny, int nx)
      : ns(ns), ny(ny), nx(nx), radius_y(dims == 2 ? 0 : R), values(count()) {}
  [[nodiscard]] std::size_t count() const {
    return std::size_t(ns + 2 * R) * (ny + 2 * radius_y) * (nx + 2 * R);
  }
  [[nodiscard]] Fields<Real> fields() {
    const int row = nx + 2 * R, plane = row * (ny + 2 * radius_y);
    Real* const origin = values.data() + R * plane + radius_y * row + R;
    return {origin, origin, ns, ny, nx, plane, row};
  }
  [[nodiscard]] bool has(int y, int x) const {
    return y >= -radius_y && y < ny + radius_y && x >= -R && x < nx + R;
  }
};

/// For a tile of `width` x `height` cells in planes that are allocated for somewhat more.
template <class Real, int R>
TileLayout layout_of(int dims, int vectors, int height) {
  constexpr int kLanes = kHostLanes<Real>;
  return TileLayout{.lanes = kLanes,
                    .line = kHostLine<Real>,
                    .radius = R,
                    .radius_y = dims == 2 ? 0 : R,
                    .planes = kPlanes,
                    .length = vectors,
                    .height = height}
      .allocated_for((vectors + 3) * kLanes, dims == 2 ? 1 : height + 1);
}

/// Calls `body` for each tile that the tests below use: visits, vectors of a row, a plane's extents
/// in a field, and by how much the tile lies further left and up than the field.
template <class Body>
void for_each_tile(int dims, int r, const Body& body) {
  for (const int visits : {1, 7, 1000}) {
    for (const int vectors : {2 * r, 5, 17}) {
      for (const int nx : {1, 30, 90}) {
        for (const int left : {0, 3, 40}) {
          for (const int up : {0, 2}) body(visits, vectors, dims == 2 ? 1 : 6, nx, left, up);
        }
      }
    }
  }
}

template <class Real, int R>
void check_load(int dims, bool periodic) {
  constexpr int kLanes = kHostLanes<Real>;
  for_each_tile(dims, R, [&](int visits, int vectors, int ny, int nx, int left, int up) {
    const TileLayout layout = layout_of<Real, R>(dims, vectors, dims == 2 ? 1 : 5);
    if (periodic && nx + 2 * R > layout.width()) return;
    const int x0 = periodic ? -R : -left, y0 = dims == 2 ? 0 : -up;
    SCOPED_TRACE(testing::Message() << vectors << " vectors from " << x0 << " of " << nx
                                    << " cells, rows from " << y0 << ", " << visits << " visits");
    Grid<Real, R> grid(dims, 4, ny, nx);
    for (std::size_t i = 0; i < grid.values.size(); ++i) grid.values[i] = Real(1 + i);
    const Fields<Real> f = grid.fields();
    std::vector<Real> batch(layout.batch(), Real(kUntouched)), natural(layout.pitch);
    LoadPipeline<Real, R> loads(layout, f, y0, x0, periodic, natural.data(), visits);
    constexpr int kFirst = 1;  // the planes: the second and third
    loads.start(kFirst, kFirst + kPlanes, batch.data() + layout.first());
    for (int visit = 0; visit < visits / 2; ++visit) loads.advance();
    loads.finish();
    for (int k = 0; k < kPlanes; ++k) {
      for (int y = -layout.halo_rows(); y < layout.height; ++y) {
        const Real* const row = batch.data() + layout.first() + k * layout.plane + y * layout.pitch;
        if (!grid.has(y0 + y, 0)) {
          for (int e = -layout.left_halo(); e < layout.width(); ++e) {
            ASSERT_EQ(row[e], Real(kUntouched)) << y << " " << e;
          }
          continue;
        }
        for (int x = 0; x < layout.width(); ++x) {
          for (int d = 0; d <= 2 * R; ++d) {
            int cell = x - d;
            if (periodic && cell < 0) cell += layout.width();
            if (!grid.has(y0 + y, x0 + cell)) continue;
            ASSERT_EQ(row[transposed_place<Real>(x, layout.length) - d * kLanes],
                      f.from[f.offset(kFirst + k, y0 + y, x0 + cell)])
                << "plane " << k << ", row " << y << ", cell " << x << " - " << d;
          }
        }
        for (int e = layout.width(); e < layout.pitch - layout.left_halo(); ++e) {
          ASSERT_EQ(row[e], Real(kUntouched)) << y << " " << e;
        }
      }
    }
  });
}

template <class Real>
class SkewedPipeline : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SkewedPipeline, Precisions);

TYPED_TEST(SkewedPipeline, LoadsTransposedRowsWithTheirHalos) {
  for (const int dims : {2, 3}) {
    check_load<TypeParam, 1>(dims, false);
    check_load<TypeParam, 2>(dims, false);
  }
}

TYPED_TEST(SkewedPipeline, LoadsPeriodicRows) {
  for (const int dims : {2, 3}) {
    check_load<TypeParam, 1>(dims, true);
    check_load<TypeParam, 2>(dims, true);
  }
}

/// A visit moves its share: after as many as there are, little is left to finish().
TEST(SkewedPipelineShare, IsDoneAfterItsVisits) {
  const TileLayout layout = layout_of<float, 1>(3, 17, 5);
  Grid<float, 1> grid(3, 4, 6, 16 * kHostLanes<float>);
  const Fields<float> f = grid.fields();
  for (float& v : grid.values) v = 1;
  std::vector<float> batch(layout.batch(), 0.F), natural(layout.pitch);
  constexpr int kVisits = 20;
  LoadPipeline<float, 1> loads(layout, f, 0, 0, false, natural.data(), kVisits);
  loads.start(0, kPlanes, batch.data() + layout.first());
  const auto last_row_is_there = [&] {
    return batch[layout.first() + (kPlanes - 1) * layout.plane +
                 (layout.height - 1) * layout.pitch] == 1;
  };
  for (int visit = 0; visit < kVisits / 2; ++visit) loads.advance();
  EXPECT_FALSE(last_row_is_there());
  for (int visit = 0; visit < kVisits / 2; ++visit) loads.advance();
  EXPECT_TRUE(last_row_is_there());
}

}  // namespace
}  // namespace tessera::jacobi::skewed_pipeline_test
