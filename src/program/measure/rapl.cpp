// SPDX-License-Identifier: Apache-2.0
#include "program/measure/energy_counter.hpp"

#include <cstdint>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

namespace tessera::measure {
namespace {

namespace fs = std::filesystem;

std::optional<std::int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

/// One counter in microjoules, which starts again from zero behind its largest value.
struct Domain {
  fs::path counter;
  std::int64_t range = 0;  ///< largest value
  std::int64_t last = 0;
};

std::string name_of(const fs::path& domain) {
  std::ifstream file(domain / "name");
  std::string name;
  file >> name;
  return name;
}

}  // namespace

std::optional<EnergyCounter> open_rapl(const fs::path& root) {
  std::vector<Domain> domains;
  bool memory = false;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    // "intel-rapl" on AMD too. "intel-rapl-mmio" counts the same packages again, "psys" holds them,
    // and "core" and "uncore" are parts of them.
    if (entry.path().filename().string().rfind("intel-rapl:", 0) != 0) continue;
    const std::string name = name_of(entry.path());
    if (name.rfind("package", 0) != 0 && name != "dram") continue;
    Domain domain;
    domain.counter = entry.path() / "energy_uj";
    const auto now = number_in(domain.counter);
    const auto range = number_in(entry.path() / "max_energy_range_uj");
    if (!now || !range) return std::nullopt;
    domain.last = *now;
    domain.range = *range;
    memory = memory || name == "dram";
    domains.push_back(std::move(domain));
  }
  if (domains.empty()) return std::nullopt;
  const auto joules = [domains, sum = std::int64_t{0}]() mutable -> std::optional<double> {
    for (Domain& domain : domains) {
      const auto now = number_in(domain.counter);
      if (!now) return std::nullopt;
      sum += *now - domain.last;
      if (*now < domain.last) sum += domain.range;
      domain.last = *now;
    }
    return static_cast<double>(sum) * 1e-6;
  };
  return EnergyCounter{memory ? "rapl-package+dram" : "rapl-package", joules};
}

}  // namespace tessera::measure
