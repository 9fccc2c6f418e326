// SPDX-License-Identifier: Apache-2.0
#include "program/measure/rocm_smi.hpp"

#include "program/measure/power_integral.hpp"
#include "program/measure/shared_library.hpp"

#include <cstdio>

namespace tessera::measure {
namespace {

// As AMD's documentation of rocm_smi_lib has them; 0 is success.
using Init = int(std::uint64_t flags);
using CountDevices = int(std::uint32_t*);
using PciId = int(std::uint32_t device, std::uint64_t* id);
using EnergyCount = int(std::uint32_t device, std::uint64_t* count, float* microjoules_a_count,
                        std::uint64_t* timestamp_ns);
using PowerAverage = int(std::uint32_t device, std::uint32_t sensor, std::uint64_t* microwatts);

// Bits 28 to 31 number the partition of a device that is split; it has one counter.
constexpr std::uint64_t kPartition = std::uint64_t{0xf} << 28;

class RocmSmi : public EnergyCounter {
 public:
  RocmSmi(EnergyCount* read, std::uint32_t device) : read_(read), device_(device) {}

  [[nodiscard]] std::string source() const override { return "rocm-smi"; }

  [[nodiscard]] std::optional<double> joules() override {
    std::uint64_t count = 0;
    std::uint64_t timestamp = 0;
    float microjoules = 0;
    if (read_(device_, &count, &microjoules, &timestamp) != 0) return std::nullopt;
    return static_cast<double>(count) * static_cast<double>(microjoules) * 1e-6;
  }

 private:
  EnergyCount* read_;
  std::uint32_t device_;
};

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

std::unique_ptr<EnergyCounter> open_rocm_smi(const std::string& pci_bus) {
  const SharedLibrary library{"librocm_smi64.so", "librocm_smi64.so.7", "librocm_smi64.so.6",
                              "librocm_smi64.so.5", "librocm_smi64.so.1"};
  Init* init = nullptr;
  CountDevices* count_devices = nullptr;
  PciId* pci_id = nullptr;
  const auto wanted = rocm_smi_bus_id(pci_bus);
  std::uint32_t devices = 0;
  if (!wanted || !library.find("rsmi_init", init) ||
      !library.find("rsmi_num_monitor_devices", count_devices) ||
      !library.find("rsmi_dev_pci_id_get", pci_id) || init(0) != 0 ||
      count_devices(&devices) != 0) {
    return nullptr;
  }
  std::uint32_t device = 0;
  for (; device < devices; ++device) {
    std::uint64_t id = 0;
    if (pci_id(device, &id) == 0 && (id & ~kPartition) == *wanted) break;
  }
  if (device == devices) return nullptr;
  if (EnergyCount* energy = nullptr; library.find("rsmi_dev_energy_count_get", energy)) {
    auto counter = std::make_unique<RocmSmi>(energy, device);
    // The second die of a package has none of its own: its count stays zero.
    if (counter->joules().value_or(0) > 0) return counter;
  }
  PowerAverage* power = nullptr;
  if (!library.find("rsmi_dev_power_ave_get", power)) return nullptr;
  const ReadPower watts = [power, device]() -> std::optional<double> {
    std::uint64_t microwatts = 0;
    if (power(device, 0, &microwatts) != 0) return std::nullopt;
    return static_cast<double>(microwatts) * 1e-6;
  };
  if (watts().value_or(0) <= 0) return nullptr;
  return std::make_unique<PowerIntegral>("rocm-smi-power", watts);
}

}  // namespace tessera::measure
