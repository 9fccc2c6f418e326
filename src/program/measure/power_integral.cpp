// SPDX-License-Identifier: Apache-2.0
#include "program/measure/power_integral.hpp"

#include <chrono>
#include <utility>

namespace tessera::measure {

PowerIntegral::PowerIntegral(std::string source, ReadPower watts, double interval_s)
    : source_(std::move(source)), watts_(std::move(watts)), interval_s_(interval_s) {
  thread_ = std::thread([this] { sample(); });
}

PowerIntegral::~PowerIntegral() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::optional<double> PowerIntegral::joules() {
  const std::lock_guard lock(mutex_);
  return readable_ ? std::optional(joules_) : std::nullopt;
}

void PowerIntegral::sample() {
  using Clock = std::chrono::steady_clock;
  auto before = Clock::now();
  std::optional<double> last = watts_();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::duration<double>(interval_s_), [&] { return stop_; })) {
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

}  // namespace tessera::measure
