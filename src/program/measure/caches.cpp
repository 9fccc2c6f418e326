// SPDX-License-Identifier: Apache-2.0
#include "program/measure/caches.hpp"

#include "base/device/space.hpp"
#include "program/measure/device.hpp"

#include <algorithm>

namespace tessera::measure {

std::vector<Cache> execution_caches() {
  if constexpr (!kOnDevice) return this_topology().caches;
  const DeviceProperties device = device_properties();
  // Neither runtime reports the line; 128 bytes is what both vendors' data sheets give for L2.
  return {{"L2", device.l2_bytes, 128, 1, 0}};
}

std::int64_t last_level_cache_bytes() {
  std::int64_t largest = 0;
  for (const Cache& cache : execution_caches()) {
    largest = std::max(largest, cache.bytes * cache.instances);
  }
  return largest;
}

}  // namespace tessera::measure
