// SPDX-License-Identifier: Apache-2.0
#include "program/predict/fit_constants.hpp"

#include "base/support/error.hpp"
#include "program/predict/coordinate_search.hpp"
#include "program/predict/device_model.hpp"
#include "program/predict/host_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace tessera::model {
namespace {

using machine::ModelConstants;

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

/// Mean over families of the mean of `error` over their rows of one half; rows of which it is below
/// 0 do not tell.
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

double volume_error(const std::vector<FamilyRun>& runs, const ModelConstants& constants,
                    bool fitted) {
  return family_mean(runs, fitted, [&](const FamilyRun& run) {
    if (!run.counted_gm) return -1.0;
    const StepPrediction p = predict_step(run.kernels, with(run, constants));
    return std::abs(p.counted_gm / *run.counted_gm - 1);
  });
}

}  // namespace

std::vector<MeasuredRun> single_kernels(const std::vector<FamilyRun>& runs) {
  std::vector<MeasuredRun> single;
  for (const FamilyRun& run : runs) {
    if (run.kernels.size() != 1 || run.kernels.front().depth > 1) continue;
    single.push_back({run.kernels.front(), run.seconds, run.counted_gm, run.counted_l2});
  }
  return single;
}

StepPrediction predict_step(const std::vector<Kernel>& kernels, const MachineModel& target) {
  StepPrediction sum;
  for (const Kernel& kernel : kernels) {
    if (target.gpu) {
      const DevicePrediction p = predict_device(kernel, target);
      sum.seconds += p.seconds_joined / kernel.depth;
      sum.counted_gm += p.counted_gm / kernel.depth;
    } else {
      const HostPrediction p = predict_host(kernel, target);
      sum.seconds += p.seconds / kernel.depth;
      sum.counted_gm += p.volume.gm / kernel.depth;
    }
  }
  return sum;
}

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
