// SPDX-License-Identifier: Apache-2.0
// The caches that fields pass through.
#pragma once

#include "program/measure/topology.hpp"

#include <cstdint>
#include <vector>

namespace tessera::measure {

/// Caches that fields pass through on the default execution space: the host's, or a device's L2.
[[nodiscard]] std::vector<Cache> execution_caches();

/// Bytes of the largest level of execution_caches(), all instances together; 0 where unknown.
[[nodiscard]] std::int64_t last_level_cache_bytes();

}  // namespace tessera::measure
