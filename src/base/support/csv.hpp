// SPDX-License-Identifier: Apache-2.0
// Lines of CSV (RFC 4180).
#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A cell: in quotes where it holds a comma, a quote or a line break.
[[nodiscard]] inline std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

/// Shortest text that reads back as the same number; empty where there is none.
[[nodiscard]] inline std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

/// A line with its end.
[[nodiscard]] inline std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    out += csv_quoted(cells[i]);
  }
  return out + '\n';
}

}  // namespace tessera
