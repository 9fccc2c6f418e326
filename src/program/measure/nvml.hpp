// SPDX-License-Identifier: Apache-2.0
// Energy of an NVIDIA board, by the driver's management library (NVML).
#pragma once

#include "program/measure/energy_counter.hpp"

#include <memory>
#include <string>

namespace tessera::measure {

/// The board at a PCI bus address ("0000:1b:00.0"): its counter ("nvml"), which boards have from
/// Volta on, or its sampled power ("nvml-power"). Null where the library, the board or both figures
/// are missing.
[[nodiscard]] std::unique_ptr<EnergyCounter> open_nvml(const std::string& pci_bus);

}  // namespace tessera::measure
