// SPDX-License-Identifier: Apache-2.0
// A running total of energy, as a machine keeps it.
#pragma once

#include <optional>
#include <string>

namespace tessera::measure {

class EnergyCounter {
 public:
  EnergyCounter() = default;
  EnergyCounter(const EnergyCounter&) = delete;
  EnergyCounter& operator=(const EnergyCounter&) = delete;
  virtual ~EnergyCounter() = default;

  /// What counts and what is counted: "nvml", "rapl-package+dram".
  [[nodiscard]] virtual std::string source() const = 0;

  /// Joules since some moment before the counter was opened; absent where it cannot be read now.
  /// Never goes back.
  [[nodiscard]] virtual std::optional<double> joules() = 0;
};

}  // namespace tessera::measure
