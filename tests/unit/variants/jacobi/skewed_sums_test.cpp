// SPDX-License-Identifier: Apache-2.0
// Blocks of rows of jacobi/skewed against plain loops, bit for bit: all stencils, in the blocks
// that tiles have.
#include "variants/jacobi/skewed/sums.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "base/device/fma.hpp"

namespace tessera::jacobi {
namespace {

/// Element e of a row of the block, in the order of summation.
template <class StencilType, class Real>
Real plain_sum(const Real* const* planes, int pitch, int row, int e) {
  Real sum = 0;
  for (int j = 0; j < StencilType::kPoints; ++j) {
    const Point point = kPointsOf<StencilType>[j];
    const auto weight = static_cast<Real>(kWeightsOf<StencilType>[j]);
    const Real value =
        planes[point.s + StencilType::kR]
              [(row + point.y) * pitch + e + (point.x - StencilType::kR) * kHostLanes<Real>];
    sum = j == 0 ? weight * value : multiply_add(weight, value, sum);
  }
  return sum;
}

/// Vectors [first, first + vectors) of a block.
template <class StencilType, class Real, int Ks, int Ky, class Pitch>
void check_block(Pitch pitch, int first, int vectors) {
  SCOPED_TRACE(testing::Message() << StencilType::kName << ", " << Ks << " x " << Ky << " rows, "
                                  << vectors << " vectors from " << first);
  using Sums = BlockSums<StencilType, Real, Ks, Ky>;
  constexpr int kLanes = kHostLanes<Real>, kR = StencilType::kR, kRy = StencilType::kRy;
  const int begin = first * kLanes, end = begin + vectors * kLanes;
  const int rows = Ky + 2 * kRy, plane = rows * pitch;
  std::vector<Real> values(Sums::kPlanes * plane);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = Real((i * 7919) % 1009) / Real(1009);
  const Real* from[Sums::kPlanes];
  for (int p = 0; p < Sums::kPlanes; ++p) {
    from[p] = values.data() + p * plane + kRy * pitch + 2 * kR * kLanes;
  }
  constexpr Real kUntouched = -7;
  const int out_plane = Ky * pitch + 3;
  std::vector<Real> out(Ks * out_plane, kUntouched);
  Sums::make(from, out.data(), out_plane, pitch, begin, end);
  for (int k = 0; k < Ks; ++k) {
    for (int j = 0; j < Ky; ++j) {
      for (int e = 0; e < pitch; ++e) {
        const Real got = out[k * out_plane + j * pitch + e];
        const Real wanted =
            e < begin || e >= end ? kUntouched : plain_sum<StencilType>(from + k, int(pitch), j, e);
        ASSERT_EQ(got, wanted) << "plane " << k << ", row " << j << ", element " << e;
      }
    }
  }
}

template <class StencilType, class Real, int Ks, int Ky>
void check_blocks() {
  constexpr int kPitch = 24 * kHostLanes<Real>;
  for (const int vectors : {0, 1, 2, 3, 4, 5, 7, 12}) {
    if constexpr (StencilType::kDims == 2) {
      check_block<StencilType, Real, Ks, Ky>(kPitch, vectors / 3, vectors);
    } else {
      check_block<StencilType, Real, Ks, Ky>(Constant<kPitch>{}, vectors / 3, vectors);
    }
  }
}

// Each block takes the compiler some seconds: every kind of stencil once, and every block.
TEST(SkewedSums, EqualPlainLoopsInTwoDimensions) {
  check_blocks<J2d5pt, float, 8, 1>();
  check_blocks<J2d9ptGol, double, 4, 1>();
  check_blocks<J2d25pt, float, 1, 1>();
}

TEST(SkewedSums, EqualPlainLoopsInThreeDimensions) {
  check_blocks<J3d7pt, float, 2, 2>();
  check_blocks<J3d7pt, double, 1, 1>();
  check_blocks<J3d17pt, double, 2, 2>();
  check_blocks<J3d13pt, float, 4, 2>();
}

/// A value is loaded once, whatever the number of rows of the block that it is a neighbour of.
template <class StencilType, int Ks, int Ky>
void check_loads() {
  std::set<std::tuple<int, int, int>> values;
  for (int k = 0; k < Ks; ++k) {
    for (int j = 0; j < Ky; ++j) {
      for (const Point& p : StencilType::points()) values.insert({k + p.s, j + p.y, p.x});
    }
  }
  EXPECT_EQ((BlockSums<StencilType, float, Ks, Ky>::loads()), static_cast<int>(values.size()))
      << StencilType::kName << " " << Ks << "x" << Ky;
}

TEST(SkewedSumsLoads, AreOneOfEachValue) {
  for_each_stencil([](auto stencil) {
    using Any = decltype(stencil);
    check_loads<Any, 1, 1>();
    check_loads<Any, 2, 2>();
    check_loads<Any, 4, 1>();
  });
  EXPECT_EQ((BlockSums<J2d5pt, float, 4, 1>::loads()), 14);
}

}  // namespace
}  // namespace tessera::jacobi
