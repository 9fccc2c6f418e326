// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/hdf5_handle.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::io {
namespace {

// Called from the outermost to the innermost entry; the last text kept is the cause.
herr_t keep_description(unsigned, const H5E_error2_t* entry, void* text) {
  if (entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
  return 0;
}

/// Words of HDF5's own, and what they mean to a user; "{}" is what HDF5 has quoted.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPlain = {
    {{"truncated file", "it is cut off: a part of it is missing"},
     {"file signature not found", "it is no HDF5 file"},
     {"already open for write",
      "its writer did not close it, or still writes it: wait, or mend it with h5clear -s"},
     {"metadata checksum", "it is damaged: a checksum in it does not fit"},
     {"can't locate attribute", "it lacks its attribute {}"},
     {"doesn't exist", "it lacks {}"}}};

/// The first name in quotes, none of which is an apostrophe.
std::string quoted(const std::string& text) {
  const auto blank = text.find(" '");
  if (blank == std::string::npos) return {};
  const auto begin = blank + 2;
  return text.substr(begin, text.find('\'', begin) - begin);
}

std::string in_plain_words(const std::string& text) {
  for (const auto& [words, plain] : kPlain) {
    if (text.find(words) == std::string::npos) continue;
    return fmt::format(fmt::runtime(plain), quoted(text));
  }
  return fmt::format("HDF5 says \"{}\"", text);
}

Hdf5Handle timeless(hid_t kind, const std::string& text) {
  Hdf5Handle creation(H5Pcreate(kind), H5Pclose, text);
  check_hdf5(H5Pset_obj_track_times(creation, false), text);
  return creation;
}

Hdf5Handle space_of(const Hdf5Shape& shape, const std::string& text) {
  return {shape.empty() ? H5Screate(H5S_SCALAR)
                        : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
          H5Sclose, text};
}

}  // namespace

Hdf5Handle create_hdf5(const std::filesystem::path& path, const std::string& text) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, text);
  check_hdf5(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST), text);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, timeless(H5P_FILE_CREATE, text), access), H5Fclose,
          text};
}

Hdf5Handle open_hdf5(const std::filesystem::path& path, const std::string& text, unsigned flags) {
  return {H5Fopen(path.c_str(), flags, H5P_DEFAULT), H5Fclose, text};
}

Hdf5Handle open_data(hid_t file, const std::string& name, const std::string& text) {
  return {H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, text};
}

void create_group(hid_t file, const char* name, const std::string& text) {
  Hdf5Handle(H5Gcreate2(file, name, H5P_DEFAULT, timeless(H5P_GROUP_CREATE, text), H5P_DEFAULT),
             H5Gclose, text)
      .close(text);
}

Hdf5Handle binary_float(int bytes, const std::string& text) {
  Hdf5Handle type(H5Tcopy(H5T_NATIVE_FLOAT), H5Tclose, text);
  if (bytes == 4) return type;
  check_hdf5(H5Tset_fields(type, 15, 10, 5, 0, 10), text);
  check_hdf5(H5Tset_size(type, 2), text);
  check_hdf5(H5Tset_ebias(type, 15), text);
  return type;
}

Hdf5Shape shape_of(hid_t data, const std::string& text) {
  const Hdf5Handle space(H5Dget_space(data), H5Sclose, text);
  Hdf5Shape shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  check_hdf5(H5Sget_simple_extent_dims(space, shape.data(), nullptr), text);
  return shape;
}

void write_attribute(hid_t object, const char* name, hid_t type, const Hdf5Shape& shape,
                     const void* values, const std::string& text) {
  Hdf5Handle attribute(
      H5Acreate2(object, name, type, space_of(shape, text), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
      text);
  check_hdf5(H5Awrite(attribute, type, values), text);
  attribute.close(text);
}

void write_data(hid_t file, const char* name, hid_t type, const Hdf5Shape& shape,
                const void* values, const std::string& text,
                const std::function<void(hid_t)>& describe) {
  Hdf5Handle data(H5Dcreate2(file, name, type, space_of(shape, text), H5P_DEFAULT,
                             timeless(H5P_DATASET_CREATE, text), H5P_DEFAULT),
                  H5Dclose, text);
  if (std::find(shape.begin(), shape.end(), 0U) == shape.end()) {
    check_hdf5(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), text);
  }
  if (describe) describe(data);
  data.close(text);  // small values wait until then, and a disk may be full by then
}

std::uint64_t set_aside(hid_t file, const std::string& name, hid_t type, const Hdf5Shape& shape,
                        const std::string& text, const std::function<void(hid_t)>& describe) {
  const Hdf5Handle creation = timeless(H5P_DATASET_CREATE, text);
  check_hdf5(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), text);
  check_hdf5(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), text);
  Hdf5Handle data(H5Dcreate2(file, name.c_str(), type, space_of(shape, text), H5P_DEFAULT, creation,
                             H5P_DEFAULT),
                  H5Dclose, text);
  if (describe) describe(data);
  const haddr_t place = H5Dget_offset(data);
  require(place != HADDR_UNDEF, "{}: HDF5 cannot reserve space for {}", text, name);
  data.close(text);
  return place;
}

std::string hdf5_reason() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_description, &text);
  // The file driver quotes the system's words among much else.
  const std::string marker = "error message = '";
  const auto begin = text.find(marker);
  if (begin != std::string::npos) {
    text.erase(0, begin + marker.size());
    return text.substr(0, text.find('\''));
  }
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text.empty() ? "HDF5 error" : in_plain_words(text);
}

std::string text_attribute(hid_t object, const char* name, const std::string& text) {
  if (H5Aexists(object, name) <= 0) return {};
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, text);
  const Hdf5Handle space(H5Aget_space(attribute), H5Sclose, text);
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose, text);
  constexpr std::size_t kLongest = 1 << 16;
  const bool any_length = H5Tis_variable_str(type) > 0;
  const std::size_t size = H5Tget_size(type);
  require(H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1 &&
              (any_length || size <= kLongest),
          "{}: its attribute {} is not one text", text, name);
  std::string said(size, '\0');
  if (any_length) {
    char* value = nullptr;
    check_hdf5(H5Aread(attribute, type, static_cast<void*>(&value)), text);
    said = value == nullptr ? "" : value;
    H5free_memory(value);
  } else {
    check_hdf5(H5Aread(attribute, type, said.data()), text);
    said.resize(std::min(said.find('\0'), size));
  }
  said.erase(said.find_last_not_of(' ') + 1);
  return said;
}

void read_box(hid_t data, const CellBox& box, hid_t memory, void* values, const std::string& text) {
  const Hdf5Handle in_file(H5Dget_space(data), H5Sclose, text);
  const bool flat = H5Sget_simple_extent_ndims(in_file) == 2;
  std::vector<hsize_t> start, size;
  const auto add = [&](std::int64_t first, std::int64_t count) {
    start.push_back(static_cast<hsize_t>(first));
    size.push_back(static_cast<hsize_t>(count));
  };
  add(box.z0, box.nz());
  if (!flat) add(box.y0, box.ny());
  add(box.x0, box.nx());
  const Hdf5Handle in_memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                             H5Sclose, text);
  check_hdf5(
      H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
      text);
  check_hdf5(H5Dread(data, memory, in_memory, in_file, H5P_DEFAULT, values), text);
}

}  // namespace tessera::io
