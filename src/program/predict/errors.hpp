// SPDX-License-Identifier: Apache-2.0
// How far predictions are from stored results: rows of result files planned again by name,
// predicted for a machine and set against what was measured and counted.
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

/// The configuration that a row names, which this binary need not have a kernel of; nothing where
/// it has no plan either.
[[nodiscard]] std::optional<Selected> find_configuration(const results::Result& row,
                                                         const Registry& registry);

/// The regions that a row's launches covered: its decomposition's, or the whole grid.
[[nodiscard]] std::vector<Region> regions_of(const results::Result& row);

/// Throws Error where a file of a study is of the other kind than a machine: a GPU's model says
/// nothing of a CPU's rows. Files that do not tell their kind are taken.
void require_kind(const StoredStudy& study, const machine::Machine& machine);

/// The prediction for a stored row on a machine; hosts with the memory bandwidth of the row's own
/// run. Registers are the counters', else the table's.
[[nodiscard]] TrafficPrediction predict_stored(
    const StoredRow& row, const machine::Machine& machine,
    const std::vector<measure::KernelResources>& registers);

/// What a calibration takes of the rows: all that the models describe and that are vectorised.
/// Throws Error where they are of the other kind of machine.
[[nodiscard]] std::vector<model::FamilyRun> family_runs(
    const StoredStudy& study, const machine::Machine& machine,
    const std::vector<measure::KernelResources>& registers);

/// A row with its prediction.
struct JudgedRow {
  const StoredRow* stored = nullptr;
  double predicted_s = 0;
  machine::MaybeNumber predicted_gm;
  std::string binding;
  bool vectorised = true;  ///< of a host: whether its plan says so
  [[nodiscard]] double ratio() const { return predicted_s / stored->seconds; }
};

/// Rows with a prediction, and which have none.
struct JudgedStudy {
  std::vector<JudgedRow> rows;
  std::vector<std::string> unpredicted;  ///< by full name, each once
  int unpredicted_rows = 0;
};
/// The rows beside their predictions. Throws Error where they are of the other kind of machine.
[[nodiscard]] JudgedStudy judge(const StoredStudy& study, const machine::Machine& machine,
                                const std::vector<measure::KernelResources>& registers);

/// Mean |predicted / measured - 1| of some rows; nothing of none.
struct FamilyErrors {
  std::string family;
  int fitted_rows = 0, judged_rows = 0, counted_rows = 0, scalar_rows = 0;
  double fitted = 0, judged = 0;  ///< of time, rows that are vectorised
  double scalar = 0;              ///< of time, a host's other rows
  double volume = 0;              ///< of counted device-memory volume
  double rank = 0;                ///< Spearman's, of time a cell, all rows
  double measured_s = 0;          ///< all rows' steps together: tells other rows apart
};
[[nodiscard]] std::vector<FamilyErrors> errors_by_family(const JudgedStudy& study);

/// Spearman's rank correlation; 1 of fewer than two.
[[nodiscard]] double spearman(const std::vector<double>& a, const std::vector<double>& b);

/// The rows with the largest |log(predicted / measured)|, the worst first.
[[nodiscard]] std::vector<const JudgedRow*> worst_rows(const JudgedStudy& study, std::size_t most);

}  // namespace tessera
