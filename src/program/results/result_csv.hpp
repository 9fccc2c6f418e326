// SPDX-License-Identifier: Apache-2.0
// Results as spreadsheets read them: a flat CSV.
#pragma once

#include "program/results/result.hpp"

#include <filesystem>
#include <string>

namespace tessera::results {

/// The file's rows as CSV (RFC 4180, one header line). The columns application, problem, platform
/// and fom come first and are what performance-portability tools look for: fom is the median
/// GCell/s, larger is better, empty where the result is not valid.
[[nodiscard]] std::string to_csv(const ResultFile& file);

/// Writes to_csv() whole or not at all.
void write_csv(const ResultFile& file, const std::filesystem::path& path);

}  // namespace tessera::results
