// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/hdf5_handle.hpp"

#if TESSERA_HAVE_HDF5

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
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kPlain = {
    {{"truncated file", "it is cut off: a part of it is missing"},
     {"file signature not found", "it is no HDF5 file"},
     {"already open for write",
      "its writer did not close it, or still writes it: wait, or mend it with h5clear -s"},
     {"metadata checksum", "it is damaged: a checksum in it does not fit"},
     {"inflate() failed", "it is damaged: its packed values cannot be unpacked"},
     {"can't locate attribute", "it lacks its attribute {}"},
     {"doesn't exist", "it lacks {}"},
     {"too many links", "a link in it leads back to itself"},
     {"component not found", "a link in it leads to nothing"},
     {"unable to open file, file name", "a file that it links to, {}, cannot be opened"}}};

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

}  // namespace

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
  constexpr std::size_t kLongest = 4096;
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

#endif
