// SPDX-License-Identifier: Apache-2.0
// A study's answer: for each stencil and decomposition a table, best first, and a sentence on the
// fastest.
#pragma once

#include "program/results/result.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::results {

struct StudyTableOptions {
  std::size_t width = 80;  ///< of the terminal: columns that do not fit are left out
  bool all = false;        ///< also name what cannot run here, each with its reason
  /// Configurations that were requested without wildcards: these say why they cannot run.
  std::vector<std::string> by_name;
};

/// Tables of rates, shares of the bound, times the baseline ('*'), predictions and bounds, in
/// GCell/s; '-' where there is no figure. Invalid rows follow with their reasons; those that cannot
/// run here are counted by reason in one line.
[[nodiscard]] std::string format_study(const std::vector<Result>& results,
                                       const StudyTableOptions& options);

/// "3 rows cannot run here (2 a device tile; 1 for devices); --all names them" with its newline;
/// nothing of no rows.
[[nodiscard]] std::string count_by_reason(const std::map<std::string, int>& rows, const char* what);

/// For each stencil one sentence: the fastest, its rate, times the baseline, share of its bound and
/// what holds it back; `on_host` names the model's stages as a host's caches. Empty where nothing
/// is valid.
[[nodiscard]] std::string format_winners(const std::vector<Result>& results,
                                         const std::optional<Roofline>& roofline,
                                         bool on_host = false);

/// A line for benchmark harnesses, "FOM NAME = VALUE GCell/s". In NAME blanks become '_' and ':',
/// at which ReFrame splits the keys of references, '/'.
[[nodiscard]] std::string figure_of_merit(std::string name, double gcell_per_s);

/// Such a line a valid row, with the median rate; NAME is
/// FAMILY/VARIANT/TILE/STENCIL/DECOMPOSITION/PRECISION.
[[nodiscard]] std::string format_figures_of_merit(const std::vector<Result>& results);

/// The last block of a run: that line of the fastest valid row, then "PASS", or "FAIL" where a row
/// is invalid or none is valid.
[[nodiscard]] std::string format_verdict(const std::vector<Result>& results);

/// Rows with those of one stencil and decomposition together, in order of their first, best first.
[[nodiscard]] std::vector<Result> best_first(std::vector<Result> results);

}  // namespace tessera::results
