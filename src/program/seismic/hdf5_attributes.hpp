// SPDX-License-Identifier: Apache-2.0
// Attributes of HDF5 objects as texts and numbers.
#pragma once

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_handle.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// How messages about what a model's file says of itself end.
inline constexpr const char* kWayOut = "model.check_headers = false passes over it";

/// Whether an object has an attribute `name` that text_attribute() takes.
[[nodiscard]] bool is_text_attribute(hid_t object, const char* name, const std::string& text);

/// The attribute `name` of an object as a text, of fixed or variable length, without blanks at its
/// end; empty where there is none, or one without a value. Throws Error, beginning with `text`,
/// where it is no single text of at most 4096 characters.
[[nodiscard]] std::string text_attribute(hid_t object, const char* name, const std::string& text);

/// The same as a number; `otherwise` where there is none, or one without a value. Throws Error
/// where it is no single number.
[[nodiscard]] double number_attribute(hid_t object, const char* name, double otherwise,
                                      const std::string& text);

/// The numbers of an attribute, each the float that HDF5 makes of a value like it of a dataset;
/// none where there is no such attribute, or one without values. Throws Error where it is not up to
/// 64 numbers.
[[nodiscard]] std::vector<float> float_attribute(hid_t object, const char* name,
                                                 const std::string& text);

}  // namespace tessera::io

#endif
