// SPDX-License-Identifier: Apache-2.0
#include "program/measure/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tessera::measure {
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

std::optional<double> cpu_quota(const fs::path& root, const std::string& membership) {
  std::optional<double> least;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    // number:controllers:path, without controllers for version 2.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers != ",," && controllers.find(",cpu,") == std::string::npos) continue;
    const fs::path tree = controllers == ",," ? root : root / "cpu";
    fs::path below = fs::path(line.substr(second + 1)).relative_path();
    for (;;) {
      const auto limit = limit_of(tree / below);
      if (limit) least = std::min(least.value_or(*limit), *limit);
      if (below.empty()) break;
      below = below.parent_path();
    }
  }
  return least;
}

std::optional<double> cpu_quota() {
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream text;
  text << file.rdbuf();
  return cpu_quota("/sys/fs/cgroup", text.str());
}

}  // namespace tessera::measure
