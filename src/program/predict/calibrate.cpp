// SPDX-License-Identifier: Apache-2.0
#include "program/predict/calibrate.hpp"

#include "base/support/error.hpp"
#include "program/predict/coordinate_search.hpp"
#include "program/predict/machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace tessera::model {
namespace {

using machine::MaybeNumber;
using machine::ModelConstants;
using Runs = std::vector<const MeasuredRun*>;

/// |predicted / measured - 1| of a run, or nothing where the run does not tell.
using RunError = std::function<MaybeNumber(const MeasuredRun&, const MachineModel&)>;

/// Bytes of the arrays.
double footprint_bytes(const Kernel& k) {
  double bytes = 0;
  for (const ArrayUse& array : k.arrays) {
    bytes += array.share * static_cast<double>(k.grid.product()) * k.value_bytes;
  }
  return bytes;
}

double deviation(double predicted, double measured) { return std::abs(predicted / measured - 1); }

MaybeNumber time_error(const MeasuredRun& run, const MachineModel& target) {
  return deviation(predict_refined(run.kernel, target).step_s, run.seconds);
}

MaybeNumber gm_error(const MeasuredRun& run, const MachineModel& target) {
  if (!run.counted_gm) return std::nullopt;
  return deviation(predict_refined(run.kernel, target).counted_gm, *run.counted_gm);
}

MaybeNumber paper_gm_error(const MeasuredRun& run, const MachineModel& target) {
  if (!run.counted_gm) return std::nullopt;
  return deviation(predict_by_paper(run.kernel, target).volume.gm, *run.counted_gm);
}

/// Of V_L2 by Su's formulas, for kernels that (17) holds for, or for those that (8) does.
RunError paper_l2_error(bool past_capacity) {
  return [past_capacity](const MeasuredRun& run, const MachineModel& target) -> MaybeNumber {
    if (!run.counted_l2) return std::nullopt;
    const PaperPrediction paper = predict_by_paper(run.kernel, target);
    if (paper.past_capacity != past_capacity) return std::nullopt;
    return deviation(paper.volume.l2, *run.counted_l2);
  };
}

/// Mean over the runs that tell; nothing where none does.
MaybeNumber mean(const Runs& runs, const MachineModel& target, const RunError& error) {
  double sum = 0;
  int count = 0;
  for (const MeasuredRun* run : runs) {
    if (const MaybeNumber e = error(*run, target)) sum += *e, ++count;
  }
  return count == 0 ? std::nullopt : MaybeNumber(sum / count);
}

/// A parameter, and where the search begins that finds no value of it.
struct Unknown {
  Parameter parameter;
  double start;
};

void minimise(MachineModel& target, const Runs& runs, const std::vector<Unknown>& unknowns,
              const RunError& error) {
  if (!mean(runs, target, error)) return;
  std::vector<Parameter> parameters;
  for (const auto& [parameter, start] : unknowns) {
    MaybeNumber& value = target.constants.*parameter.member;
    if (!value) value = start;
    parameters.push_back(parameter);
  }
  const auto of = [&](const ModelConstants& tried) {
    MachineModel with = target;
    with.constants = tried;
    return *mean(runs, with, error);
  };
  ModelConstants found = target.constants;
  search(found, parameters, of, 2, 1e-6);
  target.constants = found;
}

/// A small constant that may also be 0.
void minimise_or_zero(MachineModel& target, const Runs& runs, MaybeNumber ModelConstants::*member,
                      const RunError& error) {
  if (!mean(runs, target, error)) return;
  minimise(target, runs, {{{member, 1e-6, 10}, 0.01}}, error);
  const double fitted = *mean(runs, target, error);
  const double value = *(target.constants.*member);
  target.constants.*member = 0;
  if (fitted < *mean(runs, target, error)) target.constants.*member = value;
}

}  // namespace

std::size_t large_enough(const MachineModel& target, const std::vector<MeasuredRun>& runs) {
  return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [&](const auto& run) {
    return footprint_bytes(run.kernel) >= 4 * target.l2_bytes;
  }));
}

ModelConstants calibrate(const MachineModel& machine, const std::vector<MeasuredRun>& runs) {
  Runs large;
  for (const MeasuredRun& run : runs) {
    if (footprint_bytes(run.kernel) >= 4 * machine.l2_bytes) large.push_back(&run);
  }
  require(large.size() >= 4,
          "a calibration requires at least four runs whose arrays take four times the shared cache "
          "({:.0f} bytes) or more; of {} runs {} do",
          machine.l2_bytes, runs.size(), large.size());
  Runs fitted, judged;
  for (std::size_t i = 0; i < large.size(); ++i) (i % 2 == 0 ? fitted : judged).push_back(large[i]);
  MachineModel target = machine;
  using C = ModelConstants;
  // 1. Su's constants, from volumes.
  minimise_or_zero(target, fitted, &C::delta, paper_l2_error(false));
  minimise_or_zero(target, fitted, &C::eta, paper_l2_error(true));
  minimise_or_zero(target, fitted, &C::epsilon, paper_gm_error);
  // 2. The refined model's, from volumes and then from times.
  minimise(target, fitted, {{{&C::l2_share, 0.05, 1}, 0.4}, {{&C::dirty_share, 0.001, 1}, 0.2}},
           gm_error);
  std::vector<Unknown> of_time = {{{&C::l2_scale, 0.3, 4}, 1.5}, {{&C::overlap, 1, 16}, 3}};
  if (target.gpu) {
    of_time.insert(of_time.end(), {{{&C::tail, 0.01, 1}, 0.5},
                                   {{&C::team_ns, 1, 1000}, 80},
                                   {{&C::warp_us, 1e-4, 1}, 0.02},
                                   {{&C::plane_us, 0.01, 10}, 0.7}});
  }
  minimise(target, fitted, of_time, time_error);
  C& constants = target.constants;
  for (MaybeNumber C::*member :
       {&C::delta, &C::epsilon, &C::eta, &C::l2_share, &C::dirty_share, &C::l2_scale, &C::overlap,
        &C::tail, &C::team_ns, &C::warp_us, &C::plane_us}) {
    if (constants.*member) constants.*member = rounded(*(constants.*member));
  }
  constants.time_residual = rounded(*mean(judged, target, time_error));
  if (const MaybeNumber volume = mean(judged, target, gm_error)) {
    constants.volume_residual = rounded(*volume);
  }
  constants.runs = static_cast<double>(large.size());
  return constants;
}

}  // namespace tessera::model
