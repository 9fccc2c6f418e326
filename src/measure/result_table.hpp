// SPDX-License-Identifier: Apache-2.0
// Results as people and spreadsheets read them: a terminal table and a flat CSV.
#pragma once

#include "measure/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::measure {

/// A table as text: columns padded, a rule below the first row. The first `words` columns and the
/// last `closing_words` are set to the left, figures to the right. All rows have as many cells.
[[nodiscard]] std::string layout_table(const std::vector<std::vector<std::string>>& rows,
                                       std::size_t words, std::size_t closing_words);

/// A table of one row a result, units in the column names, '-' where there is no figure. A noisy
/// row has '~' before its median; reasons of rows that are not valid follow below.
[[nodiscard]] std::string format_table(const std::vector<Result>& results);

/// Volumes that hardware counters measured, beside the smallest possible; intensities and roofline
/// fractions by them. Empty where no row has counters.
[[nodiscard]] std::string format_volumes(const std::vector<Result>& results);

/// The file's rows as CSV (RFC 4180, one header line). The columns application, problem, platform
/// and fom come first and are what performance-portability tools look for: fom is the median
/// GCell/s, larger is better, empty where the result is not valid.
[[nodiscard]] std::string to_csv(const ResultFile& file);

/// Writes to_csv() whole or not at all.
void write_csv(const ResultFile& file, const std::filesystem::path& path);

}  // namespace tessera::measure
