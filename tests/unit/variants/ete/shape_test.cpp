// SPDX-License-Identifier: Apache-2.0
// Shapes and rows of the ete stencils, and the tables that a device gets.
#include "variants/ete/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "base/support/files.hpp"
#include "fixtures/scratch_directory.hpp"
#include "variants/ete/case/coefficients.hpp"

namespace tessera::ete {
namespace {

template <class ShapeType>
std::set<std::tuple<int, int, int>> points_of_shape() {
  std::set<std::tuple<int, int, int>> points;
  for (const Point& p : ShapeType::kList.point) points.insert({p.z, p.y, p.x});
  return points;
}

TEST(EteShape, HasTheSeedsPoints) {
  // 37 points: 25 on the axes and 12 off; 73: 25 and 48 (Fang I, II).
  EXPECT_EQ(points_of_shape<Shape<37>>().size(), 37U);
  EXPECT_EQ(points_of_shape<Shape<73>>().size(), 73U);
  const auto points = points_of_shape<Shape<73>>();
  int layer = 0;
  std::set<std::tuple<int, int>> columns;
  for (const auto& [z, y, x] : points) {
    layer += z == 0;
    if (z != 0) columns.insert({y, x});
    EXPECT_TRUE(points.count({-z, y, x}) && points.count({z, x, y}) && points.count({x, y, z}));
  }
  EXPECT_EQ(layer, 33) << "33 points of the current layer (V.B)";
  EXPECT_EQ(columns.size(), 17U) << "17 columns leave the plane (V.A)";
}

TEST(EteShape, RowsAreTheSeedsSymmetryClasses) {
  EXPECT_EQ((Shape<37>::kClasses), 11);
  EXPECT_EQ((Shape<73>::kClasses), 17);
  EXPECT_EQ((Shape<37, Rows::isotropic>::kClasses), 6);
  EXPECT_EQ((Shape<73, Rows::isotropic>::kClasses), 9);
  EXPECT_EQ((Shape<37, Rows::full>::kClasses), 37);
  EXPECT_EQ((Shape<73, Rows::full>::kClasses), 73);
  // "Over 122 KB for double precision": 17 rows of 902 velocities.
  EXPECT_EQ(Shape<73>::kClasses * 902 * 8, 122672);
  const auto sum_of_points = [](auto shape) {
    int sum = 0;
    for (int row = 0; row < decltype(shape)::kRows; ++row) sum += decltype(shape)::points_of(row);
    return sum;
  };
  EXPECT_EQ(sum_of_points(Shape<37>{}), 37);
  EXPECT_EQ(sum_of_points(Shape<73>{}), 73);
  EXPECT_EQ(sum_of_points(Shape<37, Rows::isotropic>{}), 37);
  EXPECT_EQ(sum_of_points(Shape<73, Rows::full>{}), 73);
  EXPECT_EQ(Shape<73>::points_of(Shape<73>::axis_row(2)), 4);
  EXPECT_EQ(Shape<73>::points_of(Shape<73>::z_row(2)), 2);
  EXPECT_EQ(Shape<73>::points_of(Shape<73>::diagonal_row(3)), 4);
  EXPECT_EQ(Shape<73>::points_of(Shape<73>::z_diagonal_row(3)), 8);
  EXPECT_EQ(Shape<37>::points_of(Shape<37>::kCentreRow), 1);
}

TEST(EteShape, ColumnsStartInAllBankGroups) {
  // Whole pieces of 16 bytes, an odd number of them: 8 neighbouring columns start in 8 groups.
  for (const int rows : {6, 9, 11, 12, 17, 37, 73}) {
    const int in_float = padded_rows<float>(rows);
    const int in_double = padded_rows<double>(rows);
    EXPECT_GE(in_float, rows);
    EXPECT_EQ(in_float % 4, 0);
    EXPECT_EQ(in_float / 4 % 2, 1);
    EXPECT_GE(in_double, rows);
    EXPECT_EQ(in_double % 2, 0);
    EXPECT_EQ(in_double / 2 % 2, 1);
  }
  EXPECT_EQ(padded_rows<float>(17), 20);
  EXPECT_EQ(padded_rows<float>(12), 12);
  EXPECT_EQ(padded_rows<double>(17), 18);
}

TEST(EteShape, ClassSumsAddTheirPoints) {
  const auto at = [](auto z, auto y, auto x) { return 100.0 * z * z + 10.0 * y * y + x * x; };
  using S = Shape<73>;
  EXPECT_EQ((class_sum<S, S::axis_row(3)>(at)), 2 * 90 + 2 * 9);
  EXPECT_EQ((class_sum<S, S::z_row(2)>(at)), 2 * 400);
  EXPECT_EQ((class_sum<S, S::diagonal_row(2)>(at)), 4 * 44);
  EXPECT_EQ((class_sum<S, S::z_diagonal_row(1)>(at)), 4 * 101 + 4 * 110);
}

TEST(EteTable, RoundedColumnsNeverAmplifyAConstantField) {
  for (const int points : {37, 73}) {
    const CoefficientTable table = random_table(points, 200, false, 3);
    const auto values = rounded<float>(table);
    with_shape(points, [&](auto shape) {
      using S = decltype(shape);
      for (int v = 0; v < table.columns(); ++v) {
        double sum = 0;
        for (int row = 0; row < S::kRows; ++row) {
          sum += S::points_of(row) * static_cast<double>(values[v * S::kRows + row]);
        }
        EXPECT_LE(sum, 1.0);
        EXPECT_GT(sum, 1.0 - 2e-7);
      }
    });
  }
}

TEST(EteTable, IsSavedAndLoaded) {
  const test::ScratchDirectory folder;
  const auto path = folder / "table.json";
  const CoefficientTable table = random_table(37, 5, false, 4);
  save_table(table, path);
  const CoefficientTable loaded = parse_table(read_table(path), path.string());
  EXPECT_EQ(loaded.points, 37);
  EXPECT_EQ(loaded.alpha, table.alpha);
  EXPECT_EQ(loaded.values, table.values) << "every bit";
  EXPECT_EQ(loaded.z_spacing, table.z_spacing);
  EXPECT_FALSE(loaded.isotropic());
  EXPECT_TRUE(random_table(73, 5, true, 4).isotropic());
}

TEST(EteTable, BadFilesAreNamed) {
  const test::ScratchDirectory folder;
  const auto path = folder / "table.json";
  const auto load = [&] { static_cast<void>(parse_table(read_table(path), path.string())); };
  EXPECT_TRUE(test::has(test::error_of(load), "table.json"));
  test::write_text(path.string(), "{\"schema\": \"other\"}");
  EXPECT_TRUE(test::has(test::error_of(load), "schema"));
  test::write_text(path.string(), "[1, 2");
  EXPECT_TRUE(test::has(test::error_of(load), "not JSON"));
  test::write_text(path.string(),
                   "{\"schema\": \"tessera-ete-table-1\", \"points\": 37, \"z_spacing\": 1,"
                   " \"alpha\": [0.1], \"columns\": [[1, 2]]}");
  EXPECT_TRUE(test::has(test::error_of(load), "rows"));
}

TEST(EteTable, NumbersThatNoFitHasAreRefused) {
  const test::ScratchDirectory folder;
  const auto path = folder / "table.json";
  const auto refused = [&](const std::vector<double>& alpha, double z_spacing) {
    CoefficientTable table = random_table(37, static_cast<int>(alpha.size()), false, 4);
    table.alpha = alpha;
    table.z_spacing = z_spacing;
    save_table(table, path);
    return test::error_of([&] { static_cast<void>(parse_table(read_table(path), path.string())); });
  };
  EXPECT_EQ(refused({0.1, 0.1, 0.4}, 1.5), "");
  EXPECT_TRUE(test::has(refused({0.1, -0.2}, 1), "alpha = -0.2 of column 1"));
  EXPECT_TRUE(test::has(refused({0, 0.2}, 1), "alpha = 0 of column 0"));
  EXPECT_TRUE(test::has(refused({0.2, 0.1}, 1), "alpha falls from 0.2 to 0.1 at column 1"));
  EXPECT_TRUE(test::has(refused({0.1, 0.2}, 0), "z_spacing = 0"));
  EXPECT_TRUE(test::has(refused({0.1, 0.2}, -1), "z_spacing = -1"));
}

}  // namespace
}  // namespace tessera::ete
