// SPDX-License-Identifier: Apache-2.0
// What an HDF5 dataset says of its own values: units, factors, axes, and where they come from.
#pragma once

#if TESSERA_HAVE_HDF5

#include "io/hdf5_handle.hpp"
#include "io/model_files.hpp"

#include <string>

namespace tessera::io {

/// Throws Error, beginning with `text`, where a model's dataset says that its values cannot be
/// taken as they are: by the attributes units, scale_factor and add_offset, by labels of its axes
/// in another order than z, y, x, and by scales of its axes with other spacings than `checks` has.
/// What it does not say is not asked.
void require_plain_values(hid_t data, const HeaderChecks& checks, const std::string& text);

/// Throws Error, beginning with `text`, where a virtual dataset's values lie in a file, or in a
/// dataset of it, that cannot be opened: HDF5 would give fill values for them.
void require_sources(hid_t file, hid_t data, const std::string& text);

/// Throws Error, beginning with `text`, where the values went through a filter that this HDF5 has
/// not.
void require_filters(hid_t data, const std::string& text);

}  // namespace tessera::io

#endif
