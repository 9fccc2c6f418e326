// SPDX-License-Identifier: Apache-2.0
#include "program/measure/energy.hpp"

#include "base/device/space.hpp"
#include "program/measure/device.hpp"
#include "program/results/statistics.hpp"

#include <fmt/core.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
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

namespace {

namespace fs = std::filesystem;

std::optional<std::int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

/// One counter in microjoules, which starts again from zero behind its largest value.
struct Domain {
  fs::path counter;
  std::int64_t range = 0;  ///< largest value
  std::int64_t last = 0;
};

std::string name_of(const fs::path& domain) {
  std::ifstream file(domain / "name");
  std::string name;
  file >> name;
  return name;
}

}  // namespace

std::optional<EnergyCounter> open_rapl(const fs::path& root) {
  std::vector<Domain> domains;
  bool memory = false;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    // "intel-rapl" on AMD too. "intel-rapl-mmio" counts the same packages again, "psys" holds them,
    // and "core" and "uncore" are parts of them.
    if (entry.path().filename().string().rfind("intel-rapl:", 0) != 0) continue;
    const std::string name = name_of(entry.path());
    if (name.rfind("package", 0) != 0 && name != "dram") continue;
    Domain domain;
    domain.counter = entry.path() / "energy_uj";
    const auto now = number_in(domain.counter);
    const auto range = number_in(entry.path() / "max_energy_range_uj");
    if (!now || !range) return std::nullopt;
    domain.last = *now;
    domain.range = *range;
    memory = memory || name == "dram";
    domains.push_back(std::move(domain));
  }
  if (domains.empty()) return std::nullopt;
  const auto joules = [domains, sum = std::int64_t{0}]() mutable -> std::optional<double> {
    for (Domain& domain : domains) {
      const auto now = number_in(domain.counter);
      if (!now) return std::nullopt;
      sum += *now - domain.last;
      if (*now < domain.last) sum += domain.range;
      domain.last = *now;
    }
    return static_cast<double>(sum) * 1e-6;
  };
  return EnergyCounter{memory ? "rapl-package+dram" : "rapl-package", joules};
}

namespace {

class PowerIntegral {
 public:
  PowerIntegral(ReadPower watts, double interval_s)
      : watts_(std::move(watts)), interval_s_(interval_s), thread_([this] { sample(); }) {}
  PowerIntegral(const PowerIntegral&) = delete;
  PowerIntegral& operator=(const PowerIntegral&) = delete;
  ~PowerIntegral() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  std::optional<double> joules() {
    const std::lock_guard lock(mutex_);
    return readable_ ? std::optional(joules_) : std::nullopt;
  }

 private:
  void sample() {
    using Clock = std::chrono::steady_clock;
    auto before = Clock::now();
    std::optional<double> last = watts_();
    std::unique_lock lock(mutex_);
    while (
        !wake_.wait_for(lock, std::chrono::duration<double>(interval_s_), [&] { return stop_; })) {
      const std::optional<double> watts = watts_();
      const auto now = Clock::now();
      readable_ = last && watts;
      if (readable_) {
        joules_ += 0.5 * (*last + *watts) * std::chrono::duration<double>(now - before).count();
      }
      before = now;
      last = watts;
    }
  }

  ReadPower watts_;
  double interval_s_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool readable_ = true;
  double joules_ = 0;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace

EnergyCounter integrate_power(std::string source, ReadPower watts, double interval_s) {
  auto integral = std::make_shared<PowerIntegral>(std::move(watts), interval_s);
  return {std::move(source), [integral] { return integral->joules(); }};
}

}  // namespace tessera::measure
