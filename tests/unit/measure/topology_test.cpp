// SPDX-License-Identifier: Apache-2.0
// Topologies as people read them, on machines that a test makes up.
#include "program/measure/topology.hpp"

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <fstream>

#include "fixtures/scratch_directory.hpp"

namespace tessera::measure {
namespace {

TEST(Topology, WhatIsNotKnownIsNotClaimed) {
  Topology t;
  t.threads = t.cpus = t.cores = 2;
  t.caches = {{"L1", 32 << 10, 64, 2, 0}, {"L3", 16 << 20, 64, 1, 0}};
  EXPECT_EQ(describe(t), "2 threads on 2 cores, binding unknown; L1 32 KiB, L3 16 MiB");
  const nlohmann::json json = to_json(t);
  EXPECT_EQ(json.at("binding"), "unknown");
  EXPECT_TRUE(json.at("numa_nodes").is_null());
  EXPECT_TRUE(json.at("machine_cores").is_null());
  EXPECT_TRUE(json.at("cpu_quota").is_null());
  t.cpu_quota = 1.5;
  t.caches.clear();
  EXPECT_EQ(describe(t), "2 threads on 2 cores, binding unknown, the time of 1.5 CPUs");
}

TEST(Topology, CachesLargerThanTheProcessorsAreNotBelieved) {
  // A virtual machine of two cores of an EPYC of Zen 5, of which each reports the socket's L3.
  Processor zen5;
  zen5.vendor = "AMD", zen5.family = 0x1a, zen5.model = 2;
  Topology t;
  t.threads = t.cpus = t.cores = 2;
  t.caches = {{"L2", 1 << 20, 64, 2, 1}, {"L3", std::int64_t{508} << 20, 64, 2, 1}};
  disbelieve_caches(t, zen5);
  EXPECT_EQ(t.caches[0].bytes, 1 << 20);
  EXPECT_EQ(t.caches[0].reported_bytes, 0);
  EXPECT_EQ(t.caches[1].bytes, 32 << 20);
  EXPECT_EQ(t.caches[1].reported_bytes, std::int64_t{508} << 20);
  EXPECT_NE(describe(t).find("508 MiB"), std::string::npos);
  // The largest of Zen 4's has it.
  Processor zen4 = zen5;
  zen4.family = 0x19, zen4.model = 0x11;
  t.caches = {{"L3", 96 << 20, 64, 12, 8}};
  disbelieve_caches(t, zen4);
  EXPECT_EQ(t.caches[0].bytes, 96 << 20);
  EXPECT_EQ(t.caches[0].reported_bytes, 0);
}

TEST(Topology, OfThisMachineIsWhole) {
  const Topology& t = this_topology();
  EXPECT_EQ(t.threads, Kokkos::DefaultHostExecutionSpace().concurrency());
  EXPECT_GE(t.cpus, 1);
  EXPECT_EQ(t.thread_cpus.size(), static_cast<std::size_t>(t.threads));
  EXPECT_NE(t.binding, Binding::unknown);
  EXPECT_GE(t.machine_cores, t.cores);
}

/// A machine of `nodes` NUMA nodes, each a package with an L3, of `cores` cores with `threads` CPUs
/// each, numbered one after another.
struct MadeUp {
  MadeUp(int nodes, int cores, int threads, const char* l3 = nullptr) {
    const int a_node = cores * threads;
    write("cpu/online", range(0, nodes * a_node));
    for (int cpu = 0; cpu < nodes * a_node; ++cpu) {
      const int node = cpu / a_node, core = cpu / threads;
      const std::string own = "cpu/cpu" + std::to_string(cpu);
      write(own + "/topology/thread_siblings_list", range(core * threads, threads));
      write(own + "/topology/physical_package_id", std::to_string(node));
      if (l3 == nullptr) continue;
      cache(own, 0, "Data", 1, "32K", range(core * threads, threads));
      cache(own, 1, "Instruction", 1, "32K", range(core * threads, threads));
      cache(own, 2, "Unified", 2, "512K", range(core * threads, threads));
      cache(own, 3, "Unified", 3, l3, range(node * a_node, a_node));
    }
    for (int node = 0; node < nodes; ++node) {
      write("node/node" + std::to_string(node) + "/cpulist", range(node * a_node, a_node));
    }
    write("node/node9/cpulist", "");  // memory without CPUs
  }

