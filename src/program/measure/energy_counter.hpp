// SPDX-License-Identifier: Apache-2.0
// A running total of energy, as a machine keeps it: of a GPU by its vendor's library, which may be
// there at run time, of a host's sockets by RAPL.
#pragma once

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
/// half; absent where the text is none.
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

}  // namespace tessera::measure
