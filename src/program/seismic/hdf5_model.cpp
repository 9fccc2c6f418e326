// SPDX-License-Identifier: Apache-2.0
// Velocity models from HDF5. The documented form is read; a file that says anything else of itself
// is refused, since it would be read by guess:
//   dataset  [z][y][x] or [z][x] of numbers, stored in the file itself
//   units    m/s, km/s or s2/km2, that of model.quantity; may be missing
//   axes     labels z, y, x; a scale each of that name, in m, rising evenly, positive down; may be
//            missing
// and long_name, which is not read.
#include "program/seismic/model_files.hpp"

#include "base/support/error.hpp"
#include "program/seismic/hdf5_handle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

/// How messages about a file of another form end.
constexpr const char* kConvert = "tools/convert_model.py makes the documented form of it";
constexpr const char* kWayOut =
    "tools/convert_model.py makes the documented form of it, model.check_headers = false takes its "
    "values as they are";

/// A dataset that is open, and what was learnt of it.
struct Dataset {
  Hdf5Handle file, data;
  ModelShape shape;
  std::string text;  // how messages about it begin
};

std::string file_of(hid_t object) {
  std::array<char, 4096> name{};
  return H5Fget_name(object, name.data(), name.size()) > 0 ? name.data() : "";
}

/// The values lie in the file itself, and this HDF5 can unpack them.
void require_own_values(hid_t file, hid_t data, const std::string& text) {
  const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose, text);
  const bool own = file_of(file) == file_of(data) && H5Pget_layout(creation) != H5D_VIRTUAL &&
                   H5Pget_external_count(creation) == 0;
  require(own, "{}: its values lie in other files (a link, a virtual or an external dataset): {}",
          text, kConvert);
  require(H5Pall_filters_avail(creation) > 0,
          "{}: its values are packed by a filter which this HDF5 lacks: write them with gzip or "
          "without one",
          text);
}

ModelShape shape_of_dataset(hid_t data, const std::string& text) {
  const Hdf5Handle type(H5Dget_type(data), H5Tclose, text);
  const H5T_class_t kind = H5Tget_class(type);
  require(kind == H5T_FLOAT || kind == H5T_INTEGER, "{}: its values are not numbers", text);
  const Hdf5Shape sizes = shape_of(data, text);
  require(sizes.size() == 2 || sizes.size() == 3,
          "{}: it has {} dimensions, expected [z][x] or [z][y][x]", text, sizes.size());
  // An extent of nonsense must not wrap around on its way into signed numbers.
  for (const hsize_t size : sizes) {
    require(size <= hsize_t{1} << 31, "{}: an axis of {} samples is too long for a model", text,
            size);
  }
  return {static_cast<std::int64_t>(sizes.back()),
          sizes.size() == 3 ? static_cast<std::int64_t>(sizes[1]) : 1,
          static_cast<std::int64_t>(sizes.front())};
}

Dataset open_dataset(const fs::path& path, const std::string& dataset) {
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  static_cast<void>(regular_file_bytes(path, text));
  Hdf5Handle file = open_hdf5(path, text);
  require(H5Lexists(file, dataset.c_str(), H5P_DEFAULT) > 0, "{}: it has no dataset \"{}\"", text,
          dataset);
  const std::string data_text = fmt::format("{}, dataset \"{}\"", text, dataset);
  Hdf5Handle data = open_data(file, dataset, data_text);
  require_own_values(file, data, data_text);
  const ModelShape shape = shape_of_dataset(data, data_text);
  return {std::move(file), std::move(data), shape, data_text};
}

using Names = std::vector<std::string_view>;

/// An object has no attributes but these.
void require_attributes(hid_t object, const Names& known, const std::string& text) {
  std::vector<std::string> names;
  const auto keep = [](hid_t, const char* name, const H5A_info_t*, void* kept) -> herr_t {
    static_cast<std::vector<std::string>*>(kept)->emplace_back(name);
    return 0;
  };
  check_hdf5(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, keep, &names), text);
  for (const std::string& name : names) {
    require(std::find(known.begin(), known.end(), name) != known.end(),
            "{}: its attribute {} is not of the documented form: {}", text, name, kWayOut);
  }
}

void require_unit(hid_t data, const std::string& quantity, const std::string& text) {
  const std::string unit = text_attribute(data, "units", text);
  const std::string expected = quantity == "velocity_m_s"    ? "m/s"
                               : quantity == "velocity_km_s" ? "km/s"
                                                             : "s2/km2";
  require(unit.empty() || unit == expected,
          "{}: its attribute units is {}, expected {} by "
          "model.quantity = \"{}\": set that, or {}",
          text, unit, expected, quantity, kWayOut);
}

