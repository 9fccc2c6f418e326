// SPDX-License-Identifier: Apache-2.0
// CSV files of numbers that decks name: places, wavelets.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::shot {

/// What a line of such a file is.
struct TableForm {
  std::string title;     ///< of the columns, "x,y,z", which the first line may be
  std::string item;      ///< "a place"
  std::string expected;  ///< "three numbers up to 1e9 in m"
  std::size_t most = 1 << 20;
};

/// Reads a CSV file in UTF-8, as many numbers a line as the title has columns, at most three. A
/// first line that is the title, empty lines and those that begin with # are ignored. Throws Error,
/// naming file and line, for any other line, for too many of them and for none.
[[nodiscard]] std::vector<std::array<double, 3>> read_number_table(
    const std::filesystem::path& path, const TableForm& form);

}  // namespace tessera::shot
