// SPDX-License-Identifier: Apache-2.0
// The textual header of the SEG-Y files that are written here.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace tessera::io {

/// The textual header: 40 lines of 80 characters, at most 38 of them the caller's.
[[nodiscard]] inline std::string segy_text(const std::vector<std::string>& lines) {
  constexpr std::size_t kLines = 40;
  constexpr std::size_t kColumns = 80;
  std::string text;
  for (std::size_t i = 0; i < kLines; ++i) {
    std::string line = fmt::format("C{:2} ", i + 1);
    if (i < lines.size() && i < kLines - 2) line += lines[i];
    if (i == kLines - 2) line += "SEG Y REV1";
    if (i == kLines - 1) line += "END TEXTUAL HEADER";
    line.resize(kColumns, ' ');
    text += line;
  }
  return text;
}

}  // namespace tessera::io
