// SPDX-License-Identifier: Apache-2.0
// What an HDF5 dataset says of its own values: units, factors, axes.
#pragma once

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_handle.hpp"
#include "program/seismic/model_files.hpp"

#include <string>

namespace tessera::io {

/// Throws Error, beginning with `text`, where a model's dataset says that its values cannot be
/// taken as they are: by the attributes units, scale_factor and add_offset, and by what it says of
/// its axes (require_axes). What it does not say is not asked.
void require_plain_values(hid_t data, const HeaderChecks& checks, const std::string& text);

}  // namespace tessera::io

#endif
