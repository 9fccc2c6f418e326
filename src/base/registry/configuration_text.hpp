// SPDX-License-Identifier: Apache-2.0
// A configuration's text, made from its parameters.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera {

/// Extents of a tile, x first: "32x8x1"; 0, the region's own extent, is "full".
[[nodiscard]] inline std::string extents_text(std::initializer_list<int> extents) {
  std::string text;
  for (const int extent : extents) {
    if (!text.empty()) text += 'x';
    text += extent == 0 ? std::string("full") : std::to_string(extent);
  }
  return text;
}

/// What follows the extents: ",chunk=64"; nothing where `value` is the one that goes without
/// saying.
[[nodiscard]] inline std::string parameter_text(std::string_view name, int value, int unsaid = 0) {
  if (value == unsaid) return "";
  return "," + std::string(name) + "=" + std::to_string(value);
}

}  // namespace tessera