  [[nodiscard]] Topology under(const std::vector<std::string>& thread_cpus) const {
    return topology_under(folder.path(), thread_cpus);
  }

 private:
  static std::string range(int first, int count) {
    const std::string begin = std::to_string(first);
    return count == 1 ? begin : begin + "-" + std::to_string(first + count - 1);
  }
  void write(const std::string& file, const std::string& text) const {
    const auto path = folder.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  void cache(const std::string& cpu, int index, const char* type, int level, const char* size,
             const std::string& sharing) const {
    const std::string own = cpu + "/cache/index" + std::to_string(index);
    write(own + "/type", type);
    write(own + "/level", std::to_string(level));
    write(own + "/size", size);
    write(own + "/coherency_line_size", "64");
    write(own + "/shared_cpu_list", sharing);
  }

  test::ScratchDirectory folder;
};

TEST(Topology, ThreadsBoundToCores) {
  const Topology t = MadeUp(1, 2, 2, "16M").under({"0-1", "2"});
  EXPECT_EQ(describe(t),
            "2 threads on 2 of 2 cores, bound to cores 0-1, 1 NUMA node; L1 32 KiB, L2 512 KiB, "
            "L3 16 MiB for 2 cores");
  EXPECT_EQ(t.cpus, 3);
  EXPECT_EQ(t.packages, 1);
  EXPECT_EQ(t.thread_cpus, (std::vector<std::string>{"0-1", "2"}));
}

TEST(Topology, ThreadsOfSeveralNumaNodes) {
  const MadeUp machine(2, 4, 2);
  const Topology free = machine.under({"0-15", "0-15"});
  EXPECT_EQ(free.binding, Binding::none);
  EXPECT_EQ(free.cpus, 16);
  EXPECT_EQ(describe(free), "2 threads on 8 of 8 cores, not bound, 2 NUMA nodes");
  const Topology nodes = machine.under({"0-7", "8-9"});
  EXPECT_EQ(nodes.binding, Binding::numa_node);
  EXPECT_EQ(describe(nodes), "2 threads on 5 of 8 cores, each bound to a NUMA node, 2 NUMA nodes");
  EXPECT_EQ(machine.under({"0", "15"}).binding, Binding::core);
  // One that wanders is enough.
  EXPECT_EQ(machine.under({"0", "7-8"}).binding, Binding::none);
  // Threads that all share one core are bound, and too many.
  const Topology crowded = machine.under({"2", "2", "3"});
  EXPECT_EQ(describe(crowded), "3 threads on 1 of 8 cores, bound to core 1, 2 NUMA nodes");
  EXPECT_EQ(crowded.cpus, 2);
}

TEST(Topology, CachesWithinReachOnly) {
  const Topology t = MadeUp(2, 4, 1, "32M").under({"0-5"});
  ASSERT_EQ(t.caches.size(), 3U);
  EXPECT_EQ(t.caches[2].level, "L3");
  EXPECT_EQ(t.caches[2].bytes, 32 << 20);
  EXPECT_EQ(t.caches[2].instances, 2);
  EXPECT_EQ(t.caches[2].cores, 4);
  EXPECT_EQ(t.caches[1].instances, 6);
  EXPECT_EQ(t.caches[1].cores, 1);
  EXPECT_EQ(t.packages, 2);
  EXPECT_EQ(t.machine_cores, 8);
}

TEST(Topology, OfThreadsThatCannotBeAskedNothingIsClaimed) {
  const Topology t = MadeUp(2, 4, 1).under({"0", ""});
  EXPECT_EQ(t.binding, Binding::unknown);
  EXPECT_TRUE(t.thread_cpus.empty());
  EXPECT_EQ(t.cores, 8);
}

}  // namespace
}  // namespace tessera::measure
