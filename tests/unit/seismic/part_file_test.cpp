// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/part_file.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "fixtures/cells.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;

constexpr ArrayPlace kPlace{12, 7, 5, 6, 4};  // 7 x 5 x 6 numbers behind 12 bytes
// Parts that are the array together: cut along each axis, and some of whole rows and planes.
const std::vector<CellBox> kParts = {{0, 2, 0, 5, 0, 7},
                                     {2, 6, 0, 3, 0, 7},
                                     {2, 6, 3, 5, 0, 4},
                                     {2, 6, 3, 5, 4, 7},
                                     {6, 6, 0, 5, 0, 7}};

/// Numbers that tell their place, of a box.
std::vector<float> numbers(const CellBox& box) {
  std::vector<float> values;
  test::for_cells(box, [&](auto z, auto y, auto x) {
    values.push_back(static_cast<float>(100 * z + 10 * y + x));
  });
  return values;
}

TEST(PartFile, PartsMakeTheWhole) {
  const test::ScratchDirectory folder;
  const auto path = folder / "array";
  test::write_text(path, std::string(12 + 4 * 7 * 5 * 6 + 3, '#'));
  for (const CellBox& part : kParts) {
    PartFile(path, PartFile::write_only, "no").write(kPlace, part, numbers(part).data());
  }
  const std::string text = test::read_text(path);
  EXPECT_EQ(text.substr(0, 12), std::string(12, '#'));
  EXPECT_EQ(text.substr(12 + 4 * 7 * 5 * 6), "###");
  const CellBox all{0, 6, 0, 5, 0, 7};
  std::vector<float> found(7 * 5 * 6);
  PartFile(path, PartFile::read_only, "no").read(kPlace, all, found.data());
  EXPECT_EQ(found, numbers(all));
  for (const CellBox& part : kParts) {
    found.assign(static_cast<std::size_t>(part.cells()), 0);
    PartFile(path, PartFile::read_only, "no").read(kPlace, part, found.data());
    EXPECT_EQ(found, numbers(part));
  }
}

TEST(PartFile, WhatFailsIsToldInALine) {
  const test::ScratchDirectory folder;
  const auto path = folder / "array";
  const CellBox all{0, 6, 0, 5, 0, 7};
  std::vector<float> values(7 * 5 * 6);
  const auto write = [&] {
    PartFile(path, PartFile::write_only, "it").write(kPlace, all, values.data());
  };
  EXPECT_TRUE(has(error_of(write), "it: No such file"));
  test::write_text(path, std::string(100, '#'));
  EXPECT_TRUE(has(
      error_of([&] { PartFile(path, PartFile::read_only, "it").read(kPlace, all, values.data()); }),
      "it: it ends too early"));
  const test::FileSizeLimit limit(200);
  EXPECT_TRUE(has(error_of(write), "it: File too large"));
}

}  // namespace
}  // namespace tessera::io