/// A scale's numbers, rising by the spacing that the deck, or else the grid, has.
void require_spacing(hid_t scale, char axis, std::optional<double> expected,
                     const std::string& text) {
  constexpr hssize_t kMost = 1 << 24;
  const Hdf5Handle space(H5Dget_space(scale), H5Sclose, text);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  require(count >= 0 && count <= kMost, "{}: its scale of {} has {} places: {}", text, axis, count,
          kWayOut);
  std::vector<double> places(static_cast<std::size_t>(count));
  check_hdf5(H5Dread(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places.data()), text);
  if (count < 2) return;
  const double step = (places.back() - places.front()) / static_cast<double>(count - 1);
  // Places may be stored as float.
  const double slack =
      1e-3 * std::abs(step) + 1e-6 * std::max(std::abs(places.front()), std::abs(places.back()));
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double own = places[i] - places[i - 1];
    require(step > 0 && std::abs(own - step) <= slack,
            "{}: its scale of {} does not rise evenly ({:g} m after place {}): {}", text, axis, own,
            i, kWayOut);
  }
  require(!expected || std::abs(step - *expected) <= slack,
          "{}: its scale of {} says {:g} m between samples, model.d{} (without it: the grid) {:g} "
          "m: set model.d{}, or {}",
          text, axis, step, axis, expected.value_or(0), axis, kWayOut);
}

/// The scales of an axis: HDF5 allows for several.
std::vector<Hdf5Handle> scales_of(hid_t data, unsigned axis, const std::string& text) {
  if (H5DSget_num_scales(data, axis) < 1) return {};
  std::vector<hid_t> ids;
  const auto keep = [](hid_t, unsigned, hid_t id, void* kept) -> herr_t {
    // The identifier is the iteration's: it is kept alive.
    H5Iinc_ref(id);
    static_cast<std::vector<hid_t>*>(kept)->push_back(id);
    return 0;
  };
  static_cast<void>(H5DSiterate_scales(data, axis, nullptr, keep, &ids));
  std::vector<Hdf5Handle> scales;
  for (const hid_t id : ids) scales.emplace_back(id, H5Dclose, text);
  return scales;
}

void require_axis(hid_t data, unsigned number, char axis, std::optional<double> spacing,
                  const std::string& text) {
  std::array<char, 256> name{};
  const auto require_name = [&](std::string_view found) {
    require(found == std::string_view(&axis, 1),
            "{}: its axis {} is called \"{}\", expected {}: {}", text, number + 1, found, axis,
            kWayOut);
  };
  if (H5DSget_label(data, number, name.data(), name.size()) > 0) require_name(name.data());
  for (const Hdf5Handle& scale : scales_of(data, number, text)) {
    name = {};
    static_cast<void>(H5Iget_name(scale, name.data(), name.size()));
    const std::string_view path = name.data();
    require_name(path.substr(path.rfind('/') + 1));
    const std::string said = fmt::format("{}, scale \"{}\"", text, axis);
    require_attributes(scale, {"CLASS", "NAME", "REFERENCE_LIST", "units", "long_name", "positive"},
                       said);
    const std::string unit = text_attribute(scale, "units", said);
    require(unit.empty() || unit == "m", "{}: its attribute units is {}, expected m: {}", said,
            unit, kWayOut);
    const std::string positive = text_attribute(scale, "positive", said);
    require(positive.empty() || positive == "down", "{}: its attribute positive is {}: {}", said,
            positive, kWayOut);
    require_spacing(scale, axis, spacing, text);
  }
}

/// Throws Error where the dataset is not of the documented form, or contradicts the deck.
void require_documented(const Dataset& from, const HeaderChecks& checks) {
  if (!checks.headers) return;
  require_attributes(from.data, {"units", "long_name", "DIMENSION_LIST", "DIMENSION_LABELS"},
                     from.text);
  require_unit(from.data, checks.quantity, from.text);
  const Hdf5Handle creation(H5Dget_create_plist(from.data), H5Pclose, from.text);
  H5D_fill_value_t fill = H5D_FILL_VALUE_UNDEFINED;
  check_hdf5(H5Pfill_value_defined(creation, &fill), from.text);
  require(fill != H5D_FILL_VALUE_USER_DEFINED,
          "{}: it has a fill value for cells that were never written: {}", from.text, kWayOut);
  unsigned number = 0;
  require_axis(from.data, number++, 'z', checks.dz, from.text);
  if (shape_of(from.data, from.text).size() == 3) {
    require_axis(from.data, number++, 'y', checks.dy, from.text);
  }
  require_axis(from.data, number, 'x', checks.dx, from.text);
}

}  // namespace

ModelShape hdf5_model_shape(const fs::path& path, const std::string& dataset,
                            const HeaderChecks& checks) {
  const Hdf5Quiet quiet;
  const Dataset from = open_dataset(path, dataset);
  require_documented(from, checks);
  return from.shape;
}

ModelFile read_hdf5_model(const fs::path& path, const std::string& dataset, const CellBox& part,
                          const HeaderChecks& checks) {
  const Hdf5Quiet quiet;
  const Dataset from = open_dataset(path, dataset);
  require_documented(from, checks);
  ModelFile model = allocate_model({part.nx(), part.ny(), part.nz()}, from.text);
  read_box(from.data, part, H5T_NATIVE_FLOAT, model.values.data(), from.text);
  return model;
}

}  // namespace tessera::io
