// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_fill.hpp"

#if TESSERA_HAVE_HDF5

#include "io/hdf5_attributes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::io {

namespace {

/// A value that stands for none, and who says so.
struct Fill {
  float value;
  std::string said;
};

std::vector<Fill> fills_of(hid_t data, const std::string& text) {
  std::vector<Fill> fills;
  for (const char* name : {"_FillValue", "missing_value"}) {
    for (const float value : float_attribute(data, name, text)) {
      fills.push_back({value, fmt::format("its attribute {}", name)});
    }
  }
  const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose, text);
  H5D_fill_value_t kind = H5D_FILL_VALUE_UNDEFINED;
  check_hdf5(H5Pfill_value_defined(creation, &kind), text);
  if (kind != H5D_FILL_VALUE_UNDEFINED) {
    float value = 0;
    check_hdf5(H5Pget_fill_value(creation, H5T_NATIVE_FLOAT, &value), text);
    fills.push_back({value, "what HDF5 gives where nothing was written"});
  }
  return fills;
}

}  // namespace

void require_filled(hid_t data, const ModelFile& read, const CellBox& part,
                    const std::string& text) {
  for (const Fill& fill : fills_of(data, text)) {
    const auto stands_for_none = [&fill](float value) {
      return value == fill.value || (std::isnan(value) && std::isnan(fill.value));
    };
    const auto begin = read.values.begin(), end = read.values.end();
    const auto first = std::find_if(begin, end, stands_for_none);
    if (first == end) continue;
    const std::int64_t cell = first - begin;
    const bool positive = std::isfinite(fill.value) && fill.value > 0;
    fail(
        "{}: {} of the {} values read are {:g}, {}, the first at z = {}, y = {}, "
        "x = {}: write velocities there{}",
        text, std::count_if(first, end, stands_for_none), read.values.size(), fill.value, fill.said,
        part.z0 + cell / (read.shape.nx * read.shape.ny),
        part.y0 + cell / read.shape.nx % read.shape.ny, part.x0 + cell % read.shape.nx,
        positive ? "; model.check_headers = false takes it for one" : "");
  }
}

}  // namespace tessera::io

#endif
