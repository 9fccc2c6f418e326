// SPDX-License-Identifier: Apache-2.0
// What HDF5 models say of their own values: followed, or refused by name.
#include "program/seismic/hdf5_meaning.hpp"

#include <gtest/gtest.h>

#if TESSERA_HAVE_HDF5

#include <string>
#include <vector>

#include "fixtures/hdf5_model.hpp"
#include "program/seismic/velocity_model.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;

class Hdf5Meaning : public test::Hdf5Model {
 protected:
  void say_unit(const char* name, const std::string& unit) const {
    write([&](hid_t file) { H5LTset_attribute_string(file, "m", name, unit.c_str()); });
  }
};

TEST_F(Hdf5Meaning, UnitsMustBeThoseOfTheQuantity) {
  for (const char* unit : {"m/s", "m s-1", "m s^-1", "m.s-1", "m/sec", "M/S", "meters/second",
                           "metres per second", "meter second^-1", "meter s-1", ""}) {
    if (*unit != '\0') say_unit("units", unit);
    if (*unit == '\0') write([](hid_t) {});
    EXPECT_EQ(read(), "") << unit;
  }
  for (const char* name : {"units", "unit", "Units"}) {
    say_unit(name, "km/s");
    expect_refused({name, "says km/s", "model.quantity = \"velocity_km_s\""});
  }
  HeaderChecks km;
  km.quantity = "velocity_km_s";
  for (const char* unit : {"km/s", "km s-1", "kilometres per second"}) {
    say_unit("units", unit);
    EXPECT_EQ(read(km), "") << unit;
  }
  say_unit("units", "m/s");
  expect_refused({"says m/s", "model.quantity is velocity_km_s"}, km);
  HeaderChecks slowness;
  slowness.quantity = "squared_slowness_s2_km2";
  for (const char* unit : {"s^2/km^2", "s**2/km**2", "s2 km-2"}) {
    say_unit("units", unit);
    EXPECT_EQ(read(slowness), "") << unit;
  }
  say_unit("units", "ft/s");
  expect_refused({"says ft/s", "convert it"});
  say_unit("units", "g/cm3");
  expect_refused({"says g/cm3"});
}

TEST_F(Hdf5Meaning, TheDeckPassesOverWhatTheFileSays) {
  say_unit("units", "ft/s");
  const auto load = [&](const std::string& keys) {
    return error_of([&] {
      const Deck deck = Deck::from_string(
          "[model]\nkind = 'hdf5'\nfile = '" + path().string() + "'\n" + keys, "deck");
      (void)load_model(deck, {kNx, kNy, kNz, 10.0, 10.0, 10.0, 0});
      deck.reject_unknown();
    });
  };
  EXPECT_TRUE(has(load(""), "says ft/s"));
  EXPECT_EQ(load("check_headers = false\n"), "");
}

TEST_F(Hdf5Meaning, PackedValuesAreRefused) {
  const auto pack = [&](const char* name, double value) {
    write([&](hid_t file) { H5LTset_attribute_double(file, "m", name, &value, 1); });
  };
  pack("scale_factor", 0.3048);
  expect_refused({"scale_factor = 0.3048", "packed"});
  pack("add_offset", 1500);
  expect_refused({"add_offset = 1500", "packed"});
  pack("scale_factor", 1);
  EXPECT_EQ(read(), "");
  pack("add_offset", 0);
  EXPECT_EQ(read(), "");
}

TEST_F(Hdf5Meaning, LabelsOfAxesMustBeInOrder) {
  const auto label = [&](const std::vector<const char*>& labels) {
    write([&](hid_t file) {
      const hid_t data = H5Dopen2(file, "m", H5P_DEFAULT);
      for (unsigned i = 0; i < labels.size(); ++i) H5DSset_label(data, i, labels[i]);
      H5Dclose(data);
    });
  };
  label({"z", "y", "x"});
  EXPECT_EQ(read(), "");
  label({"Depth (m)", "inline", "X [m]"});
  EXPECT_EQ(read(), "");
  label({"x", "y", "z"});
  expect_refused({"its axis 1 is labelled \"x\"", "wanted is z"});
  label({"z", "X (m)", "Y (m)"});
  expect_refused({"its axis 2 is labelled \"X (m)\"", "wanted is y"});
}

