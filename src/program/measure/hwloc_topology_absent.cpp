// SPDX-License-Identifier: Apache-2.0
// Without hwloc: the CPUs and caches that the C library knows; nothing of cores, NUMA nodes and
// bindings.
#include "program/measure/topology.hpp"

#include <Kokkos_Core.hpp>

#include <unistd.h>

#include <algorithm>

namespace tessera::measure {

Topology read_topology() {
  Topology t;
  t.source = "system";
  t.threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  t.cpus = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 0L));
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  const auto add = [&t](const char* level, int size, int line) {
    const long bytes = sysconf(size);
    if (bytes <= 0) return;
    t.caches.push_back({level, bytes, static_cast<int>(std::max(sysconf(line), 0L)), 1, 0});
  };
  add("L1", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE);
  add("L2", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE);
  add("L3", _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE);
#endif
  return t;
}

}  // namespace tessera::measure
