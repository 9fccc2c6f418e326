// SPDX-License-Identifier: Apache-2.0
// The topology as Linux tells it: cores, NUMA nodes and caches in /sys, and of each thread of
// Kokkos the CPUs that it may use.
#include "program/measure/topology.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace tessera::measure {
namespace {

namespace fs = std::filesystem;
using Cpus = std::set<int>;
using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// Whether a set of CPUs has one of another.
bool meet(const Cpus& a, const Cpus& b) {
  return std::any_of(a.begin(), a.end(), [&](int cpu) { return b.contains(cpu); });
}

/// "0-3,8", as the system writes CPUs.
Cpus cpus_in(const std::string& list) {
  Cpus cpus;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0;
    const int found = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    if (found < 2) last = first;
    for (int cpu = first; found > 0 && cpu <= last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

std::string list_of(const Cpus& cpus) {
  std::string out;
  for (auto at = cpus.begin(); at != cpus.end();) {
    const int first = *at;
    int last = first;
    while (++at != cpus.end() && *at == last + 1) ++last;
    if (!out.empty()) out += ',';
    out += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return out;
}

std::string word_in(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// What the system says of the machine under `root`, /sys/devices/system; sets by their least CPU.
struct System {
  fs::path root;
  Cpus cpus;                  ///< also those that a control group forbids
  std::set<Cpus> cores;       ///< CPUs of each
  std::set<Cpus> numa_nodes;  ///< those with CPUs of their own
  std::map<int, std::string> packages;

  [[nodiscard]] fs::path of_cpu(int cpu) const { return root / fmt::format("cpu/cpu{}", cpu); }
};

System read_system(const fs::path& root, const Cpus& used) {
  System system{root, cpus_in(word_in(root / "cpu/online")), {}, {}, {}};
  if (system.cpus.empty()) system.cpus = used;
  for (const int cpu : system.cpus) {
    const fs::path topology = system.of_cpu(cpu) / "topology";
    // Some virtual machines show no cores.
    const Cpus core = cpus_in(word_in(topology / "thread_siblings_list"));
    system.cores.insert(core.empty() ? Cpus{cpu} : core);
    system.packages[cpu] = word_in(topology / "physical_package_id");
  }
  std::error_code ignored;
  for (const auto& node : fs::directory_iterator(root / "node", ignored)) {
    const Cpus own = cpus_in(word_in(node.path() / "cpulist"));
    if (!own.empty()) system.numa_nodes.insert(own);
  }
  return system;
}

int count(const std::set<Cpus>& places, const Cpus& reach) {
  return static_cast<int>(std::count_if(places.begin(), places.end(),
                                        [&](const Cpus& place) { return meet(place, reach); }));
}

/// "32K", "1M" or plain bytes.
std::int64_t size_in(const std::string& text) {
  const std::int64_t value = std::atoll(text.c_str());
  return text.ends_with('K') ? value << 10 : text.ends_with('M') ? value << 20 : value;
}

/// What the C library knows, where the system describes no cache.
std::vector<Cache> caches_from_sysconf() {
  std::vector<Cache> caches;
  const auto add = [&caches](const char* level, int size, int line) {
    const long bytes = sysconf(size);
    if (bytes <= 0) return;
    caches.push_back({level, bytes, static_cast<int>(std::max(sysconf(line), 0L)), 1, 0});
  };
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  add("L1", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE);
  add("L2", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE);
  add("L3", _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE);
#endif
  return caches;
}

/// Data and unified caches of the CPUs that the threads reach.
std::vector<Cache> caches_of(const System& system, const Cpus& reach) {
  std::map<std::string, Cache> levels;
  std::map<std::string, std::set<Cpus>> instances;  // told apart by the CPUs that share one
  for (const int cpu : reach) {
    for (int index = 0;; ++index) {
      const fs::path cache = system.of_cpu(cpu) / fmt::format("cache/index{}", index);
      const std::string type = word_in(cache / "type");
      if (type.empty()) break;
      const std::int64_t bytes = size_in(word_in(cache / "size"));
      if (type == "Instruction" || bytes == 0) continue;
      const std::string level = "L" + word_in(cache / "level");
      const Cpus sharing = cpus_in(word_in(cache / "shared_cpu_list"));
      instances[level].insert(sharing);
      levels.try_emplace(
          level,
          Cache{level, bytes, static_cast<int>(size_in(word_in(cache / "coherency_line_size"))), 1,
                count(system.cores, sharing)});
    }
  }
  std::vector<Cache> caches;
  for (auto& [level, cache] : levels) {
    cache.instances = static_cast<int>(instances[level].size());
    caches.push_back(cache);
  }
  return caches.empty() ? caches_from_sysconf() : caches;
}

/// CPUs that the calling thread may use; none where it cannot be asked.
Cpus usable_cpus() {
  // A fixed set holds 1024 CPUs; larger machines need one of their own size.
  const int most = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_CONF), 1024L));
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
      CPU_ALLOC(most), [](cpu_set_t* made) { CPU_FREE(made); });
  Cpus cpus;
  CPU_ZERO_S(bytes, set.get());
  if (sched_getaffinity(0, bytes, set.get()) != 0) return cpus;
  for (int cpu = 0; cpu < most; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.insert(cpu);
  }
  return cpus;
}

/// Where each thread may run, by the thread.
struct Affinities {
  std::mutex mutex;
  std::map<std::thread::id, Cpus> sets;
};

struct AffinityKernel {
  Affinities* found;
  void operator()(int) const {
    Cpus cpus = usable_cpus();
    const std::lock_guard lock(found->mutex);
    found->sets[std::this_thread::get_id()] = std::move(cpus);
  }
};

Binding binding_of(const Cpus& thread, const System& system) {
  if (thread.empty()) return Binding::unknown;
  if (count(system.cores, thread) == 1) return Binding::core;
  const bool one_of_several = system.numa_nodes.size() > 1 && count(system.numa_nodes, thread) == 1;
  return one_of_several ? Binding::numa_node : Binding::none;
}

Topology topology_of(const fs::path& root, const std::vector<Cpus>& threads) {
  Cpus reach;
  for (const Cpus& thread : threads) reach.insert(thread.begin(), thread.end());
  const System system = read_system(root, reach);
  Topology t;
  t.threads = static_cast<int>(threads.size());
  t.machine_cores = static_cast<int>(system.cores.size());
  t.numa_nodes = static_cast<int>(system.numa_nodes.size());
  t.binding = Binding::core;
  for (const Cpus& thread : threads) {
    t.thread_cpus.push_back(list_of(thread));
    t.binding = std::min(t.binding, binding_of(thread, system));
  }
  if (t.binding == Binding::unknown) {
    // One thread that cannot be asked, and nothing is known of all.
    t.thread_cpus.clear();
    reach = system.cpus;
  }
  std::set<std::string> packages;
  for (const auto& [cpu, package] : system.packages) {
    if (reach.contains(cpu)) packages.insert(package);
  }
  t.packages = static_cast<int>(packages.size());
  t.cores = count(system.cores, reach);
  t.cpus = static_cast<int>(reach.size());
  Cpus within;
  int number = 0;
  for (const Cpus& core : system.cores) {
    if (meet(core, reach)) within.insert(number);
    ++number;
  }
  t.core_list = list_of(within);
  t.caches = caches_of(system, reach);
  return t;
}

}  // namespace

Topology read_topology() {
  Affinities found;
  // Enough iterations that a static schedule gives every thread some.
  Kokkos::parallel_for("tessera::measure::thread_affinity",
                       Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Static>>(
                           0, 8 * HostSpace().concurrency()),
                       AffinityKernel{&found});
  HostSpace().fence();
  std::vector<Cpus> threads;
  for (auto& [id, cpus] : found.sets) threads.push_back(std::move(cpus));
  const char* root = std::getenv("TESSERA_SYSTEM_ROOT");
  return topology_of(root != nullptr ? root : "/sys/devices/system", threads);
}

Topology topology_under(const fs::path& root, const std::vector<std::string>& thread_cpus) {
  std::vector<Cpus> threads;
  for (const std::string& list : thread_cpus) threads.push_back(cpus_in(list));
  return topology_of(root, threads);
}

}  // namespace tessera::measure
