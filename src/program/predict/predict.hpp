// SPDX-License-Identifier: Apache-2.0
// What the traffic model says of configurations, as tables and result files hold it.
#pragma once

#include "base/case/case.hpp"
#include "program/measure/kernel_resources.hpp"
#include "program/predict/attainable.hpp"
#include "program/predict/machine_model.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/published.hpp"
#include "program/results/result.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// What the models say on the launches of one configuration, regions added up.
struct TrafficPrediction {
  std::string unsupported;  ///< why there is none; empty where there is one
  std::string remark;       ///< of temporal blocking: what is attainable, and what binds
  model::ByStage volume;    ///< bytes a step, refined model
  model::ByStage seconds;   ///< of each stage alone
  double counted_gm = 0;    ///< of V_GM, what counters see of one kernel
  double step_s = 0;
  std::string binding;  ///< what takes longest of the longest region's launch
  model::ByStage paper_volume, paper_net_volume;  ///< with and without miss ratios
  double paper_s = 0, paper_net_s = 0, paper_adjusted_s = 0;
  std::string model;  ///< which one: "traffic model", "device model" or "host model"
  std::string ports;  ///< of the host model: "measured" or "constants" of a core's
  /// Of launches that advance several steps: the bound. Only the device and host models predict a
  /// time beside it.
  std::optional<model::Attainable> attainable;
  double valid_share = 1;
  double barriers = 0;  ///< of the whole device, that the launch waits at
  /// EBISU (11): of the time, what they leave; nothing where the machine's barrier is not known.
  std::optional<double> barrier_share = 1;
};

/// Seconds a step of `cells` cells by such a prediction with an attainable bound: the device or
/// host model's, else the practical share of the bound, which barriers and overlapping leave (EBISU
/// (1), (11)).
[[nodiscard]] double blocked_step_s(const TrafficPrediction& p, double cells);

/// Registers a thread by the compiler's table: the configuration's kernel for a stencil and a
/// region's formula; 0 where the table does not have it.
[[nodiscard]] int registers_of(const std::vector<measure::KernelResources>& table,
                               const Selected& how, const std::string& configuration,
                               const std::string& precision, const std::string& stencil,
                               const Region& region);

/// A case's problem, planned for a machine.
[[nodiscard]] Problem problem_on(const Case& c, const model::MachineModel& target);

/// Registers a thread of a region's kernel; 0: not known.
using RegistersOf = std::function<int(const Region&)>;

/// The launches of a configuration's regions as the models know them, or why there are none. Their
/// arrays are those of a grid of `cells` cells in all, which the regions may be a part of.
struct RegionKernels {
  std::string unsupported;
  std::vector<model::Kernel> kernels;
};
[[nodiscard]] RegionKernels kernels_of(const Selected& how, const std::vector<Region>& regions,
                                       const Problem& problem, double cells,
                                       const RegistersOf& registers);

/// The prediction for a configuration on regions of a grid that has `cells` cells in all: how much
/// memory the problem's arrays take follows from these.
[[nodiscard]] TrafficPrediction predict_regions(const Selected& how,
                                                const std::vector<Region>& regions,
                                                const Problem& problem, double cells,
                                                const model::MachineModel& target,
                                                const RegistersOf& registers);

/// The prediction for a configuration of a case on a machine. Registers come from the compiler's
/// table where there is one.
[[nodiscard]] TrafficPrediction predict_traffic(
    const Case& c, const Selected& how, const std::string& decomposition,
    const model::MachineModel& target, const std::vector<measure::KernelResources>& registers = {});

/// The same of some regions of it, on a device that holds so many of its cells.
[[nodiscard]] TrafficPrediction predict_regions(
    const Case& c, const Selected& how, const std::vector<Region>& regions, double cells,
    const model::MachineModel& target, const std::vector<measure::KernelResources>& registers = {});

/// The result file's `predicted`: volumes in bytes a cell, times, the stage that binds; of temporal
/// blocking what is attainable, and practical: its valid share. Where no model applies, "model" is
/// null and there is no "step_s"; "least_step_s" is minimal traffic at the memory's bandwidth.
[[nodiscard]] nlohmann::json predicted_json(const TrafficPrediction& prediction,
                                            const StepWork& work,
                                            const model::MachineModel& target);

/// The model of a machine for a precision: its file, with the peak of that.
[[nodiscard]] model::MachineModel model_for(const machine::Machine& machine,
                                            const std::string& precision);

/// The model of a machine for a case.
[[nodiscard]] model::MachineModel model_for(const machine::Machine& machine, const Case& c);

/// What the models say of one configuration in one decomposition.
struct PredictedRow {
  Selected how;
  std::string decomposition;
  TrafficPrediction prediction;
  /// predicted_json() with "name", "stencil", "decomposition", "unsupported" and, where it has one,
  /// "remark"; where there is a plan, its "resources" on that machine.
  nlohmann::json json;
};

/// The predictions of a case's configurations, except for those of other stencils. Throws Error
/// where none is left.
[[nodiscard]] std::vector<PredictedRow> predict_rows(
    const Case& c, const std::vector<Selected>& selection, const model::MachineModel& target,
    const std::vector<measure::KernelResources>& registers = {});

/// Sets "published" of a case's rows that a published table has, as in result files.
void set_published(std::vector<PredictedRow>& rows, const Case& c,
                   const results::Published& published);

/// What the models say of a quantity that a published column stands beside, by a row's JSON;
/// nothing where they do not.
[[nodiscard]] std::optional<double> predicted_quantity(const std::string& quantity,
                                                       const nlohmann::json& row,
                                                       const StepWork& work,
                                                       const model::MachineModel& target);

/// A case of a file of predictions: what is computed, and its rows.
[[nodiscard]] nlohmann::json predicted_case_json(const Case& c,
                                                 const std::vector<PredictedRow>& rows);

/// The file that tools/compare.py reads predictions from: schema, date, machine, build, cases.
[[nodiscard]] std::string prediction_file_text(const machine::Machine& machine,
                                               const nlohmann::json& cases);

}  // namespace tessera
