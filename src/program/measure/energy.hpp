// SPDX-License-Identifier: Apache-2.0
// The energy of timed samples: a counter of the machine is read before and after each, outside its
// clock.
#pragma once

#include "program/measure/energy_counter.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>

namespace tessera::measure {

/// Energy of several intervals together.
struct Energy {
  double joules = 0;
  double seconds = 0;
  int intervals = 0;
};

/// Where the two readings of an interval may be off by more than this fraction of it, no figure is
/// given.
inline constexpr double kLargestEnergyError = 0.2;

/// An interval that is run for the energy alone takes this many of the counter's periods.
inline constexpr double kEnergyPeriods = 6;

/// Joules that intervals of a run take, by a counter of the device or of the host's sockets.
class EnergyMeter {
 public:
  /// No counter: nothing is known, and every call below does nothing.
  EnergyMeter() = default;

  /// Observes for up to a second how often the counter takes a new value; one that takes none is
  /// let go.
  explicit EnergyMeter(std::optional<EnergyCounter> counter);

  /// Of the device in use, by its vendor's library; of a host, of its sockets by RAPL.
  [[nodiscard]] static EnergyMeter of_execution_space();

  /// Begins an interval: reads the counter.
  void start();
  /// Adds what was used since start(); an interval whose counter could not be read is left out.
  void stop(Energy& sum);

  /// The field `energy` of a row: see docs/results.md. `intervals` of `sum` are samples of `cells`
  /// cell updates each. Empty where there is no counter.
  [[nodiscard]] nlohmann::json to_json(const Energy& sum, double cells) const;

  [[nodiscard]] bool known() const { return counter_.has_value(); }
  [[nodiscard]] double period_s() const { return period_s_; }

 private:
  std::optional<EnergyCounter> counter_;
  double period_s_ = 0;
  std::optional<double> start_joules_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace tessera::measure
