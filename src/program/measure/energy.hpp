// SPDX-License-Identifier: Apache-2.0
// The energy of timed samples: a counter of the machine is read before and after each, outside its
// clock. A counter is a running total as a machine keeps it: of a GPU by its vendor's library, of a
// host's sockets by RAPL.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace tessera::measure {

struct EnergyCounter {
  std::string source;  ///< what counts and what is counted: "nvml", "rapl-package+dram"
  /// Joules since some moment before the counter was opened; absent where it cannot be read now.
  /// Never decreases.
  std::function<std::optional<double>()> joules;
};

/// The NVIDIA board at a PCI bus address ("0000:1b:00.0"): its counter ("nvml"), which boards have
/// from Volta on, or its sampled power ("nvml-power"). Absent where the library, the board or both
/// figures are missing.
[[nodiscard]] std::optional<EnergyCounter> open_nvml(const std::string& pci_bus);

/// The AMD GPU at a PCI bus address likewise: "rocm-smi" or "rocm-smi-power".
[[nodiscard]] std::optional<EnergyCounter> open_rocm_smi(const std::string& pci_bus);

/// The identifier by which ROCm SMI knows a PCI bus address ("0000:c1:00.0"), domain in the upper
/// half; absent where the text is not a number.
[[nodiscard]] std::optional<std::uint64_t> rocm_smi_bus_id(const std::string& pci_bus);

/// Every package of the host, and its memory where that has a counter of its own, by Linux'
/// powercap files. Absent where `root` has none, or where one of them cannot be read: a part of the
/// sockets would mislead.
[[nodiscard]] std::optional<EnergyCounter> open_rapl(
    const std::filesystem::path& root = "/sys/class/powercap");

/// Watts now; absent where they cannot be read.
using ReadPower = std::function<std::optional<double>()>;

/// Energy of a device that has a figure of its power only: sampled every `interval_s` on a thread
/// of its own, and integrated. The usual interval is longer than such sensors take for a new value.
[[nodiscard]] EnergyCounter integrate_power(std::string source, ReadPower watts,
                                            double interval_s = 0.1);

/// Energy of several intervals together.
struct Energy {
  double joules = 0;
  double seconds = 0;
  int intervals = 0;
};

/// Where the two readings of an interval may be off by more than this fraction of it, no figure is
/// given.
inline constexpr double kLargestEnergyError = 0.2;

/// An interval that is run for the energy alone takes this many of the counter's periods: it may be
/// off by 2 %, so that rows compare.
inline constexpr double kEnergyPeriods = 50;

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
