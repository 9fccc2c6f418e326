// SPDX-License-Identifier: Apache-2.0
// The units that HDF5 objects name.
#pragma once

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_handle.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::io {

/// The name and the text of the attribute that says an object's unit; both empty where none does.
/// Throws Error, beginning with `text`, where it is no text.
[[nodiscard]] std::pair<std::string, std::string> unit_of(hid_t object, const std::string& text);

/// A unit in one spelling of many: "Metres per second", "m s^-1" and "m.s-1" are "m/s".
[[nodiscard]] std::string plain_unit(std::string_view unit);

/// What a unit of length is in m; nothing where it is not known as one.
[[nodiscard]] std::optional<double> length_unit(std::string_view unit);

}  // namespace tessera::io

#endif
