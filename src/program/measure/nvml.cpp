// SPDX-License-Identifier: Apache-2.0
#include "program/measure/energy_counter.hpp"
#include "program/measure/shared_library.hpp"

namespace tessera::measure {
namespace {

// As NVIDIA's "NVML API Reference Guide" documents them; 0 is success.
using Device = struct NvmlDevice*;
using Init = int();
using DeviceByPciBus = int(const char* bus, Device*);
using TotalEnergy = int(Device, unsigned long long* millijoules);  // since the driver was loaded
using PowerUsage = int(Device, unsigned* milliwatts);

/// What a function of the library counts, in thousandths.
template <class Number>
std::function<std::optional<double>()> read_by(int (*read)(Device, Number*), Device device) {
  return [read, device]() -> std::optional<double> {
    Number thousandths = 0;
    if (read(device, &thousandths) != 0) return std::nullopt;
    return static_cast<double>(thousandths) * 1e-3;
  };
}

}  // namespace

std::optional<EnergyCounter> open_nvml(const std::string& pci_bus) {
  const SharedLibrary library{"libnvidia-ml.so.1"};
  Init* init = nullptr;
  DeviceByPciBus* device_by_bus = nullptr;
  Device device = nullptr;
  if (!library.find("nvmlInit_v2", init) ||
      !library.find("nvmlDeviceGetHandleByPciBusId_v2", device_by_bus) || init() != 0 ||
      device_by_bus(pci_bus.c_str(), &device) != 0) {
    return std::nullopt;
  }
  if (TotalEnergy* energy = nullptr; library.find("nvmlDeviceGetTotalEnergyConsumption", energy)) {
    const auto joules = read_by(energy, device);
    if (joules()) return EnergyCounter{"nvml", joules};
  }
  PowerUsage* power = nullptr;
  if (!library.find("nvmlDeviceGetPowerUsage", power)) return std::nullopt;
  const ReadPower watts = read_by(power, device);
  return watts() ? std::optional(integrate_power("nvml-power", watts)) : std::nullopt;
}

}  // namespace tessera::measure
