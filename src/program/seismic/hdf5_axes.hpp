// SPDX-License-Identifier: Apache-2.0
// What an HDF5 dataset says of its axes: by labels, and by the dimension scales attached to them.
#pragma once

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_handle.hpp"
#include "program/seismic/model_files.hpp"

#include <string>

namespace tessera::io {

/// Throws Error, beginning with `text`, where a model's axes cannot be taken as z, y, x with the
/// first sample on top: where labels, or names and attributes of scales, name another order, or
/// times; where a scale is in no unit of length, uneven, falls along x or y, or has another spacing
/// than `checks`; and where that of z (its name, its attribute positive, its sign) says that the
/// first sample is the lowest one. What a file does not say is not asked.
void require_axes(hid_t data, const HeaderChecks& checks, const std::string& text);

/// Warns, beginning with `text`, where depths along z begin a sample or more from 0.
void warn_of_top(hid_t data, const std::string& text);

}  // namespace tessera::io

#endif
