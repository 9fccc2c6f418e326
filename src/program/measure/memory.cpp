// SPDX-License-Identifier: Apache-2.0
#include "program/measure/memory.hpp"

#include "base/device/space.hpp"
#include "base/support/error.hpp"
#include "program/measure/device.hpp"

#include <sys/resource.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace tessera::measure {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// The number behind `key` in a file of "key value" lines (a colon and a unit may follow).
std::int64_t keyed_number(const fs::path& path, const std::string& key, std::int64_t otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::int64_t value = 0;
    if (words >> word >> value && (word == key || word == key + ":")) return value;
  }
  return otherwise;
}

// The number that a file holds; "max", as control groups write it, is no number.
std::int64_t number_in(const fs::path& path, std::int64_t otherwise) {
  std::ifstream file(path);
  std::int64_t value = 0;
  return file >> value ? value : otherwise;
}

struct Limits {
  std::int64_t total = kNoLimit;
  std::int64_t available = kNoLimit;

  void apply(std::int64_t limit, std::int64_t used) {
    total = std::min(total, limit);
    available = std::min(available, std::max<std::int64_t>(limit - used, 0));
  }
};

Limits control_group_limits() {
  Limits limits;
  for (const fs::path& group : control_groups("memory")) {
    const auto apply = [&](const char* limit_file, const char* usage, const char* cache_key) {
      const std::int64_t limit = number_in(group / limit_file, kNoLimit);
      if (limit == kNoLimit) return;
      // Cached file pages count as used but are freed on demand.
      const std::int64_t used =
          number_in(group / usage, 0) - keyed_number(group / "memory.stat", cache_key, 0);
      limits.apply(limit, std::max<std::int64_t>(used, 0));
    };
    apply("memory.max", "memory.current", "inactive_file");
    apply("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
  }
  return limits;
}

// ulimit -v: the address space of the process.
Limits resource_limits() {
  Limits limits;
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    limits.apply(static_cast<std::int64_t>(space.rlim_cur),
                 1024 * keyed_number("/proc/self/status", "VmSize", 0));
  }
  return limits;
}

}  // namespace

std::int64_t total_host_memory_bytes() {
  const std::int64_t fitted = 1024 * keyed_number("/proc/meminfo", "MemTotal", 0);
  require(fitted > 0, "/proc/meminfo: no MemTotal: the size of the host's memory is not known");
  return std::min({fitted, control_group_limits().total, resource_limits().total});
}

std::int64_t available_host_memory_bytes() {
  const std::int64_t unused = 1024 * keyed_number("/proc/meminfo", "MemAvailable", 0);
  require(unused > 0, "/proc/meminfo: no MemAvailable: the host's free memory is not known");
  return std::min({unused, control_group_limits().available, resource_limits().available});
}

std::int64_t total_memory_bytes() {
  return kOnDevice ? device_memory().total_bytes : total_host_memory_bytes();
}

std::int64_t available_memory_bytes() {
  return kOnDevice ? device_memory().available_bytes : available_host_memory_bytes();
}

namespace {

namespace fs = std::filesystem;

/// Quota over period of one group; no number ("max") or a negative one is no limit.
std::optional<double> limit_of(const fs::path& group) {
  double quota = 0;
  double period = 0;
  if (std::ifstream two(group / "cpu.max"); two >> quota >> period && period > 0) {
    return quota / period;
  }
  std::ifstream one(group / "cpu.cfs_quota_us");
  std::ifstream its_period(group / "cpu.cfs_period_us");
  if (one >> quota && quota > 0 && its_period >> period && period > 0) return quota / period;
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> control_groups(std::string_view controller, const fs::path& root,
                                     const std::string& membership) {
  std::vector<fs::path> groups;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    // number:controllers:path, without controllers for version 2.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string of = "," + line.substr(first + 1, second - first - 1) + ",";
    if (of != ",," && of.find("," + std::string(controller) + ",") == std::string::npos) continue;
    const fs::path tree = of == ",," ? root : root / controller;
    // Inside a container the path may lead nowhere, and the root is the group.
    fs::path below = fs::path(line.substr(second + 1)).relative_path();
    for (; !below.empty(); below = below.parent_path()) groups.push_back(tree / below);
    groups.push_back(tree);
  }
  return groups;
}

std::vector<fs::path> control_groups(std::string_view controller) {
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream text;
  text << file.rdbuf();
  return control_groups(controller, "/sys/fs/cgroup", text.str());
}

std::optional<double> cpu_quota(const std::vector<fs::path>& groups) {
  std::optional<double> least;
  for (const fs::path& group : groups) {
    const auto limit = limit_of(group);
    if (limit) least = std::min(least.value_or(*limit), *limit);
  }
  return least;
}

}  // namespace tessera::measure
