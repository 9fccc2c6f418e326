// SPDX-License-Identifier: Apache-2.0
#include "program/measure/energy.hpp"

#include "base/device/space.hpp"
#include "program/measure/device.hpp"
#include "program/results/statistics.hpp"

#include <fmt/core.h>

#include <utility>
#include <vector>

namespace tessera::measure {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double kLongestObservation_s = 1;
constexpr int kObservedUpdates = 6;

/// Seconds between a counter's new values; absent where it takes too few within a second.
std::optional<double> observe_period(const EnergyCounter& counter) {
  const Clock::time_point start = Clock::now();
  std::optional<double> last = counter.joules();
  std::optional<Clock::time_point> before;  // the update seen last
  std::vector<double> gaps;
  while (gaps.size() < kObservedUpdates && seconds_since(start) < kLongestObservation_s) {
    const std::optional<double> now = counter.joules();
    if (!now || !last) return std::nullopt;
    if (*now == *last) continue;
    if (before) gaps.push_back(seconds_since(*before));
    before = Clock::now();
    last = now;
  }
  if (gaps.empty()) return std::nullopt;
  return machine::summarise(gaps).median;
}

}  // namespace

EnergyMeter::EnergyMeter(std::optional<EnergyCounter> counter) : counter_(std::move(counter)) {
  if (!counter_) return;
  const auto period = observe_period(*counter_);
  if (period) {
    period_s_ = *period;
  } else {
    counter_.reset();
  }
}

EnergyMeter EnergyMeter::of_execution_space() {
#if defined(KOKKOS_ENABLE_CUDA)
  return EnergyMeter(open_nvml(device_properties().pci_bus));
#elif defined(KOKKOS_ENABLE_HIP)
  return EnergyMeter(open_rocm_smi(device_properties().pci_bus));
#else
  return EnergyMeter(open_rapl());
#endif
}

void EnergyMeter::start() {
  if (!counter_) return;
  start_joules_ = counter_->joules();
  start_ = Clock::now();
}

void EnergyMeter::stop(Energy& sum) {
  if (!counter_) return;
  const double seconds = seconds_since(start_);
  const auto now = counter_->joules();
  if (!now || !start_joules_) return;
  sum.joules += *now - *start_joules_;
  sum.seconds += seconds;
  ++sum.intervals;
}

nlohmann::json EnergyMeter::to_json(const Energy& sum, double cells) const {
  nlohmann::json out = nlohmann::json::object();
  if (!counter_) return out;
  out["source"] = counter_->source;
  out["period_s"] = period_s_;
  if (sum.intervals == 0) {
    out["reason"] = "the counter could not be read during the samples";
    return out;
  }
  const double seconds = sum.seconds / sum.intervals;
  const double joules = sum.joules / sum.intervals;
  const double error = period_s_ / seconds;
  out["seconds"] = seconds;
  out["error"] = error;
  if (error > kLargestEnergyError || joules <= 0) {
    out["reason"] = fmt::format(
        "samples of {:.3g} s are too short for a counter with a new value every {:.3g} s", seconds,
        period_s_);
    return out;
  }
  out["samples"] = sum.intervals;
  out["joules"] = joules;
  out["watts"] = joules / seconds;
  out["cells_per_joule"] = cells / joules;
  return out;
}

}  // namespace tessera::measure
