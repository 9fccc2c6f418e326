// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_handle.hpp"

#if TESSERA_HAVE_HDF5

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

}  // namespace tessera::io

#endif
