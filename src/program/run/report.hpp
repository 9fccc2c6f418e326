// SPDX-License-Identifier: Apache-2.0
// What `tessera run` prints before, instead of and after a study.
#pragma once

#include "base/case/case.hpp"
#include "program/results/result.hpp"
#include "program/results/study_table.hpp"
#include "program/run/run.hpp"

#include <cstdio>
#include <vector>

namespace tessera {

/// One line, to stdout or where machines read that to stderr: grid, steps, memory, how many
/// configurations.
void print_case(const Case& c, const std::vector<Selected>& selection, std::FILE* to = stdout);

/// The plan of every configuration, memory, and the time that a memory bandwidth alone would allow;
/// no time where `gb_per_s` is 0. What cannot run here is counted by reason, and named with
/// `table`'s `all` or where it was asked for by name. Measures and allocates nothing.
void print_dry_run(const Case& c, const std::vector<Selected>& selection,
                   const StudyOptions& options, double gb_per_s,
                   const results::StudyTableOptions& table);

/// How a study is shown.
struct ReportOptions {
  bool wide = false;  ///< every column, whatever the terminal's width
  results::StudyTableOptions table;
};

/// The tables of a study: rates, measured volumes where counters are there, published figures
/// beside; then the final field's range, once where all configurations agree, and which is fastest.
void print_study(const results::ResultFile& file, const ReportOptions& options);

/// Throws Error, with both figures, where the case needs more memory than there is.
void require_memory(const Case& c);

}  // namespace tessera
