// SPDX-License-Identifier: Apache-2.0
// The data caches of the processor, as the operating system describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::measure {

/// One level of data or unified cache.
struct Cache {
  std::string level;       ///< "L1", "L2", "L3"
  std::int64_t bytes = 0;  ///< of one instance
  int line_bytes = 0;      ///< 0 where it is not known
  int instances = 1;       ///< within reach of this process
};

/// Data caches of the CPUs that this process may run on, nearest first. Empty where the system
/// says nothing.
[[nodiscard]] std::vector<Cache> host_caches();

/// Caches that fields pass through on the default execution space: the host's, or a device's L2.
[[nodiscard]] std::vector<Cache> execution_caches();

/// Bytes of the largest level of execution_caches(), all instances together; 0 where unknown.
[[nodiscard]] std::int64_t last_level_cache_bytes();

}  // namespace tessera::measure
