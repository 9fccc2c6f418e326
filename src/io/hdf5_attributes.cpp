// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_attributes.hpp"

#if TESSERA_HAVE_HDF5

#include <algorithm>
#include <optional>

namespace tessera::io {

namespace {

/// An attribute of 1 to `most` values.
struct Attribute {
  Hdf5Handle attribute, type;
  std::size_t count;

  [[nodiscard]] bool is_number() const {
    const H5T_class_t kind = H5Tget_class(type);
    return kind == H5T_FLOAT || kind == H5T_INTEGER;
  }
};

/// Nothing where there is none of this name, or of another number of values.
std::optional<Attribute> attribute_of(hid_t object, const char* name, hssize_t most,
                                      const std::string& text) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, text);
  const Hdf5Handle space(H5Aget_space(attribute), H5Sclose, text);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 1 || count > most) return std::nullopt;
  Hdf5Handle type(H5Aget_type(attribute), H5Tclose, text);
  return Attribute{std::move(attribute), std::move(type), static_cast<std::size_t>(count)};
}

}  // namespace

std::string text_attribute(hid_t object, const char* name, const std::string& text) {
  const auto found = attribute_of(object, name, 1, text);
  if (!found || H5Tget_class(found->type) != H5T_STRING) return {};
  if (H5Tis_variable_str(found->type) > 0) {
    char* value = nullptr;
    check_hdf5(H5Aread(found->attribute, found->type, static_cast<void*>(&value)), text);
    std::string said = value == nullptr ? "" : value;
    H5free_memory(value);
    return said;
  }
  constexpr std::size_t kLongest = 4096;
  const std::size_t size = H5Tget_size(found->type);
  if (size == 0 || size > kLongest) return {};
  std::string said(size, '\0');
  check_hdf5(H5Aread(found->attribute, found->type, said.data()), text);
  said.resize(std::min(said.find('\0'), size));
  said.erase(said.find_last_not_of(' ') + 1);
  return said;
}

double number_attribute(hid_t object, const char* name, double otherwise, const std::string& text) {
  const auto found = attribute_of(object, name, 1, text);
  if (!found || !found->is_number()) return otherwise;
  double value = otherwise;
  check_hdf5(H5Aread(found->attribute, H5T_NATIVE_DOUBLE, &value), text);
  return value;
}

std::vector<float> float_attribute(hid_t object, const char* name, const std::string& text) {
  constexpr hssize_t kMost = 64;
  const auto found = attribute_of(object, name, kMost, text);
  if (!found || !found->is_number()) return {};
  std::vector<float> values(found->count);
  check_hdf5(H5Aread(found->attribute, H5T_NATIVE_FLOAT, values.data()), text);
  return values;
}

}  // namespace tessera::io

#endif
