// SPDX-License-Identifier: Apache-2.0
#include "measure/caches.hpp"

#include "device/space.hpp"
#include "measure/device.hpp"
#include "measure/host.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace tessera::measure {

namespace {

std::string word_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
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
      caches.push_back({level, bytes, static_cast<int>(std::max(sysconf(line), 0L)), 1});
  };
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  add("L1", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE);
  add("L2", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE);
  add("L3", _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE);
#endif
  return caches;
}

}  // namespace

std::vector<Cache> host_caches() {
  std::map<std::string, Cache> levels;
  std::map<std::string, std::set<std::string>> instances;  // told apart by the CPUs that share one
  for (const int cpu : usable_cpus()) {
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
                       static_cast<int>(instances[level].size())};
    }
  }
  std::vector<Cache> caches;
  for (const auto& [level, cache] : levels) {
    if (cache.bytes > 0) caches.push_back(cache);
  }
  return caches.empty() ? caches_from_sysconf() : caches;
}

std::vector<Cache> execution_caches() {
  if constexpr (!kOnDevice) return host_caches();
  const DeviceProperties device = device_properties();
  // Neither runtime reports the line; 128 bytes is what both vendors' data sheets give for L2.
  return {{"L2", device.l2_bytes, 128, 1}};
}

std::int64_t last_level_cache_bytes() {
  std::int64_t largest = 0;
  for (const Cache& cache : execution_caches()) {
    largest = std::max(largest, cache.bytes * cache.instances);
  }
  return largest;
}

}  // namespace tessera::measure
