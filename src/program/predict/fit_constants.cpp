// SPDX-License-Identifier: Apache-2.0
#include "program/predict/fit_constants.hpp"

#include "base/support/error.hpp"
#include "program/predict/machine_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace tessera::model {
namespace {

using machine::ModelConstants;

/// A constant that is searched for, and the range in which it has a meaning.
struct Parameter {
  machine::MaybeNumber ModelConstants::*member;
  double lowest, highest;
};

/// Moves each parameter in turn by a factor up and down, from `factor` on, which shrinks where
/// nothing makes the error smaller by `gain` any more. Deterministic, and good for a dozen
/// parameters; all of them have a value.
void search(ModelConstants& constants, const std::vector<Parameter>& parameters,
            const std::function<double(const ModelConstants&)>& error, double factor, double gain) {
  double best = error(constants);
  while (factor > 1.005) {
    bool better = false;
    for (const Parameter& p : parameters) {
      for (const double by : {factor, 1 / factor}) {
        ModelConstants tried = constants;
        tried.*p.member = std::clamp(*(constants.*p.member) * by, p.lowest, p.highest);
        const double found = error(tried);
        if (found >= best - gain) continue;
        best = found;
        constants = tried;
        better = true;
      }
    }
    if (!better) factor = std::sqrt(factor);
  }
}

/// Three digits: more are not in the runs.
double rounded(double value) { return std::stod(fmt::format("{:.3g}", value)); }

/// Ranges in which a constant has a meaning.
std::vector<Parameter> parameters_of_time(bool gpu) {
  using C = ModelConstants;
  if (gpu) {
    return {{&C::trip_cycles, 300, 2500},    {&C::translation, 0.001, 0.6},
            {&C::barrier_cycles, 1, 600},    {&C::start_cycles, 20, 4000},
            {&C::warp_cycles, 0.5, 60},      {&C::own_work, 0.02, 1.5},
            {&C::level_cycles, 5, 1200},     {&C::exchange_us, 0.3, 8},
            {&C::misses_per_cycle, 0.05, 1}, {&C::l2_scale, 0.6, 4},
            {&C::overlap, 1.05, 8},          {&C::tail, 0.05, 1}};
  }
  return {{&C::port_share, 0.4, 3},
          {&C::flop_cycles, 0.04, 2.4},
          {&C::gather_cycles, 0.2, 5},
          {&C::row_cycles, 1, 150},
          {&C::layer_cycles, 0.1, 40},
          {&C::scratch_cycles, 0.0005, 1.5},
          {&C::scalar_cycles, 0.1, 3},
          {&C::l2_bytes_per_cycle, 12, 128},
          {&C::l3_bytes_per_cycle, 4, 64},
          {&C::memory_scale, 0.7, 1.25},
          {&C::overlap, 1, 8}};
}

/// Mean over families of the mean of `error` over their rows of one half; rows in which it is
/// below 0 are left out.
double family_mean(const std::vector<FamilyRun>& runs, bool fitted,
                   const std::function<double(const FamilyRun&)>& error) {
  std::map<std::string, std::pair<double, int>> families;
  for (const FamilyRun& run : runs) {
    if (run.fitted != fitted) continue;
    const double e = error(run);
    if (e < 0) continue;
    auto& [sum, count] = families[run.family];
    sum += std::min(e, 1.0), ++count;
  }
  double all = 0;
  for (const auto& [name, family] : families) all += family.first / family.second;
  return families.empty() ? 0 : all / static_cast<double>(families.size());
}

MachineModel with(const FamilyRun& run, const ModelConstants& constants) {
  MachineModel target = run.machine;
  target.constants = constants;
  return target;
}

/// A step by the model that the constants are of.
struct StepPrediction {
  double seconds = 0, counted_gm = 0;
};

StepPrediction predict_step(const std::vector<Kernel>& kernels, const MachineModel& target) {
  StepPrediction sum;
  for (const Kernel& kernel : kernels) {
    const LaunchPrediction p = predict_launch(kernel, target);
    sum.seconds += p.total_s / kernel.depth;
    sum.counted_gm += p.counted_gm / kernel.depth;
  }
  return sum;
}

double volume_error(const std::vector<FamilyRun>& runs, const ModelConstants& constants,
                    bool fitted) {
  return family_mean(runs, fitted, [&](const FamilyRun& run) {
    if (!run.counted_gm) return -1.0;
    const StepPrediction p = predict_step(run.kernels, with(run, constants));
    return std::abs(p.counted_gm / *run.counted_gm - 1);
  });
}

/// A run of one launch that advances one step, whose arrays L2 does not hold: what Su's formulas
/// are for.
bool is_for_su(const FamilyRun& run) {
  if (run.kernels.size() != 1 || run.kernels.front().depth > 1) return false;
  const Kernel& k = run.kernels.front();
  double elements = 0;
  for (const ArrayUse& array : k.arrays) {
    elements += array.share * static_cast<double>(k.grid.product());
  }
  return elements * k.value_bytes >= 4 * run.machine.l2_bytes;
}

/// One of Su's constants, which may be 0, by the bytes that a run is predicted and counted; rows
/// with a count below 0 are left out.
void fit_su(ModelConstants& c, const std::vector<FamilyRun>& runs,
            machine::MaybeNumber ModelConstants::*member,
            const std::function<std::pair<double, double>(const FamilyRun&,
                                                          const PaperPrediction&)>& volumes) {
  const auto of = [&](const ModelConstants& tried) {
    return family_mean(runs, true, [&](const FamilyRun& run) {
      if (!is_for_su(run)) return -1.0;
      const auto [predicted, counted] =
          volumes(run, predict_by_paper(run.kernels.front(), with(run, tried)));
      return counted > 0 ? std::abs(predicted / counted - 1) : -1.0;
    });
  };
  ModelConstants none = c, found = c;
  none.*member = 0;
  if (of(none) <= 0) return;
  if ((found.*member).value_or(0) <= 0) found.*member = 0.01;
  search(found, {{member, 1e-6, 10}}, of, 2, 1e-6);
  c.*member = of(found) < of(none) ? rounded(*(found.*member)) : 0;
}

void fit_su(ModelConstants& c, const std::vector<FamilyRun>& runs) {
  const auto of_l2 = [](bool past_capacity) {
    return [past_capacity](const FamilyRun& run, const PaperPrediction& p) {
      const bool tells = p.past_capacity == past_capacity;
      return std::pair(p.volume.l2, tells ? run.counted_l2.value_or(-1) : -1);
    };
  };
  fit_su(c, runs, &ModelConstants::delta, of_l2(false));
  fit_su(c, runs, &ModelConstants::eta, of_l2(true));
  fit_su(c, runs, &ModelConstants::epsilon, [](const FamilyRun& run, const PaperPrediction& p) {
    return std::pair(p.volume.gm, run.counted_gm.value_or(-1));
  });
}

}  // namespace

