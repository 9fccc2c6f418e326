// SPDX-License-Identifier: Apache-2.0
// HDF5 models: the documented form by its values, and one refusal for each way to leave it.
#include <gtest/gtest.h>

#if TESSERA_HAVE_HDF5

#include <fstream>
#include <string>
#include <vector>

#include "fixtures/hdf5_model.hpp"
#include "program/seismic/velocity_model.hpp"

namespace tessera::io::hdf5_model_test {
namespace {

using test::has;

class Hdf5Models : public test::Hdf5Model {
 protected:
  void say(const char* name, const std::string& text) const {
    write([&](hid_t file) { H5LTset_attribute_string(file, "m", name, text.c_str()); });
  }
  /// The model with a scale `name` of an axis, in `unit` where that is no empty text.
  void write_scale(unsigned axis, const char* name, std::vector<double> places,
                   const std::string& unit = "m", const char* more = nullptr,
                   const char* value = "down") const {
    write([&](hid_t file) {
      const hsize_t count = places.size();
      H5LTmake_dataset_double(file, name, 1, &count, places.data());
      if (!unit.empty()) H5LTset_attribute_string(file, name, "units", unit.c_str());
      if (more != nullptr) H5LTset_attribute_string(file, name, more, value);
      const hid_t data = H5Dopen2(file, "m", H5P_DEFAULT);
      const hid_t scale = H5Dopen2(file, name, H5P_DEFAULT);
      H5DSset_scale(scale, name);
      H5DSattach_scale(data, scale, axis);
      H5Dclose(scale);
      H5Dclose(data);
    });
  }
};

TEST_F(Hdf5Models, TheDocumentedFormIsRead) {
  // x fastest, then y; two or three axes; whole numbers too.
  const hid_t file = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  std::vector<int> values(kNz * kNy * kNx);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1000 + static_cast<int>(i);
  H5LTmake_dataset_int(file, "m", 3, kShape, values.data());
  H5LTset_attribute_string(file, "m", "units", "m/s");
  const hid_t data = H5Dopen2(file, "m", H5P_DEFAULT);
  for (unsigned axis = 0; axis < 3; ++axis) {
    const char* const name[] = {"z", "y", "x"};
    std::vector<double> places;
    for (hsize_t i = 0; i < kShape[axis]; ++i) {
      places.push_back(-50 + (axis == 2 ? 20.0 : 10.0) * static_cast<double>(i));
    }
    H5LTmake_dataset_double(file, name[axis], 1, &kShape[axis], places.data());
    H5LTset_attribute_string(file, name[axis], "units", "m");
    const hid_t scale = H5Dopen2(file, name[axis], H5P_DEFAULT);
    H5DSset_scale(scale, name[axis]);
    H5DSattach_scale(data, scale, axis);
    H5DSset_label(data, axis, name[axis]);
    H5Dclose(scale);
  }
  H5Dclose(data);
  const hsize_t flat[] = {2, 3};
  const float squared[] = {0.25F, 0.25F, 0.0625F, 1, 1, 0.25F};
  H5LTmake_dataset_float(file, "flat", 2, flat, squared);
  H5LTset_attribute_string(file, "flat", "units", "s2/km2");
  H5Fclose(file);
  const auto load = [&](const std::string& keys, const ModelGrid& grid) {
    const Deck deck = Deck::from_string(
        "[model]\nkind = 'hdf5'\nfile = '" + path().string() + "'\n" + keys, "deck");
    return load_model(deck, grid);
  };
  const VelocityModel all = load("", {kNx, kNy, kNz, 20.0, 10.0, 10.0, 0});
  EXPECT_EQ(all.at(0, 0, 0), 1000);
  EXPECT_EQ(all.at(3, 2, 4), 1000 + 3 * 15 + 2 * 5 + 4);
  // From the file's second sample along x on, between the samples.
  const VelocityModel part =
      load("dx = 20\nx0 = 20\ny0 = 10\nz0 = 5", {3, 2, 2, 10.0, 10.0, 10.0, 0});
  EXPECT_FLOAT_EQ(part.at(0, 0, 1), 1000 + 7.5F + 5 + 1.5F);
  const std::string slowness = "dataset = 'flat'\nquantity = 'squared_slowness_s2_km2'\n";
  const VelocityModel section = load(slowness + "extrude_y = true", {3, 4, 2, 10.0, 10.0, 10.0, 0});
  EXPECT_EQ(section.at(0, 3, 2), 4000);
  EXPECT_EQ(section.at(1, 0, 2), 2000);
}

TEST_F(Hdf5Models, UnitsMustBeThoseOfTheQuantity) {
  say("units", "km/s");
  EXPECT_EQ(read({.quantity = "velocity_km_s"}), "");
  expect_refused({"units is km/s, expected m/s", "model.quantity = \"velocity_m_s\""});
  say("units", "s2/km2");
  EXPECT_EQ(read({.quantity = "squared_slowness_s2_km2"}), "");
  say("units", "ft/s");
  expect_refused({"units is ft/s", "tools/convert_model.py"});
}

TEST_F(Hdf5Models, OtherAttributesAreRefused) {
  for (const char* name : {"_FillValue", "missing_value", "scale_factor", "valid_range", "positive",
                           "coordinates", "Units"}) {
    say(name, "1");
    expect_refused({"its attribute", name, "tools/convert_model.py"});
  }
  write_scale(0, "z", {0, 10, 20, 30}, "m", "positive");
  EXPECT_EQ(read({}), "");
  write_scale(0, "z", {0, 10, 20, 30}, "m", "positive", "up");
  expect_refused({"scale \"z\"", "its attribute positive", "tools/convert_model.py"});
  write_scale(0, "z", {0, 10, 20, 30}, "m", "formula_terms");
  expect_refused({"scale \"z\"", "its attribute formula_terms", "tools/convert_model.py"});
}

TEST_F(Hdf5Models, AxesMustBeThoseOfTheForm) {
  write_scale(0, "z", {500, 510, 520, 530}, "");
  EXPECT_EQ(read({.dz = 10.0}), "");
  expect_refused({"scale of z says 10 m", "the grid) 20 m", "set model.dz"}, {.dz = 20.0});
  write_scale(0, "x", {0, 10, 20, 30});
  expect_refused({"its axis 1 is called \"x\", expected z", "tools/convert_model.py"});
  write_scale(0, "elevation", {0, 10, 20, 30});
  expect_refused({"its axis 1 is called \"elevation\"", "tools/convert_model.py"});
  write_scale(1, "y", {0, 10, 20}, "km");
  expect_refused({"units is km, expected m", "tools/convert_model.py"});
  for (const std::vector<double>& places : {std::vector<double>{0, 10, 25}, {20, 10, 0}}) {
    write_scale(1, "y", places);
    expect_refused({"scale of y does not rise evenly", "tools/convert_model.py"});
  }
  write([](hid_t file) {
    const hid_t data = H5Dopen2(file, "m", H5P_DEFAULT);
    H5DSset_label(data, 2, "y");
    H5Dclose(data);
  });
  expect_refused({"its axis 3 is called \"y\", expected x", "tools/convert_model.py"});
}

TEST_F(Hdf5Models, ValuesElsewhereOrNowhereAreRefused) {
  const hid_t space = H5Screate_simple(3, kShape, nullptr);
  const auto made = [&](const auto& how) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    EXPECT_GE(how(creation), 0);
    create(space, creation, [](hid_t) {});
    H5Pclose(creation);
  };
  const float fill = 1500;
  made([&](hid_t list) { return H5Pset_fill_value(list, H5T_NATIVE_FLOAT, &fill); });
  EXPECT_TRUE(has(read(), "a fill value")) << read();
  const std::string elsewhere = "its values lie in other files";
  write_file(folder_ / "part.h5", "v");
  made([&](hid_t list) { return H5Pset_virtual(list, space, "part.h5", "v", space); });
  EXPECT_TRUE(has(read({.headers = false}), elsewhere)) << read();
  const std::string raw = folder_ / "values.raw";
  made([&](hid_t list) { return H5Pset_external(list, raw.c_str(), 0, 4 * kNz * kNy * kNx); });
  EXPECT_TRUE(has(read({.headers = false}), elsewhere)) << read();
  const hid_t file = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("part.h5", "/v", file, "m", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  EXPECT_TRUE(has(read({.headers = false}), elsewhere)) << read();
  H5Sclose(space);
}

TEST_F(Hdf5Models, AMissingFilterIsNamed) {
  constexpr H5Z_filter_t kFilter = 300;  // of the range for tests
  const H5Z_class2_t filter = {H5Z_CLASS_T_VERS,
                               kFilter,
                               1,
                               1,
                               "tessera-test",
                               nullptr,
                               nullptr,
                               [](unsigned, std::size_t, const unsigned*, std::size_t bytes,
                                  std::size_t*, void**) { return bytes; }};
  ASSERT_GE(H5Zregister(&filter), 0);
  const hid_t space = H5Screate_simple(3, kShape, nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 3, kShape);
  H5Pset_filter(creation, kFilter, H5Z_FLAG_MANDATORY, 0, nullptr);
  create(space, creation, [](hid_t data) {
    const std::vector<float> values(kNz * kNy * kNx, 2000.0F);
    EXPECT_GE(H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  });
  H5Pclose(creation);
  H5Sclose(space);
  EXPECT_EQ(read(), "");
  ASSERT_GE(H5Zunregister(kFilter), 0);
  EXPECT_TRUE(has(read(), "which this HDF5 lacks")) << read();
}

TEST_F(Hdf5Models, FilesThatAreOpenOrDamagedAreNamed) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t file = H5Fcreate((folder_ / "open.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const std::vector<float> values(kNz * kNy * kNx, 2000.0F);
  H5LTmake_dataset_float(file, "m", 3, kShape, values.data());
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  std::filesystem::copy_file(folder_ / "open.h5", path());
  H5Fclose(file);
  H5Pclose(access);
  EXPECT_TRUE(has(read(), "its writer did not close it")) << read();
  std::fstream bytes(folder_ / "open.h5", std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(44);  // the checksum of the superblock
  bytes.put('?');
  bytes.close();
  std::filesystem::rename(folder_ / "open.h5", path());
  EXPECT_TRUE(has(read(), "it is damaged: a checksum")) << read();
}

}  // namespace
}  // namespace tessera::io::hdf5_model_test

#endif
