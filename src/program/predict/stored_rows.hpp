// SPDX-License-Identifier: Apache-2.0
// Rows of result files planned again by name: what a calibration fits to, and predictions beside
// what was measured and counted, which tools/model_error.py judges.
#pragma once

#include "base/registry/registry.hpp"
#include "program/measure/kernel_resources.hpp"
#include "program/predict/fit_constants.hpp"
#include "program/predict/predict.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/result.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A configuration's row of a result file, as its regions' launches.
struct StoredRow {
  const results::Result* result = nullptr;
  std::string file;  ///< its name without folder and extension
  Selected how;
  std::vector<Region> regions;
  Problem problem;                                   ///< without a machine
  std::optional<machine::StreamRates> streams = {};  ///< of the run
  double seconds = 0;                                ///< a step
  double cells = 0;
  machine::MaybeNumber counted_gm = {}, counted_l2 = {};  ///< bytes a step
  bool fitted = false;  ///< one of the half that calibration may use: the first, third ... of its
                        ///< family, repeats of a row on its side
};

/// What a folder holds: files, and the rows of them that ran and that there is a plan of.
struct StoredStudy {
  std::vector<std::filesystem::path> paths;
  std::vector<results::ResultFile> files;  ///< a path
  std::vector<StoredRow> rows;
  /// Rows of variants or configurations that this code has no plan of, by full name, each once.
  std::vector<std::string> unknown;
  int unknown_rows = 0;
};

/// The rows of result files, in their order.
[[nodiscard]] StoredStudy read_rows(const std::vector<std::filesystem::path>& paths,
                                    const Registry& registry);

/// All result files of a folder in the order of their names. Throws Error where there is none.
[[nodiscard]] StoredStudy read_study(const std::filesystem::path& folder, const Registry& registry);

/// What a plan of a row is made for, but for the machine.
[[nodiscard]] Problem problem_of(const results::Result& row);

/// The regions that a row's launches covered: its decomposition's, or the whole grid.
[[nodiscard]] std::vector<Region> regions_of(const results::Result& row);

/// What a calibration takes of the rows: all that the models describe and that are vectorised.
/// Throws Error where they are of the other kind of machine.
[[nodiscard]] std::vector<model::FamilyRun> family_runs(
    const StoredStudy& study, const machine::Machine& machine,
    const std::vector<measure::KernelResources>& registers);

/// All rows as their run had them, each with its prediction: {"schema", "machine", "rows",
/// "unpredicted", "unpredicted_rows", "unknown", "unknown_rows"}; hosts with the memory bandwidth
/// of the row's own run. Registers are the counters', else the table's. Throws Error where they are
/// of the other kind of machine.
[[nodiscard]] nlohmann::json predictions_of(const StoredStudy& study,
                                            const machine::Machine& machine,
                                            const std::vector<measure::KernelResources>& registers);

}  // namespace tessera
