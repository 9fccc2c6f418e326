// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/hdf5_axes.hpp"

#if TESSERA_HAVE_HDF5

#include "base/support/console.hpp"
#include "base/support/text.hpp"
#include "program/seismic/hdf5_attributes.hpp"
#include "program/seismic/hdf5_units.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::io {

namespace {

/// What a name says of an axis.
enum class Meaning { nothing, x, y, z, horizontal, time };

/// The words of a name, in small letters: "X_m" and "x (m)" are x and m.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : in_lower_case(name)) {
    if (c >= 'a' && c <= 'z') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// Names of vertical axes that grow upward.
bool is_height(const std::string& word) {
  return word == "elevation" || word == "height" || word == "altitude";
}

Meaning meaning_of_word(const std::string& word) {
  using Known = std::pair<Meaning, std::vector<std::string_view>>;
  static const std::array<Known, 5> known = {
      {{Meaning::x, {"x", "lon", "longitude", "easting"}},
       {Meaning::y, {"y", "lat", "latitude", "northing"}},
       {Meaning::z, {"z", "depth", "dep", "tvd", "sample", "samples"}},
       {Meaning::horizontal, {"inline", "iline", "crossline", "xline", "cdp", "trace"}},
       {Meaning::time, {"time", "twt", "owt"}}}};
  if (is_height(word)) return Meaning::z;
  for (const auto& [meaning, words] : known) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return meaning;
  }
  return Meaning::nothing;
}

/// What the first word says; where it says nothing, the others, if they agree.
Meaning meaning_of(std::string_view name) {
  Meaning meaning = Meaning::nothing;
  const std::vector<std::string> words = words_of(name);
  for (const std::string& word : words) {
    const Meaning own = meaning_of_word(word);
    if (own == Meaning::nothing) continue;
    if (&word == &words.front()) return own;
    if (meaning != Meaning::nothing && meaning != own) return Meaning::nothing;
    meaning = own;
  }
  return meaning;
}

/// Whether an axis x, y or z may be called so.
bool fits(Meaning meaning, char axis) {
  switch (meaning) {
    case Meaning::x:
      return axis == 'x';
    case Meaning::y:
      return axis == 'y';
    case Meaning::z:
      return axis == 'z';
    case Meaning::horizontal:
      return axis != 'z';
    case Meaning::time:
      return false;
    case Meaning::nothing:
      break;
  }
  return true;
}

/// A name that an axis goes by, and how a message says so.
struct AxisName {
  std::string name, said;
};

/// By HDF5's convention for names: their length, or the text.
template <class Get>
std::string name_by(const Get& get) {
  constexpr std::size_t kLongest = 256;
  std::array<char, kLongest> name{};
  return get(name.data(), name.size()) > 0 ? std::string(name.data()) : std::string();
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

/// The names of a scale: those that HDF5 keeps, and what CF's attributes call it.
std::vector<AxisName> names_of(hid_t scale, const std::string& text) {
  const std::string kept =
      name_by([&](char* name, std::size_t size) { return H5DSget_scale_name(scale, name, size); });
  const std::string path =
      name_by([&](char* name, std::size_t size) { return H5Iget_name(scale, name, size); });
  const std::string own = path.substr(path.rfind('/') + 1);
  std::vector<AxisName> names;
  for (const std::string& name : {kept, own}) {
    names.push_back({name, fmt::format("has the scale \"{}\"", name)});
  }
  for (const char* attribute : {"standard_name", "long_name", "axis"}) {
    if (!is_text_attribute(scale, attribute, text)) continue;  // for other programs
    const std::string name = text_attribute(scale, attribute, text);
    names.push_back({name, fmt::format("has a scale of {} \"{}\"", attribute, name)});
  }
  return names;
}

/// Which way the numbers of a vertical axis grow, and who says so.
struct Upward {
  bool upward;
  std::string said;
  bool by_name = false;  ///< the name alone
};

/// By the attribute positive of the scale (CF's convention), else by one of the names that it goes
/// by; nothing where none of them tells.
std::optional<Upward> direction_of(hid_t scale, const std::vector<AxisName>& names,
                                   const std::string& text) {
  const std::string positive = text_attribute(scale, "positive", text);
  const std::string word = in_lower_case(positive);
  if (word == "up" || word == "down") {
    return Upward{word == "up", fmt::format("its attribute positive is {}", positive)};
  }
  for (const auto& [name, said] : names) {
    const std::string called = words_of(name).front();
    if (called == "depth" || is_height(called)) {
      return Upward{is_height(called), fmt::format("it is called \"{}\"", name), true};
    }
  }
  return std::nullopt;
}

/// The numbers of a scale, in m; none where it is not one number a sample.
std::vector<double> places_of(hid_t scale, char axis, const std::string& text) {
  constexpr hssize_t kMost = 1 << 24;
  const Hdf5Handle type(H5Dget_type(scale), H5Tclose, text);
  const Hdf5Handle space(H5Dget_space(scale), H5Sclose, text);
  const H5T_class_t kind = H5Tget_class(type);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || count < 2 || count > kMost) return {};
  const std::string unit = unit_of(scale, text).second;
  const std::optional<double> metres = unit.empty() ? 1.0 : length_unit(unit);
  require(metres.has_value(),
          "{}: its scale of {} is in {}, none of m, km, cm, mm, ft, kft: convert it; {}", text,
          axis, unit, kWayOut);
  std::vector<double> places(static_cast<std::size_t>(count));
  check_hdf5(H5Dread(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places.data()), text);
  for (double& place : places) place *= *metres;
  return places;
}

