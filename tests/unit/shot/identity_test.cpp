// SPDX-License-Identifier: Apache-2.0
#include "program/shot/identity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "fixtures/cells.hpp"

namespace tessera::shot {
namespace {

/// Velocities that tell their place in a grid of 6 x 5 x 4 cells, of a box of it.
io::VelocityModel model_of(const io::CellBox& box) {
  io::VelocityModel model{box.nx(), box.ny(), box.nz(), 10, 10, 10, {}, {}, box.z0, box.y0, box.x0};
  test::for_cells(box, [&](auto z, auto y, auto x) {
    model.v.push_back(static_cast<float>(1500 + 100 * z + 10 * y + x));
  });
  return model;
}

const Extents kGrid{4, 5, 6};

TEST(ModelHash, PartsAddUpInAnyOrder) {
  const std::uint64_t whole = hash_of(model_of({0, 4, 0, 5, 0, 6}), kGrid);
  std::uint64_t sum = 0;
  for (const io::CellBox& box : {io::CellBox{2, 4, 0, 5, 0, 6}, io::CellBox{0, 2, 0, 5, 4, 6},
                                 io::CellBox{0, 2, 3, 5, 0, 4}, io::CellBox{0, 2, 0, 3, 0, 4}}) {
    sum += hash_of(model_of(box), kGrid);
  }
  EXPECT_EQ(sum, whole);
}

TEST(ModelHash, TellsModelsApart) {
  const io::VelocityModel model = model_of({0, 4, 0, 5, 0, 6});
  const std::uint64_t whole = hash_of(model, kGrid);
  io::VelocityModel swapped = model;
  std::swap(swapped.v[3], swapped.v[77]);
  EXPECT_NE(hash_of(swapped, kGrid), whole);
  io::VelocityModel changed = model;
  changed.v[40] = std::nextafter(changed.v[40], 9999.0F);
  EXPECT_NE(hash_of(changed, kGrid), whole);
}

}  // namespace
}  // namespace tessera::shot
