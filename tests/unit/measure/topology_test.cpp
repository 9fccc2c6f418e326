// SPDX-License-Identifier: Apache-2.0
// Topologies as people read them; with hwloc on machines that it makes up.
#include "program/measure/topology.hpp"

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#if TESSERA_HAVE_HWLOC
#include "base/support/error.hpp"
#endif

namespace tessera::measure {
namespace {

TEST(Topology, WithoutHwlocBindingAndNumaNodesAreNotKnown) {
  Topology t;
  t.source = "system";
  t.threads = t.cpus = 2;
  EXPECT_EQ(cores_of(t), 2);  // without hwloc
  t.cores = 2;
  t.caches = {{"L1", 32 << 10, 64, 2, 0}, {"L3", 16 << 20, 64, 1, 0}};
  EXPECT_EQ(describe(t), "2 threads on 2 cores, binding unknown; L1 32 KiB, L3 16 MiB");
  const nlohmann::json json = to_json(t);
  EXPECT_EQ(json.at("binding"), "unknown");
  for (const char* key : {"numa_nodes", "machine_cores", "cpu_quota"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
  }
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
  EXPECT_GE(t.cpus, t.cores);
  EXPECT_GE(t.cores, t.packages);
  EXPECT_GE(t.cpus, 1);
  for (const Cache& cache : t.caches) {
    EXPECT_EQ(cache.level.front(), 'L');
    EXPECT_GT(cache.bytes, 0);
    EXPECT_GE(cache.instances, 1);
  }
#if TESSERA_HAVE_HWLOC
  EXPECT_EQ(t.source.rfind("hwloc 2", 0), 0U) << t.source;
  EXPECT_EQ(t.thread_cpus.size(), static_cast<std::size_t>(t.threads));
  EXPECT_NE(t.binding, Binding::unknown);
  EXPECT_GE(t.numa_nodes, 1);
  EXPECT_GE(t.machine_cores, t.cores);
#else
  EXPECT_EQ(t.source, "system");
#endif
}

#if TESSERA_HAVE_HWLOC

TEST(Topology, ThreadsBoundToCores) {
  const Topology t = synthetic_topology(
      "package:1 numa:1 l3:1(size=16777216) core:2 l2:1(size=524288) l1:1(size=32768) pu:2",
      {"0-1", "2"});
  EXPECT_EQ(describe(t),
            "2 threads on 2 of 2 cores, bound to cores 0-1, 1 NUMA node; L1 32 KiB, L2 512 KiB, "
            "L3 16 MiB for 2 cores");
  EXPECT_EQ(t.cpus, 3);
  EXPECT_EQ(t.packages, 1);
  EXPECT_EQ(t.thread_cpus, (std::vector<std::string>{"0-1", "2"}));
}

TEST(Topology, ThreadsOfSeveralNumaNodes) {
  const char* const machine = "numa:2 core:4 pu:2";
  const Topology free = synthetic_topology(machine, {"0-15", "0-15"});
  EXPECT_EQ(free.binding, Binding::none);
  EXPECT_EQ(free.cpus, 16);
  EXPECT_EQ(describe(free), "2 threads on 8 of 8 cores, not bound, 2 NUMA nodes");
  const Topology nodes = synthetic_topology(machine, {"0-7", "8-9"});
  EXPECT_EQ(nodes.binding, Binding::numa_node);
  EXPECT_EQ(describe(nodes), "2 threads on 5 of 8 cores, each bound to a NUMA node, 2 NUMA nodes");
  EXPECT_EQ(synthetic_topology(machine, {"0", "15"}).binding, Binding::core);
  // One that wanders is enough.
  EXPECT_EQ(synthetic_topology(machine, {"0", "7-8"}).binding, Binding::none);
  // Threads that all share one core are bound, and too many.
  const Topology crowded = synthetic_topology(machine, {"2", "2", "3"});
  EXPECT_EQ(describe(crowded), "3 threads on 1 of 8 cores, bound to core 1, 2 NUMA nodes");
  EXPECT_EQ(crowded.cpus, 2);
}

TEST(Topology, CachesWithinReachOnly) {
  const Topology t = synthetic_topology("package:2 l3:2(size=33554432) core:4 pu:1", {"0-5"});
  ASSERT_EQ(t.caches.size(), 1U);
  EXPECT_EQ(t.caches[0].level, "L3");
  EXPECT_EQ(t.caches[0].instances, 2);
  EXPECT_EQ(t.caches[0].cores, 4);
  EXPECT_EQ(t.packages, 1);
  EXPECT_EQ(t.machine_cores, 16);
  // Of threads that cannot be asked nothing is claimed.
  const Topology unasked = synthetic_topology("numa:2 core:4 pu:1", {"0", ""});
  EXPECT_EQ(unasked.binding, Binding::unknown);
  EXPECT_TRUE(unasked.thread_cpus.empty());
  EXPECT_EQ(unasked.cores, 8);
  EXPECT_THROW((void)synthetic_topology("nonsense", {"0"}), Error);
}

#endif

}  // namespace
}  // namespace tessera::measure
