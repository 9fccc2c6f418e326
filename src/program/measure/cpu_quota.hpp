// SPDX-License-Identifier: Apache-2.0
// How much processor time Linux' control groups leave to this process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tessera::measure {

/// CPUs whose time the process' control group and those above it allow: 1.5 for 150 ms in each 100.
/// Absent where there is no limit. `membership` is a text in the form of /proc/self/cgroup, `root`
/// where version 1 has a folder a controller and version 2 its tree.
[[nodiscard]] std::optional<double> cpu_quota(const std::filesystem::path& root,
                                              const std::string& membership);

/// This process'.
[[nodiscard]] std::optional<double> cpu_quota();

}  // namespace tessera::measure
