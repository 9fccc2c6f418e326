// SPDX-License-Identifier: Apache-2.0
// A comparison as other programs read it.
#pragma once

#include "program/compare/comparison.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace tessera::compare {

/// Name and version of the layout of to_json().
inline constexpr const char* kComparisonSchema = "tessera-comparison-1";

/// Platforms, sets, problems with all lines, cascades, rank correlations and choices, families.
[[nodiscard]] nlohmann::json to_json(const Comparison& all);

/// The columns of the P3 analysis library, one line a variant, problem and platform: problem,
/// application, platform, fom (GCell/s of its best configuration; 0 where it is unsupported or
/// invalid), "app eff" and "arch eff", above 1 taken for 1; what was not run has no line. The
/// library takes no empty efficiency: where a rate has no bound the column "arch eff" is left out.
[[nodiscard]] std::string to_p3_csv(const Comparison& all);

/// Rates of to_p3_csv() whose bound nobody knows.
[[nodiscard]] std::size_t count_without_bound(const Comparison& all);

/// Every row of every file, one line each, with all that tells them apart: for data frames.
[[nodiscard]] std::string to_long_csv(const Comparison& all);

}  // namespace tessera::compare
