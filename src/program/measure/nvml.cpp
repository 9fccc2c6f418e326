// SPDX-License-Identifier: Apache-2.0
#include "program/measure/nvml.hpp"

#include "program/measure/power_integral.hpp"
#include "program/measure/shared_library.hpp"

namespace tessera::measure {
namespace {

// As NVIDIA's "NVML API Reference Guide" documents them; 0 is success.
using Device = struct NvmlDevice*;
using Init = int();
using DeviceByPciBus = int(const char* bus, Device*);
using TotalEnergy = int(Device, unsigned long long* millijoules);  // since the driver was loaded
using PowerUsage = int(Device, unsigned* milliwatts);

class Nvml : public EnergyCounter {
 public:
  Nvml(TotalEnergy* read, Device device) : read_(read), device_(device) {}

  [[nodiscard]] std::string source() const override { return "nvml"; }

  [[nodiscard]] std::optional<double> joules() override {
    unsigned long long millijoules = 0;
    if (read_(device_, &millijoules) != 0) return std::nullopt;
    return static_cast<double>(millijoules) * 1e-3;
  }

 private:
  TotalEnergy* read_;
  Device device_;
};

}  // namespace

std::unique_ptr<EnergyCounter> open_nvml(const std::string& pci_bus) {
  const SharedLibrary library{"libnvidia-ml.so.1"};
  Init* init = nullptr;
  DeviceByPciBus* device_by_bus = nullptr;
  Device device = nullptr;
  if (!library.find("nvmlInit_v2", init) ||
      !library.find("nvmlDeviceGetHandleByPciBusId_v2", device_by_bus) || init() != 0 ||
      device_by_bus(pci_bus.c_str(), &device) != 0) {
    return nullptr;
  }
  if (TotalEnergy* energy = nullptr; library.find("nvmlDeviceGetTotalEnergyConsumption", energy)) {
    auto counter = std::make_unique<Nvml>(energy, device);
    if (counter->joules()) return counter;
  }
  PowerUsage* power = nullptr;
  if (!library.find("nvmlDeviceGetPowerUsage", power)) return nullptr;
  const ReadPower watts = [power, device]() -> std::optional<double> {
    unsigned milliwatts = 0;
    if (power(device, &milliwatts) != 0) return std::nullopt;
    return milliwatts * 1e-3;
  };
  if (!watts()) return nullptr;
  return std::make_unique<PowerIntegral>("nvml-power", watts);
}

}  // namespace tessera::measure
