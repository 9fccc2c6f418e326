// SPDX-License-Identifier: Apache-2.0
#include "program/measure/control_group.hpp"

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
