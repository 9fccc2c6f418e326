// SPDX-License-Identifier: Apache-2.0
// Energy of a GPU, by its vendor's library where that is there at run time: NVML, ROCm SMI.
#include "program/measure/energy.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>

namespace tessera::measure {

namespace {

/// A vendor's library that may be there at run time, so that nothing of it is needed to build.
/// Opened for the life of the process: such libraries keep threads, and closing them is not safe.
class SharedLibrary {
 public:
  /// The first of the names that the loader finds.
  SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    }
  }

  /// Sets `function` to the symbol; returns whether there is one.
  template <class Function>
  bool find(const char* symbol, Function*& function) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, symbol));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

// As NVIDIA's "NVML API Reference Guide" documents them; 0 is success.
using NvmlBoard = struct NvmlDevice*;
using NvmlInit = int();
using DeviceByPciBus = int(const char* bus, NvmlBoard*);
using TotalEnergy = int(NvmlBoard, unsigned long long* millijoules);  // since the driver was loaded
using PowerUsage = int(NvmlBoard, unsigned* milliwatts);

/// What a function of the library counts, in thousandths.
template <class Number>
std::function<std::optional<double>()> read_by(int (*read)(NvmlBoard, Number*), NvmlBoard device) {
  return [read, device]() -> std::optional<double> {
    Number thousandths = 0;
    if (read(device, &thousandths) != 0) return std::nullopt;
    return static_cast<double>(thousandths) * 1e-3;
  };
}

}  // namespace

std::optional<EnergyCounter> open_nvml(const std::string& pci_bus) {
  const SharedLibrary library{"libnvidia-ml.so.1"};
  NvmlInit* init = nullptr;
  DeviceByPciBus* device_by_bus = nullptr;
  NvmlBoard device = nullptr;
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

namespace {

// As AMD's documentation of rocm_smi_lib has them; 0 is success.
using SmiInit = int(std::uint64_t flags);
using CountDevices = int(std::uint32_t*);
using PciId = int(std::uint32_t device, std::uint64_t* id);
using EnergyCount = int(std::uint32_t device, std::uint64_t* count, float* microjoules_a_count,
                        std::uint64_t* timestamp_ns);
using PowerAverage = int(std::uint32_t device, std::uint32_t sensor, std::uint64_t* microwatts);

// Bits 28 to 31 number the partition of a device that is split; it has one counter.
constexpr std::uint64_t kPartition = std::uint64_t{0xf} << 28;

}  // namespace

std::optional<std::uint64_t> rocm_smi_bus_id(const std::string& pci_bus) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned slot = 0;
  unsigned function = 0;
  if (std::sscanf(pci_bus.c_str(), "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) {
    return std::nullopt;
  }
  return (std::uint64_t{domain} << 32) | (bus & 0xffU) << 8 | (slot & 0x1fU) << 3 |
         (function & 0x7U);
}

std::optional<EnergyCounter> open_rocm_smi(const std::string& pci_bus) {
  const SharedLibrary library{"librocm_smi64.so", "librocm_smi64.so.7", "librocm_smi64.so.6",
                              "librocm_smi64.so.5", "librocm_smi64.so.1"};
  SmiInit* init = nullptr;
  CountDevices* count_devices = nullptr;
  PciId* pci_id = nullptr;
  const auto wanted = rocm_smi_bus_id(pci_bus);
  std::uint32_t devices = 0;
  if (!wanted || !library.find("rsmi_init", init) ||
      !library.find("rsmi_num_monitor_devices", count_devices) ||
      !library.find("rsmi_dev_pci_id_get", pci_id) || init(0) != 0 ||
      count_devices(&devices) != 0) {
    return std::nullopt;
  }
  std::uint32_t device = 0;
  for (; device < devices; ++device) {
    std::uint64_t id = 0;
    if (pci_id(device, &id) == 0 && (id & ~kPartition) == *wanted) break;
  }
  if (device == devices) return std::nullopt;
  if (EnergyCount* energy = nullptr; library.find("rsmi_dev_energy_count_get", energy)) {
    const auto joules = [energy, device]() -> std::optional<double> {
      std::uint64_t count = 0;
      std::uint64_t timestamp = 0;
      float microjoules = 0;
      if (energy(device, &count, &microjoules, &timestamp) != 0) return std::nullopt;
      return static_cast<double>(count) * static_cast<double>(microjoules) * 1e-6;
    };
    // The second die of a package has none of its own: its count stays zero.
    if (joules().value_or(0) > 0) return EnergyCounter{"rocm-smi", joules};
  }
  PowerAverage* power = nullptr;
  if (!library.find("rsmi_dev_power_ave_get", power)) return std::nullopt;
  const ReadPower watts = [power, device]() -> std::optional<double> {
    std::uint64_t microwatts = 0;
    if (power(device, 0, &microwatts) != 0) return std::nullopt;
    return static_cast<double>(microwatts) * 1e-6;
  };
  if (watts().value_or(0) <= 0) return std::nullopt;
  return integrate_power("rocm-smi-power", watts);
}

}  // namespace tessera::measure
