// SPDX-License-Identifier: Apache-2.0
#include "program/measure/topology.hpp"

#include "base/device/space.hpp"
#include "program/measure/device.hpp"
#include "program/measure/host.hpp"
#include "program/measure/memory.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tessera::measure {

namespace {

std::string counted(int count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string size_text(std::int64_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1024 ? fmt::format("{:g} KiB", kib) : fmt::format("{:g} MiB", kib / 1024);
}

std::string binding_text(const Topology& t) {
  switch (t.binding) {
    case Binding::none:
      return "not bound";
    case Binding::numa_node:
      return "each bound to a NUMA node";
    case Binding::core:
      return fmt::format("bound to core{} {}", t.cores == 1 ? "" : "s", t.core_list);
    case Binding::unknown:
      break;
  }
  return "binding unknown";
}

nlohmann::json known(int count) { return count > 0 ? nlohmann::json(count) : nullptr; }

}  // namespace

std::string to_string(Binding binding) {
  switch (binding) {
    case Binding::none:
      return "none";
    case Binding::numa_node:
      return "numa_node";
    case Binding::core:
      return "core";
    case Binding::unknown:
      break;
  }
  return "unknown";
}

const Topology& this_topology() {
  static const Topology topology = [] {
    Topology read = read_topology();
    disbelieve_caches(read, this_processor());
    read.cpu_quota = cpu_quota(control_groups("cpu"));
    return read;
  }();
  return topology;
}

int cores_of(const Topology& topology) {
  return topology.cores > 0 ? topology.cores : topology.threads;
}

void disbelieve_caches(Topology& topology, const Processor& processor) {
  const std::int64_t largest = largest_l3_bytes(processor);
  for (Cache& cache : topology.caches) {
    if (cache.level != "L3" || cache.bytes <= largest) continue;
    cache.reported_bytes = cache.bytes;
    cache.bytes = largest;
  }
}

std::string describe(const Topology& t) {
  std::string out = counted(t.threads, "thread");
  if (t.machine_cores > 0) {
    out += fmt::format(" on {} of {}", t.cores, counted(t.machine_cores, "core"));
  } else if (t.cores > 0) {
    out += " on " + counted(t.cores, "core");
  }
  out += ", " + binding_text(t);
  if (t.numa_nodes > 0) out += ", " + counted(t.numa_nodes, "NUMA node");
  if (t.cpu_quota) out += fmt::format(", the time of {:.3g} CPUs", *t.cpu_quota);
  const char* separator = "; ";
  for (const Cache& cache : t.caches) {
    out += fmt::format("{}{} {}", separator, cache.level, size_text(cache.bytes));
    if (cache.cores > 1) out += fmt::format(" for {} cores", cache.cores);
    if (cache.reported_bytes > 0) {
      out += fmt::format(" ({} reported: ignored)", size_text(cache.reported_bytes));
    }
    separator = ", ";
  }
  return out;
}

std::string topology_line() {
  if constexpr (kOnDevice) return "";
  return describe(this_topology()) +
         fmt::format("; load {:.1f} in the last minute\n", host_properties().load);
}

nlohmann::json to_json(const Topology& t) {
  return {{"source", t.source},
          {"threads", t.threads},
          {"binding", to_string(t.binding)},
          {"thread_cpus", t.thread_cpus},
          {"cpus", known(t.cpus)},
          {"cores", known(t.cores)},
          {"machine_cores", known(t.machine_cores)},
          {"numa_nodes", known(t.numa_nodes)},
          {"cpu_quota", t.cpu_quota ? nlohmann::json(*t.cpu_quota) : nullptr}};
}

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
