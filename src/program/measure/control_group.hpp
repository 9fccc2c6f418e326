// SPDX-License-Identifier: Apache-2.0
// What Linux' control groups leave to this process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::measure {

/// Folders of the process' groups that may limit what `controller` ("cpu", "memory") controls: its
/// own, then those above. `membership` is a text in the form of /proc/self/cgroup, `root` where
/// version 1 has a folder a controller and version 2 its tree.
[[nodiscard]] std::vector<std::filesystem::path> control_groups(std::string_view controller,
                                                                const std::filesystem::path& root,
                                                                const std::string& membership);

/// Of this process.
[[nodiscard]] std::vector<std::filesystem::path> control_groups(std::string_view controller);

/// CPUs whose time groups of the controller "cpu" allow: 1.5 for 150 ms in each 100. Absent where
/// there is no limit.
[[nodiscard]] std::optional<double> cpu_quota(const std::vector<std::filesystem::path>& groups);

}  // namespace tessera::measure
