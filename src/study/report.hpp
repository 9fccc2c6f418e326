// SPDX-License-Identifier: Apache-2.0
// What `tessera run` prints before, instead of and after a study.
#pragma once

#include "cases/case.hpp"
#include "results/result.hpp"
#include "study/run.hpp"

#include <vector>

namespace tessera {

inline constexpr double kBytesPerGiB = 1024.0 * 1024.0 * 1024.0;

/// One line: grid, steps, memory, how many configurations.
void print_case(const Case& c, const std::vector<Selected>& selection);

/// The plan of every configuration, memory, and the time that memory alone would allow.
void print_dry_run(const Case& c, const std::vector<Selected>& selection,
                   const StudyOptions& options, const measure::StreamRates& streams);

/// The tables of a study: rates, measured volumes where counters are there, published figures
/// beside; then the final field's range, once where all configurations agree.
void print_study(const measure::ResultFile& file);

/// Throws Error, with both figures, where the case needs more memory than there is.
void require_memory(const Case& c);

}  // namespace tessera
