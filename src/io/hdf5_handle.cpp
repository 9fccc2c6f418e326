// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_handle.hpp"

#if TESSERA_HAVE_HDF5

#include <vector>

namespace tessera::io {
namespace {

// Called from the outermost to the innermost entry; the last text kept is the cause.
herr_t keep_description(unsigned, const H5E_error2_t* entry, void* text) {
  if (entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
  return 0;
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
    text.erase(text.find('\''));
  }
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text.empty() ? "HDF5 error" : text;
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
