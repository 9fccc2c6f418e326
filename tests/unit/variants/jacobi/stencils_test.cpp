// SPDX-License-Identifier: Apache-2.0
// The nine stencils of the jacobi family: shapes, weights, and the sum against hand-made values.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "program/predict/attainable.hpp"
#include "variants/jacobi/formula.hpp"
#include "variants/jacobi/reference.hpp"

namespace tessera::jacobi {
namespace {

TEST(JacobiStencils, HaveTheSeedsPointsAndFlops) {
  for_each_stencil([](auto stencil) {
    using S = decltype(stencil);
    const model::TemporalStencil& table = model::temporal_stencil(S::kName);
    EXPECT_EQ(S::kFlops, table.flops) << S::kName;
    EXPECT_EQ(S::kR, table.rad) << S::kName;
    EXPECT_EQ(S::kDims, table.dims) << S::kName;
  });
  EXPECT_EQ(J2d5pt::kPoints, 5);
  EXPECT_EQ(J2d9pt::kPoints, 9);
  EXPECT_EQ(J2d9ptGol::kPoints, 9);
  EXPECT_EQ(J2d25pt::kPoints, 25);
  EXPECT_EQ(J3d7pt::kPoints, 7);
  EXPECT_EQ(J3d13pt::kPoints, 13);
  EXPECT_EQ(J3d17pt::kPoints, 17);
  EXPECT_EQ(J3d27pt::kPoints, 27);
  EXPECT_EQ(Poisson::kPoints, 19);
}

TEST(JacobiStencils, WeightsArePositiveAndAddUpToOne) {
  for_each_stencil([](auto stencil) {
    using S = decltype(stencil);
    double sum = 0;
    for (int j = 0; j < S::kPoints; ++j) {
      const Point p = kPointsOf<S>[j];
      EXPECT_GT(kWeightsOf<S>[j], 0) << S::kName;
      EXPECT_EQ((weight_at<S, double>(p.s, p.y, p.x)), kWeightsOf<S>[j]) << S::kName;
      EXPECT_TRUE(S::has(p.s, p.y, p.x));
      sum += kWeightsOf<S>[j];
    }
    EXPECT_NEAR(sum, 1, 1e-15) << S::kName;
  });
}

/// True if some point of the stencil weighs another than its image.
template <class S, class Image>
bool shows(const Image& image) {
  return std::any_of(kPointsOf<S>.begin(), kPointsOf<S>.end(), [&](const Point& p) {
    const Point q = image(p);
    return weight_at<S, double>(p.s, p.y, p.x) != weight_at<S, double>(q.s, q.y, q.x);
  });
}

TEST(JacobiStencils, MixedUpAxesAndSignsShow) {
  for_each_stencil([](auto stencil) {
    using S = decltype(stencil);
    if (std::string(S::kName) == "jacobi/j2d25pt") return;  // gaussian is symmetric
    EXPECT_TRUE(shows<S>([](Point p) { return Point{-p.s, p.y, p.x}; })) << S::kName;
    EXPECT_TRUE(shows<S>([](Point p) { return Point{p.s, p.y, -p.x}; })) << S::kName;
    EXPECT_TRUE(shows<S>([](Point p) { return Point{p.x, p.y, p.s}; })) << S::kName;
    if (S::kDims == 2) return;
    EXPECT_TRUE(shows<S>([](Point p) { return Point{p.s, -p.y, p.x}; })) << S::kName;
    EXPECT_TRUE(shows<S>([](Point p) { return Point{p.y, p.s, p.x}; })) << S::kName;
    EXPECT_TRUE(shows<S>([](Point p) { return Point{p.s, p.x, p.y}; })) << S::kName;
  });
}

TEST(JacobiStencils, GaussianIsBinomial) {
  EXPECT_EQ(kWeightsOf<J2d25pt>[0], 1.0 / 256);
  EXPECT_EQ(kWeightsOf<J2d25pt>[6], 16.0 / 256);
  EXPECT_EQ(kWeightsOf<J2d25pt>[7], 24.0 / 256);
  EXPECT_EQ(kWeightsOf<J2d25pt>[12], 36.0 / 256);
}

TEST(JacobiStencils, SummationRunsAlongXFirst) {
  for_each_stencil([](auto stencil) {
    using S = decltype(stencil);
    const auto key = [](const Point& p) { return (p.s * 16 + p.y) * 16 + p.x; };
    for (int j = 1; j < S::kPoints; ++j) {
      EXPECT_LT(key(kPointsOf<S>[j - 1]), key(kPointsOf<S>[j])) << S::kName;
    }
  });
}

TEST(JacobiStencils, SumOfALinearFieldIsItsValueAtTheWeightedCentre) {
  for_each_stencil([](auto stencil) {
    using S = decltype(stencil);
    // u = 100 + 3 s + 5 y + 7 x, by hand: sum_j w_j u = 100 + 3 <s> + 5 <y> + 7 <x>.
    double wanted = 100;
    for (int j = 0; j < S::kPoints; ++j) {
      const Point p = kPointsOf<S>[j];
      wanted += kWeightsOf<S>[j] * (3 * p.s + 5 * p.y + 7 * p.x);
    }
    const double got = point_value<S, double>(
        [](auto s, auto y, auto x) { return 100.0 + 3 * s + 5 * y + 7 * x; });
    EXPECT_NEAR(got, wanted, 1e-13) << S::kName;
  });
}

TEST(JacobiStencils, PlaneByPlaneIsTheSameSum) {
  for_each_stencil([](auto stencil) {
    using S = decltype(stencil);
    const auto u = [](int s, int y, int x) { return 1.0 / (11 + 5 * s + 3 * y + x); };
    double sum = 0;
    static_for<2 * S::kR + 1>([&](auto i) {
      add_plane<S, i - S::kR>(sum, [&](auto y, auto x) { return u(i - S::kR, y, x); });
    });
    EXPECT_EQ(sum, (point_value<S, double>([&](auto s, auto y, auto x) { return u(s, y, x); })));
  });
}

TEST(JacobiReference, OneStepByHand) {
  // A single 1 in a plane of zeros: a step spreads it by the weights of the opposite points.
  ReferenceState<J2d5pt, double> state({1, 1, 5});  // one row of five cells
  state.u[state.index(0, 0, 2)] = 1;
  reference_step(state);
  EXPECT_EQ(state.u[state.index(0, 0, 2)], kWeightsOf<J2d5pt>[2]);
  EXPECT_EQ(state.u[state.index(0, 0, 1)], kWeightsOf<J2d5pt>[3]) << "from its right";
  EXPECT_EQ(state.u[state.index(0, 0, 3)], kWeightsOf<J2d5pt>[1]) << "from its left";
  EXPECT_EQ(state.u[state.index(1, 0, 2)], 0) << "fixed";
  EXPECT_EQ(state.bound[state.index(1, 0, 2)], 0);
  EXPECT_GT(state.bound[state.index(0, 0, 2)], 0);
}

TEST(JacobiReference, FixedCellsStayAndValuesStayWithin) {
  ReferenceState<J3d27pt, float> state({4, 5, 6});
  for (std::size_t i = 0; i < state.u.size(); ++i) state.u[i] = static_cast<float>(i % 7) / 7;
  const auto before = state.u;
  for (int step = 0; step < 10; ++step) reference_step(state);
  EXPECT_EQ(state.u[state.index(-1, 2, 3)], before[state.index(-1, 2, 3)]);
  EXPECT_EQ(state.u[state.index(2, 5, 3)], before[state.index(2, 5, 3)]);
  for (const float v : state.u) {
    EXPECT_GE(v, 0);
    EXPECT_LE(v, 1);
  }
}

}  // namespace
}  // namespace tessera::jacobi
