// SPDX-License-Identifier: Apache-2.0
// Energy of a device that tells its power only: the power is sampled and integrated.
#pragma once

#include "program/measure/energy_counter.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tessera::measure {

/// Watts now; absent where they cannot be read.
using ReadPower = std::function<std::optional<double>()>;

class PowerIntegral : public EnergyCounter {
 public:
  /// Longer than what the power sensors of the devices without a counter take for a new value.
  static constexpr double kInterval_s = 0.1;

  /// Samples from now on, every `interval_s`, on a thread of its own.
  PowerIntegral(std::string source, ReadPower watts, double interval_s = kInterval_s);
  ~PowerIntegral() override;

  [[nodiscard]] std::string source() const override { return source_; }
  [[nodiscard]] std::optional<double> joules() override;

 private:
  void sample();

  std::string source_;
  ReadPower watts_;
  double interval_s_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool readable_ = true;
  double joules_ = 0;
  std::thread thread_;
};

}  // namespace tessera::measure
