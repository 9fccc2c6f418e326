// SPDX-License-Identifier: Apache-2.0
#include "program/shot/number_table.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace tessera::shot {
namespace {

/// Numbers between commas; nothing where a line is not of that form.
std::optional<std::array<double, 3>> numbers_of(std::string_view line, std::size_t columns) {
  constexpr double kLargest = 1e9;  // beyond it a number is a mistake
  std::array<double, 3> at{};
  for (std::size_t d = 0; d < columns; ++d) {
    const std::size_t comma = line.find(',');
    if ((comma == std::string_view::npos) != (d + 1 == columns)) return std::nullopt;
    const std::string_view cell = trimmed(line.substr(0, comma));
    const char* const end = cell.data() + cell.size();
    const auto [read, error] = std::from_chars(cell.data(), end, at[d]);
    if (error != std::errc() || read != end || !(std::abs(at[d]) <= kLargest)) return std::nullopt;
    if (d + 1 < columns) line.remove_prefix(comma + 1);
  }
  return at;
}

}  // namespace

std::vector<std::array<double, 3>> read_number_table(const std::filesystem::path& path,
                                                     const TableForm& form) {
  const std::string text = read_table(path);
  const auto columns =
      static_cast<std::size_t>(1 + std::count(form.title.begin(), form.title.end(), ','));
  std::string_view rest = text;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<std::array<double, 3>> rows;
  bool begun = false;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    const bool is_title = !std::exchange(begun, true) && line == form.title;
    if (is_title) continue;
    const auto row = numbers_of(line, columns);
    require(row.has_value(),
            "{}:{}: \"{}\" is not {}: expected {}, {}, with decimal points, in UTF-8",
            path.string(), number, shown(line), form.item, form.expected, form.title);
    require(rows.size() < form.most, "{}: more than {} lines", path.string(), form.most);
    rows.push_back(*row);
  }
  require(!rows.empty(), "{}: it holds no line {}", path.string(), form.title);
  return rows;
}

}  // namespace tessera::shot
