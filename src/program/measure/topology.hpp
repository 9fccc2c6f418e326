// SPDX-License-Identifier: Apache-2.0
// The host that the threads of this process run on: cores, NUMA nodes, caches, and which of them
// each thread is bound to.
// The caches that fields pass through.
#pragma once

#include "program/measure/host.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::measure {

/// One level of data or unified cache.
struct Cache {
  std::string level;                ///< "L1", "L2", "L3"
  std::int64_t bytes = 0;           ///< of one instance, as far as it is believed
  int line_bytes = 0;               ///< 0 where it is not known
  int instances = 1;                ///< within reach of this process
  int cores = 0;                    ///< that share an instance; 0 where it is not known
  std::int64_t reported_bytes = 0;  ///< by the system, where that is not believed; else 0
};

/// What each of the threads may not leave.
enum class Binding {
  unknown,
  none,       ///< some of them may run anywhere within reach
  numa_node,  ///< some of them one of several NUMA nodes, the others less
  core        ///< a core
};

/// "unknown", "none", "numa_node" or "core".
[[nodiscard]] std::string to_string(Binding binding);

/// A CPU is a hardware thread; of these a core has several where it is multithreaded. Numbers are 0
/// where they are not known.
struct Topology {
  std::string source;  ///< "hwloc 2.9.0", or "system": /sys and the C library
  int packages = 0;    ///< within reach of the threads
  int cores = 0;       ///< within their reach
  int cpus = 0;        ///< within their reach
  std::vector<Cache> caches;
  int machine_cores = 0;
  int numa_nodes = 0;  ///< of the machine, that have CPUs of their own
  int threads = 0;     ///< of Kokkos' host execution space
  Binding binding = Binding::unknown;
  std::vector<std::string> thread_cpus;  ///< of each thread, by the system's numbers: "0,64"
  std::string core_list;                 ///< those within reach, by hwloc's numbers: "0-1"
  std::optional<double> cpu_quota;       ///< CPUs whose time the control group allows
};

/// Of this process, read once. To be called after Kokkos starts, which binds the threads.
[[nodiscard]] const Topology& this_topology();

/// Cores within reach of the threads; where they are not known, one for each thread.
[[nodiscard]] int cores_of(const Topology& topology);

/// Cuts an L3 that is larger than the processor's can be to the largest: some virtual machines
/// report the whole socket's, or more, as each core's.
void disbelieve_caches(Topology& topology, const Processor& processor);

/// What hwloc, or without it the system, tells of the threads of Kokkos and of what they run on.
/// Has no cpu_quota.
[[nodiscard]] Topology read_topology();

/// In builds with hwloc: a machine that it makes up ("numa:2 core:4 pu:2") under threads that may
/// run on the given CPUs ("0-1,4"). Throws Error where hwloc does not take the description.
[[nodiscard]] Topology synthetic_topology(const std::string& description,
                                          const std::vector<std::string>& thread_cpus);

/// "2 threads on 2 of 2 cores, bound to cores 0-1, 1 NUMA node; L1 32 KiB, L2 512 KiB, L3 32 MiB
/// for 2 cores (508 MiB reported: not believed)".
[[nodiscard]] std::string describe(const Topology& topology);

/// This process' line on screen, with the machine's load and its end. Empty on a device: there the
/// host's threads only launch.
[[nodiscard]] std::string topology_line();

/// The field `topology` of a result's machine: see docs/results.md.
[[nodiscard]] nlohmann::json to_json(const Topology& topology);

/// Caches that fields pass through on the default execution space: the host's, or a device's L2.
[[nodiscard]] std::vector<Cache> execution_caches();

/// Bytes of the largest level of execution_caches(), all instances together; 0 where unknown.
[[nodiscard]] std::int64_t last_level_cache_bytes();

}  // namespace tessera::measure
