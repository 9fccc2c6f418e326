// SPDX-License-Identifier: Apache-2.0
// How much memory there is and how much is free, asked before allocating, and what Linux' control
// groups leave to this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::measure {

/// Bytes of the memory that fields live in: the device's where there is one, else the host's,
/// where a control group or a resource limit may leave less than is fitted. Throws Error where the
/// device runtime does not say.
[[nodiscard]] std::int64_t total_memory_bytes();

/// Bytes of it that an allocation made now could get.
[[nodiscard]] std::int64_t available_memory_bytes();

/// The same of the host, whatever the execution space: readers and writers stage there.
[[nodiscard]] std::int64_t total_host_memory_bytes();
[[nodiscard]] std::int64_t available_host_memory_bytes();

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
