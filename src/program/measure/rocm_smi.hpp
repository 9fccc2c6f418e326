// SPDX-License-Identifier: Apache-2.0
// Energy of an AMD GPU, by the ROCm System Management Interface.
#pragma once

#include "program/measure/energy_counter.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tessera::measure {

/// The identifier by which ROCm SMI knows a PCI bus address ("0000:c1:00.0"), domain in the upper
/// half; absent where the text is none.
[[nodiscard]] std::optional<std::uint64_t> rocm_smi_bus_id(const std::string& pci_bus);

/// The GPU at a PCI bus address: its counter ("rocm-smi"), or its sampled power ("rocm-smi-power").
/// Null where the library, the device or both figures are missing.
[[nodiscard]] std::unique_ptr<EnergyCounter> open_rocm_smi(const std::string& pci_bus);

}  // namespace tessera::measure
