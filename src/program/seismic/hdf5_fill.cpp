// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/hdf5_fill.hpp"

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_attributes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tessera::io {

namespace {

/// Values that stand for none, and how a message goes on behind them.
struct NoValue {
  std::function<bool(float)> is;
  std::string said;
  bool has_way_out;  // some of them may be velocities
};

NoValue fill_of(float fill, const std::string& who) {
  return {[fill](float value) { return value == fill || (std::isnan(value) && std::isnan(fill)); },
          fmt::format("are {:g}, {}", fill, who), std::isfinite(fill) && fill > 0};
}

std::vector<NoValue> fills_of(hid_t data, const std::string& text) {
  std::vector<NoValue> fills;
  for (const char* name : {"_FillValue", "missing_value"}) {
    for (const float value : float_attribute(data, name, text)) {
      fills.push_back(fill_of(value, fmt::format("its attribute {}", name)));
    }
  }
  const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose, text);
  H5D_fill_value_t kind = H5D_FILL_VALUE_UNDEFINED;
  check_hdf5(H5Pfill_value_defined(creation, &kind), text);
  if (kind != H5D_FILL_VALUE_UNDEFINED) {
    float value = 0;
    check_hdf5(H5Pget_fill_value(creation, H5T_NATIVE_FLOAT, &value), text);
    fills.push_back(fill_of(value, "what HDF5 gives where nothing was written"));
  }
  return fills;
}

/// What lies outside the attributes valid_range, valid_min and valid_max.
std::vector<NoValue> invalid_of(hid_t data, const std::string& text) {
  std::vector<NoValue> invalid;
  const auto below = [&](float least, const char* name) {
    invalid.push_back({[least](float value) { return value < least; },
                       fmt::format("are less than {:g}, its attribute {}", least, name), true});
  };
  const auto above = [&](float most, const char* name) {
    invalid.push_back({[most](float value) { return value > most; },
                       fmt::format("are more than {:g}, its attribute {}", most, name), true});
  };
  const std::vector<float> range = float_attribute(data, "valid_range", text);
  require(range.empty() || range.size() == 2,
          "{}: its attribute valid_range is no pair of numbers, the least and the most; "
          "model.check_headers = false passes over it",
          text);
  if (!range.empty()) {
    below(range.front(), "valid_range");
    above(range.back(), "valid_range");
  }
  for (const float least : float_attribute(data, "valid_min", text)) below(least, "valid_min");
  for (const float most : float_attribute(data, "valid_max", text)) above(most, "valid_max");
  return invalid;
}

}  // namespace

void require_filled(hid_t data, const ModelFile& read, const CellBox& part,
                    const std::string& text) {
  std::vector<NoValue> no_values = fills_of(data, text);
  for (NoValue& value : invalid_of(data, text)) no_values.push_back(std::move(value));
  for (const NoValue& none : no_values) {
    const auto begin = read.values.begin(), end = read.values.end();
    const auto first = std::find_if(begin, end, none.is);
    if (first == end) continue;
    const std::int64_t cell = first - begin;
    fail(
        "{}: {} of the {} values read {}, the first at z = {}, y = {}, x = {}: write velocities "
        "there{}",
        text, std::count_if(first, end, none.is), read.values.size(), none.said,
        part.z0 + cell / (read.shape.nx * read.shape.ny),
        part.y0 + cell / read.shape.nx % read.shape.ny, part.x0 + cell % read.shape.nx,
        none.has_way_out ? "; model.check_headers = false takes it for one" : "");
  }
}

}  // namespace tessera::io

#endif
