// SPDX-License-Identifier: Apache-2.0
// Without hwloc: what /sys and the C library tell. Nothing of NUMA nodes and bindings.
#include "program/measure/topology.hpp"

#include <Kokkos_Core.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace tessera::measure {
namespace {

std::string word_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// Numbers of the CPUs that the threads of this process may run on.
std::set<int> usable_cpus() {
  // A fixed set holds 1024 CPUs; larger machines need one of their own size.
  const int most = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_CONF), 1024L));
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  cpu_set_t* const set = CPU_ALLOC(most);
  std::set<int> cpus;
  // All threads: with OMP_PROC_BIND set each is bound to a place of its own, the main one too.
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const int thread = std::atoi(task.path().filename().c_str());
    CPU_ZERO_S(bytes, set);
    if (sched_getaffinity(thread, bytes, set) != 0) continue;
    for (int cpu = 0; cpu < most; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.insert(cpu);
    }
  }
  CPU_FREE(set);
  return cpus;
}

// "32K", "1M" or plain bytes.
std::int64_t parse_size(const std::string& text) {
  std::int64_t value = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
    value = 10 * value + text[i] - '0';
  if (i < text.size() && text[i] == 'K') return value << 10;
  if (i < text.size() && text[i] == 'M') return value << 20;
  return value;
}

// What the C library knows, where /sys has no cache description.
std::vector<Cache> caches_from_sysconf() {
  std::vector<Cache> caches;
  const auto add = [&caches](const char* level, int size, int line) {
    const long bytes = sysconf(size);
    if (bytes > 0)
      caches.push_back({level, bytes, static_cast<int>(std::max(sysconf(line), 0L)), 1, 0});
  };
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  add("L1", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE);
  add("L2", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE);
  add("L3", _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE);
#endif
  return caches;
}

std::vector<Cache> caches_of(const std::set<int>& cpus) {
  std::map<std::string, Cache> levels;
  std::map<std::string, std::set<std::string>> instances;  // told apart by the CPUs that share one
  for (const int cpu : cpus) {
    for (int index = 0; index < 16; ++index) {
      const std::string directory = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                    "/cache/index" + std::to_string(index) + "/";
      const std::string type = word_in(directory + "type");
      if (type.empty()) break;
      if (type == "Instruction") continue;
      std::string level = "L";
      level += word_in(directory + "level");
      instances[level].insert(word_in(directory + "shared_cpu_list"));
      levels[level] = {level, parse_size(word_in(directory + "size")),
                       static_cast<int>(parse_size(word_in(directory + "coherency_line_size"))),
                       static_cast<int>(instances[level].size()), 0};
    }
  }
  std::vector<Cache> caches;
  for (const auto& [level, cache] : levels) {
    if (cache.bytes > 0) caches.push_back(cache);
  }
  return caches.empty() ? caches_from_sysconf() : caches;
}

}  // namespace

Topology read_topology() {
  Topology t;
  t.source = "system";
  t.threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  const std::set<int> cpus = usable_cpus();
  std::set<std::pair<std::string, std::string>> cores;
  std::set<std::string> packages;
  for (const int cpu : cpus) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const std::string package = word_in(topology + "physical_package_id");
    cores.emplace(package, word_in(topology + "core_id"));
    packages.insert(package);
  }
  t.cpus = static_cast<int>(cpus.size());
  t.cores = static_cast<int>(cores.size());
  t.packages = static_cast<int>(packages.size());
  t.caches = caches_of(cpus);
  return t;
}

}  // namespace tessera::measure
