// SPDX-License-Identifier: Apache-2.0
// Where the values of an HDF5 dataset come from: files that it links to, a virtual one's sources,
// files of plain numbers, and filters.
#pragma once

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_handle.hpp"

#include <string>

namespace tessera::io {

/// Opens a dataset that is there. Throws Error, beginning with `text`, where it is virtual and
/// values lie in a file, or in a dataset of it, that cannot be opened: HDF5 would give fill values
/// for them. Of sources that a pattern names ("part-%b.h5") that is each block up to the last one
/// that is there; HDF5 itself would end the dataset before the first that is not. Likewise where it
/// is a link to another file that cannot be opened, or has its values in files of plain numbers
/// that are not there. All these files, those of sources that are virtual or links themselves too,
/// are noted as read (note_input).
[[nodiscard]] Hdf5Handle open_with_sources(hid_t file, const std::string& dataset,
                                           const std::string& text);

/// Throws Error, beginning with `text`, where the values went through a filter that this HDF5 has
/// not.
void require_filters(hid_t data, const std::string& text);

}  // namespace tessera::io

#endif
