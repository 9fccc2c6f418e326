// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_meaning.hpp"

#if TESSERA_HAVE_HDF5

#include "io/hdf5_attributes.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::io {

namespace {

constexpr const char* kWayOut = "model.check_headers = false passes over it";

/// The name and the text of the attribute that says the unit.
std::pair<std::string, std::string> unit_of(hid_t object, const std::string& text) {
  for (const char* name : {"units", "unit", "Units", "Unit", "UNITS"}) {
    const std::string unit = text_attribute(object, name, text);
    if (!unit.empty()) return {name, unit};
  }
  return {};
}

/// A unit in one spelling of many: "Metres per second", "m s^-1" and "m.s-1" are "m/s".
std::string plain_unit(std::string_view unit) {
  std::string plain;
  for (const char c : unit) {
    if (std::string_view(" ^*.()[]_").find(c) != std::string_view::npos) continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const std::pair<std::string_view, std::string_view> words[] = {
      {"metre", "meter"},   {"metersecond", "msecond"},
      {"meters-1", "ms-1"}, {"kilo", "k"},
      {"meters", "m"},      {"meter", "m"},
      {"seconds", "s"},     {"second", "s"},
      {"sec", "s"},         {"per", "/"},
      {"squared", "2"},     {"feet", "ft"},
      {"foot", "ft"},       {"s2km-2", "s2/km2"},
      {"kms-1", "km/s"},    {"ms-1", "m/s"},
      {"fts-1", "ft/s"}};
  for (const auto& [from, to] : words) {
    for (std::size_t at = plain.find(from); at != std::string::npos;
         at = plain.find(from, at + to.size())) {
      plain.replace(at, from.size(), to);
    }
  }
  return plain;
}

/// The quantities that model.quantity knows, and their units.
constexpr std::array<std::pair<const char*, const char*>, 3> kQuantities = {
    {{"velocity_m_s", "m/s"}, {"velocity_km_s", "km/s"}, {"squared_slowness_s2_km2", "s2/km2"}}};

void require_unit(hid_t data, const std::string& quantity, const std::string& text) {
  const auto [name, unit] = unit_of(data, text);
  if (unit.empty()) return;
  const std::string plain = plain_unit(unit);
  const auto* said = std::find_if(kQuantities.begin(), kQuantities.end(),
                                  [&](const auto& one) { return plain == one.second; });
  if (said != kQuantities.end()) {
    require(said->first == quantity,
            "{}: its attribute {} says {}, model.quantity is {}: set model.quantity = \"{}\"; {}",
            text, name, unit, quantity, said->first, kWayOut);
    return;
  }
  fail("{}: its attribute {} says {}, none of m/s, km/s, s2/km2: convert it; {}", text, name, unit,
       kWayOut);
}

void require_unpacked(hid_t data, const std::string& text) {
  const std::pair<const char*, double> plain[] = {{"scale_factor", 1.0}, {"add_offset", 0.0}};
  for (const auto& [name, value] : plain) {
    const double found = number_attribute(data, name, value, text);
    require(found == value,
            "{}: its attribute {} = {:g} says that its values are packed: write them unpacked; {}",
            text, name, found, kWayOut);
  }
}

/// The first word of a label, in small letters: alone or before something that is no letter
/// ("x (m)").
std::string word_of(std::string_view label) {
  std::string word;
  for (const char c : in_lower_case(label)) {
    if (c < 'a' || c > 'z') break;
    word += c;
  }
  return word;
}

/// Names of vertical axes that grow upward.
bool is_height(const std::string& word) {
  return word == "elevation" || word == "height" || word == "altitude";
}

/// The axis that a label means: x, y or z; 0 where it means none.
char axis_of(std::string_view label) {
  const std::string word = word_of(label);
  if (word == "depth" || is_height(word)) return 'z';
  return word == "x" || word == "y" || word == "z" ? word[0] : '\0';
}

/// Which way the numbers of a vertical axis grow, and who says so.
struct Upward {
  bool upward;
  std::string said;
  bool by_name = false;  ///< the name alone
};

/// By the attribute positive of the scale (CF's convention), else by one of the names that it goes
/// by; nothing where none of them tells.
std::optional<Upward> direction_of(hid_t scale, const std::vector<std::string>& names,
                                   const std::string& text) {
  const std::string positive = text_attribute(scale, "positive", text);
  const std::string word = in_lower_case(positive);
  if (word == "up" || word == "down") {
    return Upward{word == "up", fmt::format("its attribute positive is {}", positive)};
  }
  for (const std::string& name : names) {
    const std::string called = word_of(name);
    if (called == "depth" || is_height(called)) {
      return Upward{is_height(called), fmt::format("it is called \"{}\"", name), true};
    }
  }
  return std::nullopt;
}

/// By HDF5's convention for names: their length, or the text.
template <class Get>
std::string name_by(const Get& get) {
  constexpr std::size_t kLongest = 256;
  std::array<char, kLongest> name{};
  return get(name.data(), name.size()) > 0 ? std::string(name.data()) : std::string();
}

/// The scale of an axis, where it has one.
std::optional<Hdf5Handle> scale_of(hid_t data, unsigned axis, const std::string& text) {
  if (H5DSget_num_scales(data, axis) < 1) return std::nullopt;
  hid_t scale = -1;
  const auto keep = [](hid_t, unsigned, hid_t id, void* kept) -> herr_t {
    // The identifier is the iteration's: it is kept alive.
    H5Iinc_ref(id);
    *static_cast<hid_t*>(kept) = id;
    return 1;
  };
  if (H5DSiterate_scales(data, axis, nullptr, keep, &scale) < 0 || scale < 0) return std::nullopt;
  return Hdf5Handle(scale, H5Dclose, text);
}

/// The numbers of a scale; none where it is not one number a sample.
std::vector<double> places_of(hid_t scale, const std::string& text) {
  constexpr hssize_t kMost = 1 << 24;
  const Hdf5Handle type(H5Dget_type(scale), H5Tclose, text);
  const Hdf5Handle space(H5Dget_space(scale), H5Sclose, text);
  const H5T_class_t kind = H5Tget_class(type);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || count < 2 || count > kMost) return {};
  std::vector<double> places(static_cast<std::size_t>(count));
  check_hdf5(H5Dread(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places.data()), text);
  const double metres = [&] {
    const std::string unit = plain_unit(unit_of(scale, text).second);
    return unit == "km" ? 1000.0 : unit == "ft" ? 0.3048 : 1.0;
  }();
  for (double& place : places) place *= metres;
  return places;
}

/// The spacing of a scale is even, and the deck's. Scales that stand still or hold no numbers say
/// nothing; along z they may fall, as elevations do.
void require_scale(hid_t scale, char axis, std::optional<double> wanted, const std::string& text) {
  const std::vector<double> places = places_of(scale, text);
  if (places.empty()) return;
  const double step = (places.back() - places.front()) / static_cast<double>(places.size() - 1);
  if (step == 0 || !std::isfinite(step)) return;
  require(step > 0 || axis == 'z', "{}: its scale of {} falls along the file: mirror it; {}", text,
          axis, kWayOut);
  const double spacing = std::abs(step);
  // Places may be stored as float.
  const double rounding = 1e-6 * std::max(std::abs(places.front()), std::abs(places.back()));
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double own = places[i] - places[i - 1];
    require(std::abs(own - step) <= 1e-3 * spacing + rounding,
            "{}: its scale of {} is uneven, {:g} and {:g} m between samples: resample it; {}", text,
            axis, step, own, kWayOut);
  }
  const double slack = 1e-3 * spacing + rounding / static_cast<double>(places.size() - 1);
  require(!wanted || std::abs(spacing - *wanted) <= slack,
          "{}: its scale of {} says {:g} m between samples, model.d{} (without it: the grid) {:g} "
          "m: set model.d{}; {}",
          text, axis, spacing, axis, wanted.value_or(0), axis, kWayOut);
}

