// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/hdf5_attributes.hpp"

#if TESSERA_HAVE_HDF5

#include <algorithm>
#include <optional>

namespace tessera::io {

namespace {

/// An attribute with values.
struct Attribute {
  Hdf5Handle attribute, type;
  hssize_t count;

  [[nodiscard]] bool is_number() const {
    const H5T_class_t kind = H5Tget_class(type);
    return kind == H5T_FLOAT || kind == H5T_INTEGER;
  }
  [[nodiscard]] bool is_text() const {
    constexpr std::size_t kLongest = 4096;
    const bool fits = H5Tis_variable_str(type) > 0 || H5Tget_size(type) <= kLongest;
    return count == 1 && H5Tget_class(type) == H5T_STRING && fits;
  }
};

/// Nothing where there is none of this name, or one without a value.
std::optional<Attribute> attribute_of(hid_t object, const char* name, const std::string& text) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, text);
  const Hdf5Handle space(H5Aget_space(attribute), H5Sclose, text);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 1) return std::nullopt;
  Hdf5Handle type(H5Aget_type(attribute), H5Tclose, text);
  return Attribute{std::move(attribute), std::move(type), count};
}

/// Throws Error unless it is what is `wanted`.
void require_kind(bool fine, const char* name, const char* wanted, const std::string& text) {
  require(fine, "{}: its attribute {} is not {}: write it so, or remove it; {}", text, name, wanted,
          kWayOut);
}

}  // namespace

bool is_text_attribute(hid_t object, const char* name, const std::string& text) {
  const auto found = attribute_of(object, name, text);
  return found && found->is_text();
}

std::string text_attribute(hid_t object, const char* name, const std::string& text) {
  const auto found = attribute_of(object, name, text);
  if (!found) return {};
  require_kind(found->is_text(), name, "one text", text);
  if (H5Tis_variable_str(found->type) > 0) {
    char* value = nullptr;
    check_hdf5(H5Aread(found->attribute, found->type, static_cast<void*>(&value)), text);
    std::string said = value == nullptr ? "" : value;
    H5free_memory(value);
    return said;
  }
  const std::size_t size = H5Tget_size(found->type);
  std::string said(size, '\0');
  check_hdf5(H5Aread(found->attribute, found->type, said.data()), text);
  said.resize(std::min(said.find('\0'), size));
  said.erase(said.find_last_not_of(' ') + 1);
  return said;
}

double number_attribute(hid_t object, const char* name, double otherwise, const std::string& text) {
  const auto found = attribute_of(object, name, text);
  if (!found) return otherwise;
  require_kind(found->is_number() && found->count == 1, name, "one number", text);
  double value = otherwise;
  check_hdf5(H5Aread(found->attribute, H5T_NATIVE_DOUBLE, &value), text);
  return value;
}

std::vector<float> float_attribute(hid_t object, const char* name, const std::string& text) {
  constexpr hssize_t kMost = 64;
  const auto found = attribute_of(object, name, text);
  if (!found) return {};
  require_kind(found->is_number() && found->count <= kMost, name, "a list of up to 64 numbers",
               text);
  std::vector<float> values(static_cast<std::size_t>(found->count));
  check_hdf5(H5Aread(found->attribute, H5T_NATIVE_FLOAT, values.data()), text);
  return values;
}

}  // namespace tessera::io

#endif