double mean_error(const std::vector<FamilyRun>& runs, const ModelConstants& constants,
                  bool fitted) {
  return family_mean(runs, fitted, [&](const FamilyRun& run) {
    return std::abs(
        std::log(predict_step(run.kernels, with(run, constants)).seconds / run.seconds));
  });
}

ModelConstants fit_constants(const std::vector<FamilyRun>& runs, const ModelConstants& start) {
  const auto fitted =
      std::count_if(runs.begin(), runs.end(), [](const auto& r) { return r.fitted; });
  require(fitted >= 4, "a calibration requires at least four rows to fit to, and {} are there",
          fitted);
  ModelConstants c = start;
  const bool gpu = runs.front().machine.gpu;
  if (gpu) fit_su(c, runs);
  using C = ModelConstants;
  const auto of_volume = [&](const C& tried) { return volume_error(runs, tried, true); };
  constexpr double kFactor = 1.5, kGain = 1e-5;
  if (of_volume(c) > 0) search(c, {{&C::l2_share, 0.2, 1}}, of_volume, kFactor, kGain);
  search(
      c, parameters_of_time(gpu), [&](const C& tried) { return mean_error(runs, tried, true); },
      kFactor, kGain);
  for (const Parameter& p : parameters_of_time(gpu)) c.*p.member = rounded(*(c.*p.member));
  c.l2_share = rounded(*c.l2_share);
  c.time_residual = rounded(mean_error(runs, c, false));
  if (const double volume = volume_error(runs, c, false); volume > 0) {
    c.volume_residual = rounded(volume);
  }
  c.runs = static_cast<double>(runs.size());
  return c;
}

}  // namespace tessera::model
