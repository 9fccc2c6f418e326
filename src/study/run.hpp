// SPDX-License-Identifier: Apache-2.0
// A study: the configurations of a selection, verified, then timed in turn on one case.
#pragma once

#include "cases/case.hpp"
#include "results/result.hpp"
#include "study/predict.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tessera {

struct StudyOptions {
  double warmup_s = 0.5;       ///< for each configuration, at least one step
  int repetitions = 5;         ///< samples of `steps` steps each, from the initial data
  std::uint64_t seed = 1;      ///< of the data that verification draws
  model::MachineModel target;  ///< what predictions are made for: this machine
  std::vector<measure::KernelResources> registers;  ///< of the compiler's report; may be empty
};

/// Called as the study moves on, with one line for a terminal.
using StudyProgress = std::function<void(const std::string&)>;

/// A row that says what is run, and nothing yet of how it went.
[[nodiscard]] measure::Result empty_row(const Case& c, const Selected& how,
                                        const std::string& decomposition);

/// Verifies every configuration in every decomposition on small ragged grids, allocates the case,
/// checks one step at run size against the plainest of the family in `registry`, and then times
/// those that are right, round robin: a repetition is `case.steps` steps from the initial data.
/// Rows come back in the order of the selection, decomposition by decomposition. After an
/// interrupt, rows without a single whole repetition say so; nothing is thrown. Valid rows hold the
/// machine's prediction and the deviation from it.
[[nodiscard]] std::vector<measure::Result> run_study(
    Case& study_case, const std::vector<Selected>& selection, const Registry& registry,
    const StudyOptions& options, const std::optional<measure::StreamRates>& streams,
    const StudyProgress& progress);

}  // namespace tessera
