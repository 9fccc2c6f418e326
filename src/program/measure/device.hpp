// SPDX-License-Identifier: Apache-2.0
// What the CUDA or HIP runtime says about the device of the default execution space.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tessera::measure {

/// Memory of the device.
struct DeviceMemory {
  std::int64_t total_bytes = 0;
  std::int64_t available_bytes = 0;
};

/// Limits and rates of the device; 0 or "" where the runtime does not say. A unit is a streaming
/// multiprocessor or a compute unit.
struct DeviceProperties {
  std::string name;
  std::string architecture;  ///< "sm_90", "gfx90a"
  std::string pci_bus;       ///< which of several equal devices
  int units = 0;
  int lanes = 0;                ///< threads of a warp or wavefront
  double clock_ghz = 0;         ///< highest core clock
  double memory_clock_ghz = 0;  ///< highest memory clock
  int memory_bus_bits = 0;
  double theoretical_gb_per_s = 0;  ///< double data rate; 0 where a clock is not given
  std::optional<bool> ecc;          ///< error correction of the memory is on
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t scratch_bytes_per_unit = 0;
  std::int64_t scratch_bytes_per_team = 0;        ///< without opting in
  std::int64_t scratch_bytes_per_team_optin = 0;  ///< the most that a team can have
  int registers_per_unit = 0;                     ///< of 32 bits
  int registers_per_team = 0;
  int threads_per_unit = 0;
  int threads_per_team = 0;
  int teams_per_unit = 0;
  std::string driver;           ///< kernel driver's version
  std::string driver_api;       ///< runtime version that the driver supports
  std::string runtime_version;  ///< of the runtime in this binary
  /// State now, from the vendor's management tool, "" without it: clocks, power cap, temperature.
  std::string state;
};

/// To be called before Kokkos::initialize, which aborts where a binary with a device backend finds
/// no device: throws Error then, with the runtime's reason.
void require_device();

/// Free and total memory. Throws Error where the binary has no device backend.
[[nodiscard]] DeviceMemory device_memory();

/// Properties of the device in use. Throws Error where the binary has no device backend.
[[nodiscard]] DeviceProperties device_properties();

}  // namespace tessera::measure
