// SPDX-License-Identifier: Apache-2.0
// Values of an HDF5 dataset that stand for none: what was left out or never written.
#pragma once

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_handle.hpp"
#include "program/seismic/model_files.hpp"

#include <string>

namespace tessera::io {

/// Throws Error, beginning with `text`, where values read from `part` of a dataset stand for none:
/// they are one of its attributes _FillValue and missing_value or lie outside valid_range,
/// valid_min and valid_max (netCDF's conventions), or are the fill value that HDF5 gives for what
/// was never written. The message says how many cells do, and which is the first of them in the
/// order of the file.
void require_filled(hid_t data, const ModelFile& read, const CellBox& part,
                    const std::string& text);

}  // namespace tessera::io

#endif