TEST_F(Hdf5Meaning, TheFirstSampleIsTheTopOne) {
  const auto scale = [&](const char* name, const std::vector<double>& places,
                         const std::string& positive = "", const std::string& standard = "") {
    write([&](hid_t file) {
      const hsize_t count = places.size();
      H5LTmake_dataset_double(file, name, 1, &count, places.data());
      if (!positive.empty()) H5LTset_attribute_string(file, name, "positive", positive.c_str());
      if (!standard.empty())
        H5LTset_attribute_string(file, name, "standard_name", standard.c_str());
      const hid_t data = H5Dopen2(file, "m", H5P_DEFAULT);
      const hid_t places_data = H5Dopen2(file, name, H5P_DEFAULT);
      H5DSset_scale(places_data, name);
      H5DSattach_scale(data, places_data, 0);
      H5Dclose(places_data);
      H5Dclose(data);
    });
  };
  const std::vector<double> rising = {0, 10, 20, 30}, falling = {30, 20, 10, 0},
                            deep = {-30, -20, -10, 0}, shallow = {0, -10, -20, -30};
  const std::vector<std::string> words = {"its first sample is the lowest one", "mirror"};
  for (const char* name : {"depth", "Depth (m)"}) {
    scale(name, rising);
    EXPECT_EQ(read(), "") << name;
    scale(name, falling);
    expect_refused({"goes from 30 to 0 m", "it is called", words[0], words[1]});
    scale(name, shallow);  // depths as negative numbers
    EXPECT_EQ(read(), "") << name;
  }
  for (const char* name : {"elevation", "height", "altitude"}) {
    scale(name, falling);
    EXPECT_EQ(read(), "") << name;
    scale(name, shallow);
    EXPECT_EQ(read(), "") << name;
    scale(name, rising);
    expect_refused({"goes from 0 to 30 m", "it is called", words[0]});
  }
  // CF's attribute comes before names.
  scale("z", rising, "down");
  EXPECT_EQ(read(), "");
  scale("z", falling, "up");
  EXPECT_EQ(read(), "");
  scale("depth", shallow, "Up");
  EXPECT_EQ(read(), "");
  scale("depth", shallow, "down");
  expect_refused({"positive is down", words[0]});
  scale("z", falling, "down");
  expect_refused({"positive is down", words[0]});
  scale("z", rising, "up");
  expect_refused({"positive is up", words[0]});
  scale("levels", rising, "", "altitude");
  expect_refused({"it is called \"altitude\"", words[0]});
  // Where nobody tells: numbers that fall are elevations, and so are those up to 0 that rise.
  scale("z", falling);
  EXPECT_EQ(read(), "");
  scale("z", {-10, 0, 10, 20});
  EXPECT_EQ(read(), "");
  scale("z", deep);
  expect_refused({"goes from -30 to 0 m", "heights", words[0]});
}

TEST_F(Hdf5Meaning, ScalesOfAxesMustFitTheDeck) {
  const auto scale = [&](unsigned axis, const std::vector<double>& places,
                         const std::string& unit = "") {
    write([&](hid_t file) {
      const hsize_t count = places.size();
      H5LTmake_dataset_double(file, "places", 1, &count, places.data());
      if (!unit.empty()) H5LTset_attribute_string(file, "places", "units", unit.c_str());
      const hid_t data = H5Dopen2(file, "m", H5P_DEFAULT);
      const hid_t places_data = H5Dopen2(file, "places", H5P_DEFAULT);
      H5DSset_scale(places_data, "places");
      H5DSattach_scale(data, places_data, axis);
      H5Dclose(places_data);
      H5Dclose(data);
    });
  };
  HeaderChecks checks;
  checks.dx = checks.dy = checks.dz = 10.0;
  scale(0, {0, 10, 20, 30});
  EXPECT_EQ(read(checks), "");
  scale(0, {500, 490, 480, 470});  // elevations
  EXPECT_EQ(read(checks), "");
  scale(2, {0, 0.01, 0.02, 0.03, 0.04}, "km");
  EXPECT_EQ(read(checks), "");
  scale(1, {0, 0, 0});  // a netCDF dimension without values
  EXPECT_EQ(read(checks), "");
  scale(0, {0, 25, 50, 75});
  expect_refused({"scale of z says 25 m", "set model.dz"}, checks);
  EXPECT_EQ(read(), "") << "no spacing is known yet";
  scale(1, {100, 112.5, 125});
  expect_refused({"scale of y says 12.5 m", "model.dy"}, checks);
  scale(2, {0, 10, 20, 30, 50});
  expect_refused({"scale of x is uneven"}, checks);
  scale(2, {40, 30, 20, 10, 0});
  expect_refused({"scale of x falls"}, checks);
}

}  // namespace
}  // namespace tessera::io

#endif