/// The first sample along z is the top one. Where nobody says which way z grows, numbers that rise
/// are depths, those that fall elevations; but depths do not end at 0 or above it.
void require_top_first(hid_t scale, const std::vector<std::string>& names,
                       const std::string& text) {
  const std::vector<double> places = places_of(scale, text);
  if (places.empty() || places.front() == places.back()) return;
  const bool rises = places.back() > places.front();
  std::optional<Upward> direction = direction_of(scale, names, text);
  if (!direction && rises && places.back() <= 0) {
    direction = Upward{true, "numbers up to 0 that rise are heights"};
  }
  // Many programs call depths what they count from 0 downwards as negative numbers.
  if (direction && direction->by_name && !direction->upward && !rises && places.front() <= 0) {
    return;
  }
  require(!direction || direction->upward != rises,
          "{}: its scale of z goes from {:g} to {:g} m, and {}: its first sample is the lowest "
          "one, wanted is the top one: mirror the values and the scale along z; {}",
          text, places.front() + 0.0, places.back() + 0.0, direction ? direction->said : "",
          kWayOut);
}

void require_axes(hid_t data, const HeaderChecks& checks, const std::string& text) {
  const Hdf5Handle space(H5Dget_space(data), H5Sclose, text);
  const bool flat = H5Sget_simple_extent_ndims(space) == 2;
  const std::string axes = flat ? "zx" : "zyx";
  for (unsigned i = 0; i < axes.size(); ++i) {
    const char axis = axes[i];
    const auto scale = scale_of(data, i, text);
    std::string label =
        name_by([&](char* name, std::size_t size) { return H5DSget_label(data, i, name, size); });
    const std::string scale_name = scale ? name_by([&](char* name, std::size_t size) {
      return H5DSget_scale_name(*scale, name, size);
    })
                                         : std::string();
    if (axis == 'z' && scale) {
      require_top_first(*scale, {label, scale_name, text_attribute(*scale, "standard_name", text)},
                        text);
    }
    if (label.empty()) label = scale_name;
    const char named = axis_of(label);
    require(named == '\0' || named == axis,
            "{}: its axis {} is labelled \"{}\", wanted is {}, of {}: transpose it; {}", text,
            i + 1, label, axis, flat ? "[z][x]" : "[z][y][x]", kWayOut);
    if (scale) {
      require_scale(*scale, axis,
                    axis == 'x'   ? checks.dx
                    : axis == 'y' ? checks.dy
                                  : checks.dz,
                    text);
    }
  }
}

}  // namespace

void require_plain_values(hid_t data, const HeaderChecks& checks, const std::string& text) {
  if (!checks.headers) return;
  require_unit(data, checks.quantity, text);
  require_unpacked(data, text);
  require_axes(data, checks, text);
}

}  // namespace tessera::io

#endif
