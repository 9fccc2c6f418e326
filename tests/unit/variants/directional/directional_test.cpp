// SPDX-License-Identifier: Apache-2.0
// The directional family's coefficients, names, vectors and cut of a stream, by hand.
#include "variants/directional/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/grid/field.hpp"
#include "base/support/error.hpp"
#include "base/tile/tiling.hpp"
#include "fixtures/cells.hpp"
#include "fixtures/scratch_directory.hpp"
#include "variants/directional/reference.hpp"
#include "variants/directional/vectors.hpp"

namespace tessera::directional {
namespace {

using test::error_of;

TEST(SecondDerivative, IsExactOnPolynomialsUpToTheOrder) {
  for (const int radius : kRadii) {
    const auto c = second_derivative(radius);
    double sum = c[0];
    for (int m = 1; m <= radius; ++m) sum += 2 * c[m];
    EXPECT_NEAR(sum, 0, 1e-15);
    // At 0 the second derivative of x^2 is 2, that of x^4, x^6 ... x^(2R) is 0.
    for (int power = 2; power <= 2 * radius; power += 2) {
      double value = 0;
      double terms = 0;
      for (int m = 1; m <= radius; ++m) {
        value += 2 * c[m] * std::pow(m, power);
        terms += std::abs(2 * c[m] * std::pow(m, power));
      }
      EXPECT_NEAR(value, power == 2 ? 2 : 0, 1e-14 * terms) << "R " << radius << " x^" << power;
    }
  }
}

TEST(Stencils, NamesAndBack) {
  EXPECT_EQ(stencil_name({Directions::xyz, 4}), "directional/xyz-r4");
  EXPECT_EQ(stencil_names().size(), 40U);
  EXPECT_EQ(stencil_names({Directions::x}).front(), "directional/x-r1");
  for (const std::string& name : stencil_names())
    EXPECT_EQ(stencil_name(parse_stencil(name)), name);
  EXPECT_EQ(parse_stencil("xy-r8"), (Operator{Directions::xy, 8}));
  for (const char* bad : {"xyz-r9", "yx-r4", "xyz", "directional/", "xyz-r44", "acoustic/iso25"}) {
    const std::string error = error_of([&] { static_cast<void>(parse_stencil(bad)); });
    EXPECT_NE(error.find(bad), std::string::npos) << error;
    EXPECT_NE(error.find("directional/"), std::string::npos) << error;
  }
  EXPECT_NE(error_of([] { static_cast<void>(parse_stencil("xyz-r9")); }).find("directional/xyz-r"),
            std::string::npos);
}

TEST(Stencils, FlopsAndHalos) {
  // R = 4: 4 additions, 4 multiplications and 3 additions an axis, the centre's two.
  EXPECT_EQ(flops({Directions::x, 4}), 13);
  EXPECT_EQ(flops({Directions::xy, 4}), 2 * 11 + 1 + 2);
  EXPECT_EQ(flops({Directions::xyz, 4}), 3 * 11 + 2 + 2);
  EXPECT_EQ(flops({Directions::xyz, 1}), 3 * 2 + 2 + 2);
  for (const int radius : {1, 2, 3, 4}) EXPECT_EQ(halo_width(radius), 4);
  for (const int radius : {6, 8}) EXPECT_EQ(halo_width(radius), 8);
}

TEST(Reference, QuadraticHasTheDerivativesOfItsAxes) {
  // u = 3 x^2 + 5 y^2 + 7 z^2 at spacings 1, 2 and 4, in cells: 6, 10/4 and 14/16.
  const double expected[] = {6, 2.5, 0.875};
  for (const Directions d : kDirections) {
    for (const int radius : kRadii) {
      const double h[3] = {1, 2, 4};
      ReferenceCubes<double> cubes({2, 3, 4}, {d, radius}, h);
      test::for_cells(test::grown({0, 2, 0, 3, 0, 4}, radius), [&](int z, int y, int x) {
        cubes.in[cubes.index(z, y, x)] = 3.0 * x * x + 5.0 * y * y + 7.0 * z * z;
      });
      reference_pass(cubes);
      double wanted = 0;
      if (has(d, Directions::x)) wanted += expected[0];
      if (has(d, Directions::y)) wanted += expected[1];
      if (has(d, Directions::z)) wanted += expected[2];
      const std::size_t i = cubes.index(1, 2, 3);
      EXPECT_NEAR(cubes.out[i], wanted, 1e-15 * cubes.terms[i]) << stencil_name({d, radius});
      EXPECT_GT(cubes.terms[i], wanted);
    }
  }
}

template <int V, int R>
void check_row() {
  alignas(16) float cells[32];
  for (int i = 0; i < 32; ++i) cells[i] = static_cast<float>(i);
  const RowAround<float, V, R> row(cells + 12);
  static_for<2 * R + 1>([&](auto j) {
    const Pack<float, V> values = row(Constant<j - R>{});
    for (int v = 0; v < V; ++v) EXPECT_EQ(lane(values, v), 12 + j - R + v) << V << " " << R;
  });
}

TEST(RowAround, HoldsTheNeighboursOfAVectorForAnyRadius) {
  EXPECT_EQ((kSide<4, 4>), 4);
  EXPECT_EQ((kSide<1, 4>), 4);
  EXPECT_EQ((kSide<6, 4>), 8);
  EXPECT_EQ((kSide<3, 2>), 4);
  EXPECT_EQ((kSide<3, 1>), 3);
  check_row<1, 3>();
  check_row<2, 3>();
  check_row<4, 1>();
  check_row<4, 4>();
  check_row<4, 6>();
}

TEST(StoreVector, WritesNoCellPastTheCount) {
  for (int count = -1; count <= 5; ++count) {
    alignas(16) float cells[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    const Vec<float, 4> value{{0, 1, 2, 3}};
    store_vector<4, true>(cells, value, count);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(cells[i], i < std::min(count, 4) ? static_cast<float>(i) : 9) << count;
    }
  }
}

TEST(BalancedStream, FillsTheLastRound) {
  // 128 columns on 264 places: two parts of 256 planes are one round.
  EXPECT_EQ(balanced_stream(512, 128, 264, 10), 256);
  // As many columns as places: cutting only adds rounds, but no stream is longer than 256.
  EXPECT_EQ(balanced_stream(200, 264, 264, 10), 200);
  EXPECT_EQ(balanced_stream(512, 264, 264, 10), 256);
  // 504 columns: 8 rounds of 250 + 10 planes, 10 of 200 + 10, 12 of 167 + 10 ...
  EXPECT_EQ(balanced_stream(1000, 504, 264, 10), 250);
  // 300 columns: 5 rounds of 250 + 10 planes, 6 of 200 + 10, 7 of 167 + 10, 8 of 143 + 10, 10 ...
  EXPECT_EQ(balanced_stream(1000, 300, 264, 10), 143);
  // Never shorter than its overlap is worth, never empty.
  EXPECT_EQ(balanced_stream(7, 1, 1000, 10), 7);
  EXPECT_EQ(balanced_stream(1, 1, 1000, 10), 1);
}

TEST(Divisor, DividesAsTheOperatorDoes) {
  const int largest = std::numeric_limits<int>::max();
  for (const int d : {1, 2, 3, 5, 7, 8, 63, 64, 65, 1000, 46341, 1 << 30, largest - 1, largest}) {
    const Divisor by(d);
    for (int n = 0; n < 3000; ++n) ASSERT_EQ(by.quotient(n), n / d) << n << " / " << d;
    for (int k = 1; k < 200; ++k) {
      // Around multiples of d, where a rounding would show, and near the end of the range.
      const auto multiple = static_cast<std::int64_t>(d) * (k * k);
      for (std::int64_t n = multiple - 1; n <= multiple + 1; ++n) {
        if (n > largest) continue;
        ASSERT_EQ(by.quotient(static_cast<int>(n)), n / d) << n << " / " << d;
      }
      ASSERT_EQ(by.quotient(largest - k), (largest - k) / d) << d;
    }
    int rest = -1;
    ASSERT_EQ(by.quotient(largest, rest), largest / d) << d;
    ASSERT_EQ(rest, largest % d) << d;
  }
}

TEST(UnalignedRows, ArePackedButKeepVectorsAligned) {
  for (const int nx : {1, 5, 504, 512}) {
    for (const int halo : {4, 8}) {
      const Field<float> field("field", {3, 2, nx}, halo, 0, RowAlignment::vector);
      const FieldLayout& layout = field.layout();
      EXPECT_EQ(layout.pitch, (nx + 2 * halo + 3) / 4 * 4);
      for (int z = -halo; z < 3 + halo; ++z) {
        for (int y = -halo; y < 2 + halo; ++y) {
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(field.ref().at(z, y, 0)) % kVectorBytes, 0U);
          EXPECT_GE(field.index(z, y, -halo), 0);
          EXPECT_LT(field.index(z, y, nx + halo - 1) + 3, layout.count);
        }
      }
    }
  }
  // 512 floats and halos of 4: a row is 16.25 lines, so that only every fourth starts on one.
  const Field<float> field("field", {1, 8, 512}, 4, 0, RowAlignment::vector);
  int on_a_line = 0;
  for (int y = 0; y < 8; ++y) {
    on_a_line += reinterpret_cast<std::uintptr_t>(field.ref().at(0, y, 0)) % kLineBytes == 0;
  }
  EXPECT_LE(on_a_line, 2);
}

TEST(AlignedRows, BeginOnTwoLinesWhereAskedFor) {
  for (const int nx : {1, 5, 512}) {
    const Field<float> field("field", {3, 3, nx}, 8, 0, RowAlignment::lines);
    EXPECT_EQ(field.layout().pitch, (nx + 16 + 63) / 64 * 64);
    for (int y = -8; y < 11; ++y) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(field.ref().at(1, y, 0)) % (2 * kLineBytes), 0U);
    }
    EXPECT_LT(field.index(10, 10, nx + 7), field.layout().count);
  }
}

}  // namespace
}  // namespace tessera::directional
