// SPDX-License-Identifier: Apache-2.0
// A study: the configurations of a selection, verified, then timed in turn on one case; and what
// `tessera run` prints before, instead of and after it.
#pragma once

#include "base/case/case.hpp"
#include "base/comm/ranks.hpp"
#include "program/measure/energy.hpp"
#include "program/predict/predict.hpp"
#include "program/results/result.hpp"
#include "program/results/study_table.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

using StudyRows = std::vector<results::Result>;

struct StudyOptions {
  double warmup_s = 0.5;       ///< for each configuration, at least one step
  int repetitions = 5;         ///< samples of `steps` steps each, from the initial data
  std::uint64_t seed = 1;      ///< of the data that verification draws
  model::MachineModel target;  ///< what predictions are made for: this machine
  std::vector<measure::KernelResources> registers;  ///< of the compiler's report; may be empty
  /// Rows of an earlier run: those that are finished are taken over as they are, not measured; of
  /// the others those with samples stay where their turn to be measured does not come.
  StudyRows earlier = {};
  /// When no more is begun: the time budget.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  /// Given all rows as they stand, every now and then while samples are taken.
  std::function<void(const StudyRows&)> save = nullptr;
  /// Opens the machine's energy counter; none: no energy is measured.
  std::function<measure::EnergyMeter()> open_meter = nullptr;
};

/// A seed from the clock, below 2^53: readers of JSON that know floating point alone keep it.
[[nodiscard]] std::uint64_t fresh_seed();

/// Whether every row of a selection is an earlier run's, so that nothing is left to measure.
[[nodiscard]] bool is_all_kept(const Case& study_case, const std::vector<Selected>& selection,
                               const StudyOptions& options);

/// Whether a row has all repetitions, or cannot run here: it is not measured again.
[[nodiscard]] bool is_finished(const results::Result& row, int repetitions);

/// Whether two rows, of whatever runs, are of the same configuration of the same case.
[[nodiscard]] bool is_alike(const results::Result& one, const results::Result& other);

/// Called as the study moves on: part of the stage that is done (0 begins one), and what it is at.
using StudyProgress = std::function<void(double part, const std::string& text)>;

/// A row that says what is run, and nothing yet of how it went.
[[nodiscard]] results::Result empty_row(const Case& c, const Selected& how,
                                        const std::string& decomposition);

/// Such rows of a selection, decomposition by decomposition: as run_study() gives them.
[[nodiscard]] StudyRows empty_rows(const Case& c, const std::vector<Selected>& selection);

/// Verifies every configuration in every decomposition on small ragged grids, allocates the case,
/// checks one step at run size against the plainest of the family in `registry`, and then times
/// those that are right, round robin: a repetition is `case.steps` steps from the initial data.
/// Where samples are too short for the energy counter, the fastest configuration of each variant
/// then runs on for as long as it takes. Rows come back in the order of the selection,
/// decomposition by decomposition. After an interrupt, or when the time budget is spent, rows with
/// fewer repetitions than requested say so, and those with none are `unmeasured`; nothing is
/// thrown. Valid rows hold the machine's prediction and the deviation from it.
[[nodiscard]] StudyRows run_study(Case& study_case, const std::vector<Selected>& selection,
                                  const Registry& registry, const StudyOptions& options,
                                  const std::optional<machine::StreamRates>& streams,
                                  const StudyProgress& progress);

/// Runs every configuration in every decomposition once, `case.steps` steps from the initial data:
/// no verification, no warm-up, no timing. An empty kernel named ProfileBegin precedes the steps of
/// each and one named ProfileEnd follows, so that whoever reads the profiler's list of kernels
/// finds the row that a kernel belongs to: the n-th pair encloses the n-th row whose status is
/// `unverified`. Throws Interrupted after the step under way.
[[nodiscard]] std::vector<results::Result> run_for_profiler(Case& profiled,
                                                            const std::vector<Selected>& selection,
                                                            const StudyProgress& progress);

/// One line, to stdout or where machines read that to stderr: grid, steps, memory, how many
/// configurations.
void print_case(const Case& c, const std::vector<Selected>& selection, std::FILE* to = stdout);

/// The plan of every configuration, memory, and the time that a memory bandwidth alone would allow;
/// no time where `gb_per_s` is 0. What cannot run here is counted by reason, and named with
/// `table`'s `all` or where it was requested by name. Measures and allocates nothing. Returns how
/// many rows can run.
int print_dry_run(const Case& c, const std::vector<Selected>& selection,
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
