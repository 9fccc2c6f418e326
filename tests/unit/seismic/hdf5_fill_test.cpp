// SPDX-License-Identifier: Apache-2.0
// Cells of HDF5 models that stand for none are no velocities.
#include "program/seismic/hdf5_fill.hpp"

#include <gtest/gtest.h>

#if TESSERA_HAVE_HDF5

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fixtures/hdf5_model.hpp"

namespace tessera::io {
namespace {

class Hdf5Fill : public test::Hdf5Model {
 protected:
  /// The model with `fill` at z = 1, y = 2, x = 3 and in the whole plane after it, said by the
  /// attribute `name`.
  void write_filled(const char* name, const std::vector<float>& said, float fill) const {
    write([&](hid_t file) {
      std::vector<float> values(kNz * kNy * kNx, 2000.0F);
      const std::size_t plane = kNy * kNx;
      values[plane + 2 * kNx + 3] = fill;
      for (std::size_t i = 2 * plane; i < 3 * plane; ++i) values[i] = fill;
      const hid_t data = H5Dopen2(file, "m", H5P_DEFAULT);
      H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Dclose(data);
      H5LTset_attribute_float(file, "m", name, said.data(), said.size());
    });
  }
  /// The model in chunks of a plane, all planes but the second written; `value`: HDF5's own fill
  /// value, where there is one.
  void write_planes(const float* value) const {
    const hid_t space = H5Screate_simple(3, kShape, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {1, kNy, kNx};
    H5Pset_chunk(creation, 3, chunk);
    if (value != nullptr) H5Pset_fill_value(creation, H5T_NATIVE_FLOAT, value);
    create(space, creation, [&](hid_t data) {
      for (const hsize_t z : {0, 2, 3}) {
        const hsize_t start[] = {z, 0, 0};
        const hid_t in_file = H5Dget_space(data), in_memory = H5Screate_simple(3, chunk, nullptr);
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, chunk, nullptr);
        const std::vector<float> plane(kNy * kNx, 2000.0F);
        H5Dwrite(data, H5T_NATIVE_FLOAT, in_memory, in_file, H5P_DEFAULT, plane.data());
        H5Sclose(in_memory);
        H5Sclose(in_file);
      }
    });
    H5Pclose(creation);
    H5Sclose(space);
  }
};

TEST_F(Hdf5Fill, CellsOfTheAttributesAreCounted) {
  const std::string where = "the first at z = 1, y = 2, x = 3";
  for (const char* name : {"_FillValue", "missing_value"}) {
    const std::string said = std::string("its attribute ") + name;
    write_filled(name, {9.96921e36F}, 9.96921e36F);  // netCDF's own
    expect_refused({"16 of the 60 values", "are 9.96921e+36", said, where});
    write_filled(name, {1500}, 1500);
    expect_refused({"16 of the 60 values", "are 1500", said, where});
    // No quantity takes these: there is no way out to name.
    for (const float none : {-9999.0F, NAN}) {
      write_filled(name, {none}, none);
      EXPECT_TRUE(test::has(read(), "16 of the 60 values")) << read();
      EXPECT_TRUE(test::has(read(), where)) << read();
      EXPECT_EQ(read().find("check_headers"), std::string::npos) << read();
    }
    write_filled(name, {-9999}, 2000.5F);
    EXPECT_EQ(read(), "") << "no cell holds it";
  }
  write_filled("missing_value", {-1, 1500}, 1500);  // any of a list
  expect_refused({"are 1500", where});
}

TEST_F(Hdf5Fill, CellsOutsideTheValidRangeAreCounted) {
  const std::string where = "the first at z = 1, y = 2, x = 3";
  write_filled("valid_range", {1000, 5000}, 9999);
  expect_refused({"16 of the 60 values", "more than 5000, its attribute valid_range", where});
  write_filled("valid_range", {1000, 5000}, 500);
  expect_refused({"16 of the 60 values", "less than 1000, its attribute valid_range", where});
  write_filled("valid_max", {5000}, 9999);
  expect_refused({"more than 5000, its attribute valid_max", where});
  write_filled("valid_min", {1000}, 500);
  expect_refused({"less than 1000, its attribute valid_min", where});
  write_filled("valid_range", {1000, 5000}, 5000);
  EXPECT_EQ(read(), "") << "the ends are valid";
  write_filled("valid_range", {1000}, 1500);
  expect_refused({"its attribute valid_range is no pair of numbers"});
}

TEST_F(Hdf5Fill, CellsThatAreNotWantedDoNotMatter) {
  write_filled("_FillValue", {1500}, 1500);
  const auto plane = [&](std::int64_t z) {
    return test::error_of([&] {
      static_cast<void>(read_hdf5_model(path(), "m", {z, z + 1, 0, 3, 3, 5}, HeaderChecks{}));
    });
  };
  EXPECT_EQ(plane(0), "");
  EXPECT_TRUE(test::has(plane(1), "1 of the 6 values read are 1500"));
  EXPECT_TRUE(test::has(plane(1), "the first at z = 1, y = 2, x = 3"));
  EXPECT_TRUE(test::has(plane(2), "6 of the 6 values"));
  EXPECT_TRUE(test::has(plane(2), "the first at z = 2, y = 0, x = 3"));
}

TEST_F(Hdf5Fill, CellsThatWereNeverWrittenAreCounted) {
  const float water = 1500;
  write_planes(&water);
  expect_refused({"15 of the 60 values", "are 1500", "where nothing was written",
                  "the first at z = 1, y = 0, x = 0"});
  write_planes(nullptr);
  EXPECT_TRUE(test::has(read(), "15 of the 60 values read are 0")) << read();
  EXPECT_TRUE(test::has(read(), "the first at z = 1, y = 0, x = 0")) << read();
}

}  // namespace
}  // namespace tessera::io

#endif
