// SPDX-License-Identifier: Apache-2.0
// What scales of axes say by their names and attributes, whatever program wrote them.
#include "program/seismic/hdf5_axes.hpp"

#include <gtest/gtest.h>

#if TESSERA_HAVE_HDF5

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/hdf5_model.hpp"

namespace tessera::io {
namespace {

class Hdf5Axes : public test::Hdf5Model {
 protected:
  using Texts = std::map<std::string, std::string>;

  /// The model with a scale of an axis: a dataset `name`, which HDF5 keeps the name `kept` of.
  void write_scale(unsigned axis, const std::string& name, const std::string& kept,
                   const Texts& attributes = {}, std::vector<double> places = {}) const {
    write([&](hid_t file) {
      const hsize_t count = kShape[axis];
      for (hsize_t i = places.size(); i < count; ++i)
        places.push_back(10.0 * static_cast<double>(i));
      H5LTmake_dataset_double(file, name.c_str(), 1, &count, places.data());
      for (const auto& [key, text] : attributes)
        H5LTset_attribute_string(file, name.c_str(), key.c_str(), text.c_str());
      const hid_t data = H5Dopen2(file, "m", H5P_DEFAULT);
      const hid_t scale = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
      H5DSset_scale(scale, kept.empty() ? nullptr : kept.c_str());
      H5DSattach_scale(data, scale, axis);
      H5Dclose(scale);
      H5Dclose(data);
    });
  }
  void say(const char* name, const std::string& value) const {
    write([&](hid_t file) { H5LTset_attribute_string(file, "m", name, value.c_str()); });
  }
};

TEST_F(Hdf5Axes, AreNamedByScalesInAnyOfTheirWays) {
  // As h5py names none, as netCDF names dimensions, and by CF's attributes.
  const std::string netcdf = "This is a netCDF dimension but not a netCDF variable.         4";
  for (const char* name : {"x", "X_m", "lon", "easting", "inline", "xline"}) {
    for (const std::string& kept : {std::string(), netcdf}) {
      write_scale(0, name, kept);
      expect_refused({"its axis 1 has the scale", name, "wanted is z", "[z][y][x]", "transpose"});
    }
  }
  write_scale(0, "q", "", {{"axis", "X"}});
  expect_refused({"its axis 1 has a scale of axis \"X\""});
  write_scale(2, "q", "", {{"standard_name", "projection_y_coordinate"}});
  expect_refused({"its axis 3 has a scale of standard_name", "wanted is x"});
  write_scale(2, "q", "", {{"long_name", "depth below the sea"}});
  expect_refused({"its axis 3 has a scale of long_name", "wanted is x"});
  for (const char* name : {"sample", "dep", "elevation", "lat"}) {
    write_scale(2, name, "");
    expect_refused({"its axis 3 has the scale", name, "wanted is x"});
  }
}

TEST_F(Hdf5Axes, NamesThatSayNothingOrTheOrderAreTaken) {
  for (const char* name :
       {"z", "depth", "z_axis", "sample", "q", "phony_dim_0", "nz", "of x or y"}) {
    write_scale(0, name, "");
    EXPECT_EQ(read(), "") << name;
  }
  for (const char* name : {"x", "lon", "easting", "iline", "crossline", "n1"}) {
    write_scale(2, name, "", {{"axis", "X"}, {"standard_name", "projection_x_coordinate"}});
    EXPECT_EQ(read(), "") << name;
  }
}

TEST_F(Hdf5Axes, TheLowestSampleIsToldByAnyName) {
  write_scale(0, "elevation", "");
  expect_refused({"goes from 0 to 30 m", "its first sample is the lowest one"});
  write_scale(0, "q", "", {{"long_name", "height above datum"}});
  expect_refused({"goes from 0 to 30 m", "its first sample is the lowest one"});
}

TEST_F(Hdf5Axes, TimesAndUnitsOfNoLengthAreRefused) {
  for (const char* name : {"time", "twt", "two-way time"}) {
    write_scale(0, name, "");
    expect_refused({name, "which is a time"});
  }
  for (const char* unit : {"ms", "s", "degrees_east", "1", "m/s"}) {
    write_scale(1, "q", "", {{"units", unit}}, {0, 0.01, 0.02});
    expect_refused({"its scale of y is in", unit, "none of m, km"});
  }
}

TEST_F(Hdf5Axes, LengthsAreConverted) {
  HeaderChecks checks;
  checks.dy = 10.0;
  const std::vector<std::pair<const char*, double>> units = {{"m", 1},
                                                             {"metres", 1},
                                                             {"Meter", 1},
                                                             {"km", 1000},
                                                             {"kilometers", 1000},
                                                             {"cm", 0.01},
                                                             {"centimetres", 0.01},
                                                             {"mm", 0.001},
                                                             {"millimeter", 0.001},
                                                             {"ft", 0.3048},
                                                             {"feet", 0.3048},
                                                             {"kft", 304.8},
                                                             {"US_survey_foot", 1200.0 / 3937.0}};
  for (const auto& [unit, metres] : units) {
    const double step = 10.0 / metres;
    write_scale(1, "q", "", {{"units", unit}}, {0, step, 2 * step});
    EXPECT_EQ(read(checks), "") << unit;
    write_scale(1, "q", "", {{"units", unit}}, {0, 2 * step, 4 * step});
    expect_refused({"says 20 m between samples"}, checks);
  }
}

TEST_F(Hdf5Axes, ATopElsewhereThanAtZeroIsSaid) {
  const auto warning = [&](std::vector<double> places) {
    write_scale(0, "z", "", {}, std::move(places));
    testing::internal::CaptureStderr();
    EXPECT_EQ(read(), "");
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_TRUE(test::has(warning({500, 510, 520, 530}), "its scale of z begins at 500 m"));
  EXPECT_TRUE(test::has(warning({-20, -10, 0, 10}), "begins at -20 m"));
  EXPECT_EQ(warning({5, 15, 25, 35}), "") << "centres of cells";
  EXPECT_EQ(warning({500, 490, 480, 470}), "") << "elevations";
}

TEST_F(Hdf5Axes, AttributesOfAnotherTypeAreNamed) {
  for (const char* name : {"scale_factor", "add_offset"}) {
    say(name, "2");
    expect_refused({"its attribute", name, "is not one number"});
  }
  for (const char* name :
       {"_FillValue", "missing_value", "valid_min", "valid_max", "valid_range"}) {
    say(name, "2000");
    expect_refused({"its attribute", name, "is not a list of up to 64 numbers"});
  }
  write([](hid_t file) {
    const double two[] = {1, 2};
    H5LTset_attribute_double(file, "m", "scale_factor", two, 2);
  });
  expect_refused({"its attribute scale_factor is not one number"});
  write([](hid_t file) {
    const int seven = 7;
    H5LTset_attribute_int(file, "m", "units", &seven, 1);
  });
  expect_refused({"its attribute units is not one text"});
  say("UNIT", "km/s");
  expect_refused({"its attribute UNIT says km/s"});
}

TEST_F(Hdf5Axes, NamesOfAnotherTypeAreForOtherPrograms) {
  write_scale(0, "q", "");
  const hid_t file = H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const int first = 0;
  H5LTset_attribute_int(file, "q", "axis", &first, 1);
  H5Fclose(file);
  EXPECT_EQ(read(), "");
}

}  // namespace
}  // namespace tessera::io

#endif
