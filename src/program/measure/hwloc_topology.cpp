// SPDX-License-Identifier: Apache-2.0
#include "program/measure/topology.hpp"

#include "base/support/error.hpp"

#include <hwloc.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace tessera::measure {
namespace {

struct Free {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_s* set) const { hwloc_bitmap_free(set); }
};
using Machine = std::unique_ptr<hwloc_topology, Free>;
using CpuSet = std::unique_ptr<hwloc_bitmap_s, Free>;

CpuSet empty_set() { return CpuSet(hwloc_bitmap_alloc()); }

Machine load(const std::string& synthetic) {
  // Where there is no /sys, as in a bare container, hwloc writes to stderr; what it does not find
  // is shown as not known.
  setenv("HWLOC_HIDE_ERRORS", "2", /*overwrite=*/0);
  hwloc_topology_t made = nullptr;
  require(hwloc_topology_init(&made) == 0, "hwloc does not start");
  Machine machine(made);
  // What the control group forbids is of the machine too.
  hwloc_topology_set_flags(made, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  require(synthetic.empty() || hwloc_topology_set_synthetic(made, synthetic.c_str()) == 0,
          "hwloc knows no topology \"{}\"", synthetic);
  require(hwloc_topology_load(made) == 0, "hwloc cannot read this machine");
  return machine;
}

std::string list_of(const CpuSet& set) {
  char* text = nullptr;
  if (hwloc_bitmap_list_asprintf(&text, set.get()) < 0) return "";
  std::string out(text);
  std::free(text);
  return out;
}

/// Objects of a type that have a CPU of the set.
std::vector<hwloc_obj_t> objects_of(const Machine& machine, hwloc_obj_type_t type,
                                    const CpuSet& set) {
  std::vector<hwloc_obj_t> out;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(machine.get(), type, object)) != nullptr) {
    if (hwloc_bitmap_intersects(object->cpuset, set.get()) != 0) out.push_back(object);
  }
  return out;
}

int count(const Machine& machine, hwloc_obj_type_t type, const CpuSet& set) {
  return static_cast<int>(objects_of(machine, type, set).size());
}

/// NUMA nodes that have a CPU of the set; fast memory beside a node's own is no other place.
int count_numa_nodes(const Machine& machine, const CpuSet& set) {
  std::vector<hwloc_obj_t> places;
  for (const hwloc_obj_t node : objects_of(machine, HWLOC_OBJ_NUMANODE, set)) {
    if (std::none_of(places.begin(), places.end(), [&](const hwloc_obj_t place) {
          return hwloc_bitmap_isequal(place->cpuset, node->cpuset) != 0;
        })) {
      places.push_back(node);
    }
  }
  return static_cast<int>(places.size());
}

std::vector<Cache> caches_of(const Machine& machine, hwloc_obj_type_t core, const CpuSet& reach) {
  std::vector<Cache> caches;
  for (const auto& [type, level] :
       {std::pair{HWLOC_OBJ_L1CACHE, "L1"}, std::pair{HWLOC_OBJ_L2CACHE, "L2"},
        std::pair{HWLOC_OBJ_L3CACHE, "L3"}, std::pair{HWLOC_OBJ_L4CACHE, "L4"}}) {
    const auto instances = objects_of(machine, type, reach);
    if (instances.empty() || instances.front()->attr->cache.size == 0) continue;
    const hwloc_obj_t first = instances.front();
    caches.push_back({level, static_cast<std::int64_t>(first->attr->cache.size),
                      static_cast<int>(first->attr->cache.linesize),
                      static_cast<int>(instances.size()),
                      hwloc_get_nbobjs_inside_cpuset_by_type(machine.get(), first->cpuset, core)});
  }
  return caches;
}

Topology topology_of(const Machine& machine, const std::vector<CpuSet>& threads) {
  const CpuSet all(hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(machine.get())));
  // Some virtual machines show no cores.
  const bool has_cores = hwloc_get_nbobjs_by_type(machine.get(), HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t core = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  Topology t;
  t.source = "hwloc " HWLOC_VERSION;
  t.threads = static_cast<int>(threads.size());
  t.machine_cores = count(machine, core, all);
  t.numa_nodes = count_numa_nodes(machine, all);
  const CpuSet reach = empty_set();
  t.binding = Binding::core;
  for (const CpuSet& thread : threads) {
    hwloc_bitmap_and(thread.get(), thread.get(), all.get());
    hwloc_bitmap_or(reach.get(), reach.get(), thread.get());
    t.thread_cpus.push_back(list_of(thread));
    Binding binding = Binding::none;
    if (t.numa_nodes > 1 && count_numa_nodes(machine, thread) == 1) binding = Binding::numa_node;
    if (count(machine, core, thread) == 1) binding = Binding::core;
    if (hwloc_bitmap_iszero(thread.get()) != 0) binding = Binding::unknown;
    t.binding = std::min(t.binding, binding);
  }
  if (t.binding == Binding::unknown) {
    // One thread that cannot be asked, and nothing is known of all.
    t.thread_cpus.clear();
    hwloc_bitmap_copy(reach.get(), all.get());
  }
  t.packages = count(machine, HWLOC_OBJ_PACKAGE, reach);
  t.cores = count(machine, core, reach);
  t.cpus = hwloc_bitmap_weight(reach.get());
  const CpuSet cores = empty_set();
  for (const hwloc_obj_t object : objects_of(machine, core, reach)) {
    hwloc_bitmap_set(cores.get(), object->logical_index);
  }
  t.core_list = list_of(cores);
  t.caches = caches_of(machine, core, reach);
  return t;
}

using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// Where each thread may run, by the thread.
struct Bindings {
  hwloc_topology_t machine;
  std::mutex mutex;
  std::map<std::thread::id, CpuSet> sets;
};

struct BindingKernel {
  Bindings* found;
  void operator()(int) const {
    CpuSet set = empty_set();
    if (hwloc_get_cpubind(found->machine, set.get(), HWLOC_CPUBIND_THREAD) != 0) {
      hwloc_bitmap_zero(set.get());
    }
    const std::lock_guard lock(found->mutex);
    found->sets[std::this_thread::get_id()] = std::move(set);
  }
};

}  // namespace

Topology read_topology() {
  const Machine machine = load("");
  Bindings found{machine.get(), {}, {}};
  // Enough iterations that a static schedule gives every thread some.
  Kokkos::parallel_for("tessera::measure::thread_binding",
                       Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Static>>(
                           0, 8 * HostSpace().concurrency()),
                       BindingKernel{&found});
  HostSpace().fence();
  std::vector<CpuSet> threads;
  for (auto& [id, set] : found.sets) threads.push_back(std::move(set));
  return topology_of(machine, threads);
}

Topology synthetic_topology(const std::string& description,
                            const std::vector<std::string>& thread_cpus) {
  const Machine machine = load(description);
  std::vector<CpuSet> threads;
  for (const std::string& list : thread_cpus) {
    threads.push_back(empty_set());
    require(hwloc_bitmap_list_sscanf(threads.back().get(), list.c_str()) == 0,
            "\"{}\" is no list of CPUs", list);
  }
  return topology_of(machine, threads);
}

}  // namespace tessera::measure
