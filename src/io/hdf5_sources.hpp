// SPDX-License-Identifier: Apache-2.0
// Where the values of an HDF5 dataset come from: a virtual one's files, and filters.
#pragma once

#if TESSERA_HAVE_HDF5

#include "io/hdf5_handle.hpp"

#include <string>

namespace tessera::io {

/// Opens a dataset that is there. Throws Error, beginning with `text`, where it is virtual and
/// values lie in a file, or in a dataset of it, that cannot be opened: HDF5 would give fill values
/// for them. Of sources that a pattern names ("part-%b.h5") that is each block up to the last one
/// that is there; HDF5 itself would end the dataset before the first that is not.
[[nodiscard]] Hdf5Handle open_with_sources(hid_t file, const std::string& dataset,
                                           const std::string& text);

/// Throws Error, beginning with `text`, where the values went through a filter that this HDF5 has
/// not.
void require_filters(hid_t data, const std::string& text);

}  // namespace tessera::io

#endif