/// The spacing of a scale is even, and the deck's. Scales that stand still or hold no numbers say
/// nothing; along z they may fall, as elevations do.
void require_spacing(const std::vector<double>& places, char axis, std::optional<double> wanted,
                     const std::string& text) {
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
void require_top_first(hid_t scale, const std::vector<double>& places,
                       const std::vector<AxisName>& names, const std::string& text) {
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

void require_name(const AxisName& name, unsigned axis, char wanted, const std::string& axes,
                  const std::string& text) {
  const Meaning meaning = meaning_of(name.name);
  require(meaning != Meaning::time,
          "{}: its axis {} {}, which is a time: convert it to depths along [{}]; {}", text,
          axis + 1, name.said, fmt::join(axes, "]["), kWayOut);
  require(fits(meaning, wanted), "{}: its axis {} {}, wanted is {}, of [{}]: transpose it; {}",
          text, axis + 1, name.said, wanted, fmt::join(axes, "]["), kWayOut);
}

/// The axes of a model in a dataset of two or three, the slowest first.
std::string axes_of(hid_t data, const std::string& text) {
  const Hdf5Handle space(H5Dget_space(data), H5Sclose, text);
  return H5Sget_simple_extent_ndims(space) == 2 ? "zx" : "zyx";
}

}  // namespace

void require_axes(hid_t data, const HeaderChecks& checks, const std::string& text) {
  const std::string axes = axes_of(data, text);
  for (unsigned i = 0; i < axes.size(); ++i) {
    const char axis = axes[i];
    const std::string label =
        name_by([&](char* name, std::size_t size) { return H5DSget_label(data, i, name, size); });
    const AxisName labelled{label, fmt::format("is labelled \"{}\"", label)};
    require_name(labelled, i, axis, axes, text);
    for (const Hdf5Handle& scale : scales_of(data, i, text)) {
      std::vector<AxisName> names = names_of(scale, text);
      for (const AxisName& name : names) require_name(name, i, axis, axes, text);
      const std::vector<double> places = places_of(scale, axis, text);
      names.insert(names.begin(), labelled);
      if (axis == 'z') require_top_first(scale, places, names, text);
      require_spacing(places, axis,
                      axis == 'x'   ? checks.dx
                      : axis == 'y' ? checks.dy
                                    : checks.dz,
                      text);
    }
  }
}

void warn_of_top(hid_t data, const std::string& text) {
  for (const Hdf5Handle& scale : scales_of(data, 0, text)) {
    const std::vector<double> places = places_of(scale, 'z', text);
    // Numbers that fall are elevations, above whatever they are counted from.
    if (places.empty() || places.back() <= places.front()) continue;
    if (std::abs(places.front()) <= places[1] - places[0]) continue;
    warn(
        fmt::format("{}: its scale of z begins at {:g} m, which is taken as the top: model.z0 "
                    "counts from there",
                    text, places.front()));
    return;
  }
}

}  // namespace tessera::io

#endif
