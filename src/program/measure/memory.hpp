// SPDX-License-Identifier: Apache-2.0
// How much memory there is and how much is free, asked before allocating.
#pragma once

#include <cstdint>

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

}  // namespace tessera::measure
