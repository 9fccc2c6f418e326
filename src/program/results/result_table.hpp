// SPDX-License-Identifier: Apache-2.0
// Results as people read them: tables for a terminal, and stages in words.
#pragma once

#include "program/results/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::results {

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

/// "the L2 cache", "L1 and scratch", "the latency of a team's steps", ...: a stage as a sentence
/// names it. `stage` and `model` are `binding` and `model` of a row's `predicted`, of which the
/// device and the host model have stages of their own; `on_host`: those of the other models lie in
/// a host's caches. What is no such stage stays as it is.
[[nodiscard]] std::string stage_words(const std::string& stage, std::string_view model,
                                      bool on_host);

}  // namespace tessera::results
