// SPDX-License-Identifier: Apache-2.0
// Rows of result files planned again by name.
#include "program/predict/stored_rows.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(StoredRows, RegionsOfARow) {
  results::Result row;
  row.family = "acoustic";
  row.nx = row.ny = row.nz = 100;
  row.details = "pml_cells=10";
  row.decomposition = "seven";
  const std::vector<Region> regions = regions_of(row);
  ASSERT_EQ(regions.size(), 7U);
  EXPECT_EQ(regions.front().box.cells(), 80LL * 80 * 80);
  row.details = "pml_cells=10 storage=block16";  // regions begin and end with blocks of 32 cells
  EXPECT_EQ(regions_of(row).front().box.x0 % 32, 0);
  row.family = "low_order";
  row.decomposition = "";
  EXPECT_EQ(regions_of(row).front().box.cells(), 100LL * 100 * 100);
}

TEST(StoredRows, FieldsOfARow) {
  results::Result row;
  row.family = "acoustic";
  row.stencil = "acoustic/iso25";
  row.precision = "float";
  row.details = "pml_cells=10 layers=convolutional vp_storage=linear storage=half_difference";
  Problem problem = problem_of(row);
  EXPECT_EQ(problem.storage, Storage::half_difference);
  EXPECT_EQ(problem.vp_beside, VpStorage::field);
  EXPECT_TRUE(problem.convolutional_layers);
  row.details = "pml_cells=10 vp_storage=linear";
  problem = problem_of(row);
  EXPECT_EQ(problem.storage, Storage::plain);
  EXPECT_EQ(problem.vp_beside, VpStorage::linear);
  EXPECT_FALSE(problem.convolutional_layers);
}

}  // namespace
}  // namespace tessera
