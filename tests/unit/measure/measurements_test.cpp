// SPDX-License-Identifier: Apache-2.0
// The measurements on small sizes, a core's ports among them; what the system says of itself.

#include "program/measure/measurements.hpp"
#include "base/device/host_vector.hpp"
#include "base/device/space.hpp"
#include "base/support/error.hpp"
#include "program/measure/device.hpp"
#include "program/measure/flush_to_zero.hpp"
#include "program/measure/host.hpp"
#include "program/measure/machine_info.hpp"
#include "program/measure/memory.hpp"
#include "program/measure/streams.hpp"
#include "program/measure/topology.hpp"
#include "program/results/machine_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

namespace tessera::measure {
namespace {

TEST(MachineInfo, MemoryIsKnownAndFreeIsNotMoreThanTotal) {
  EXPECT_GT(total_memory_bytes(), 0);
  EXPECT_GT(available_memory_bytes(), 0);
  EXPECT_LE(available_memory_bytes(), total_memory_bytes());
  EXPECT_LE(available_host_memory_bytes(), total_host_memory_bytes());
}

TEST(MachineInfo, NameTellsWhatMachinesOfOneNameDifferIn) {
  const std::string name = machine_name();
  for (const char c : name) {
    EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-') << name;
  }
  if (kOnDevice) {
    std::string device = device_properties().name.substr(0, 6);
    for (char& c : device) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(name.compare(0, device.size(), device), 0) << name;
    return;
  }
  const Processor processor = this_processor();
  const std::string architecture = microarchitecture(processor);
  EXPECT_NE(name.find(architecture), std::string::npos) << name;
  const std::string threads = "-" + std::to_string(ExecSpace().concurrency()) + "t";
  ASSERT_GT(name.size(), threads.size());
  EXPECT_EQ(name.substr(name.size() - threads.size()), threads) << name;
  // The width of this build's vectors, as far as the processor has them.
  const int built = 8 * static_cast<int>(sizeof(HostVector<float>));
  const int bits = std::min(built, processor.vector_bits);
  EXPECT_EQ(name.find("-avx512") != std::string::npos, bits == 512) << name;
  EXPECT_EQ(name.find("-avx2") != std::string::npos, bits == 256) << name;
}

TEST(MachineInfo, RedactionLeavesNoHostname) {
  const std::string hostname = host_properties().hostname;
  const nlohmann::json plain = machine_metadata(false);
  EXPECT_EQ(plain.at("hostname").get<std::string>(), hostname);
  const nlohmann::json redacted = machine_metadata(true);
  EXPECT_EQ(redacted.at("hostname").get<std::string>(), "redacted");
  EXPECT_EQ(redacted.at("host").at("hostname").get<std::string>(), "redacted");
  EXPECT_FALSE(plain.at("device").get<std::string>().empty());
}

TEST(MachineInfo, FlushToZeroIsSetOnEveryThread) {
#if defined(__SSE2__) || defined(__aarch64__)
  set_flush_to_zero();
  EXPECT_TRUE(flushes_to_zero());
  EXPECT_TRUE(machine_metadata().at("flush_to_zero").get<bool>());
#else
  GTEST_SKIP() << "this processor has no such mode";
#endif
}

TEST(Streams, MeasuresAndChecksAllLoops) {
  StreamOptions options;
  options.array_bytes = (1 << 20) + 123;  // not a multiple of anything
  options.warmup_s = 0;
  for (const char* precision : {"float", "double"}) {
    options.precision = precision;
    const machine::StreamRates rates = measure_streams(options);
    EXPECT_EQ(rates.precision, precision);
    EXPECT_GT(rates.copy.min, 0);
    EXPECT_GT(rates.triad.min, 0);
    EXPECT_GT(rates.update.min, 0);
    EXPECT_LE(rates.update.min, rates.update.max);
  }
}

TEST(Streams, SizesFitTheMemory) {
  StreamOptions options;
  options.array_bytes = total_memory_bytes();
  EXPECT_THROW((void)measure_streams(options), Error);
  EXPECT_GT(array_bytes_here(), 0);
  EXPECT_LE(3 * array_bytes_here(), available_memory_bytes() / 3);
}

TEST(Streams, ArraysAreFourTimesTheCacheWithinTheirShare) {
  if (kOnDevice) GTEST_SKIP() << "a device's are 1 GiB at least";
  constexpr std::int64_t kMiB = 1 << 20, kMuch = std::int64_t{1} << 40;
  EXPECT_EQ(array_bytes_for(0, kMuch, kRoofsBytes), 64 * kMiB);
  EXPECT_EQ(array_bytes_for(64 * kMiB, kMuch, kRoofsBytes), 256 * kMiB);
  EXPECT_EQ(array_bytes_for(1152 * kMiB, kMuch, kRoofsBytes), kRoofsBytes / 3);
  EXPECT_EQ(array_bytes_for(1152 * kMiB, kMuch, 16 * kRoofsBytes), 4 * 1152 * kMiB);
  EXPECT_EQ(array_bytes_for(64 * kMiB, 1200 * kMiB, kRoofsBytes), 100 * kMiB);
}

TEST(Peak, PositiveAndNotPrecomputed) {
  // More than any thread could do per second would mean that the chains were dropped.
  const machine::Rate peak = measure_peak_gflop_per_s("double", 5);
  EXPECT_GT(peak.median, 0);
  EXPECT_LT(peak.median, 1000.0 * ExecSpace().concurrency());
}

TEST(Latency, OfLaunchesLoadsMultiplyAddsAndBarriers) {
  const LaunchLatency launch = measure_launch_latency(20, 5);
  EXPECT_GT(launch.fenced_us.median, 0);
  EXPECT_GT(launch.unfenced_us.median, 0);
  const Latencies latencies = measure_latencies(5);
  // No operation that waits for another takes less than a cycle of 10 GHz, none of these 100 us.
  for (const machine::Summary& ns : {latencies.memory_ns, latencies.scratch_ns, latencies.fma_ns}) {
    EXPECT_GT(ns.min, 0.1);
    EXPECT_LT(ns.min, 1e5);
  }
  EXPECT_LT(2 * latencies.scratch_ns.min, latencies.memory_ns.min) << "no cache in between";
  EXPECT_GT(latencies.barrier_ns.min, 0.1);
  EXPECT_GT(measure_barrier_ns().min, 0.1);
}

TEST(Caches, EveryLevelHasABandwidth) {
  CacheOptions options;
  options.sample_s = 0.001;
  options.repetitions = 5;
  const std::vector<CacheLevel> levels = measure_caches(options);
  EXPECT_GE(levels.size(), execution_caches().size());
  for (const CacheLevel& level : levels) EXPECT_GT(level.gb_per_s.median, 0) << level.level;
}

CoreOptions quick(const char* precision = "", bool widest = false) {
  return {.precision = precision, .widest = widest, .sample_s = 0.0005, .repetitions = 5};
}

TEST(CoreRates, WidthsOfTheInstructionSet) {
  if (kOnDevice) {
    EXPECT_TRUE(measure_core_rates(quick()).rates.empty());
    return;
  }
  const CoreRates core = measure_core_rates(quick("float"));
  ASSERT_GE(core.rates.size(), 2U);
  std::set<int> widths;
  for (const CoreRate& r : core.rates) {
    EXPECT_EQ(r.precision, "float");
    widths.insert(r.vector_bytes);
  }
  EXPECT_EQ(widths.size(), core.rates.size()) << "each once";
  EXPECT_EQ(*widths.begin(), 4);
  EXPECT_EQ(*widths.rbegin(), static_cast<int>(sizeof(HostVector<float>)));
  EXPECT_EQ(measure_core_rates(quick("double", true)).rates.size(), 2U);
}

/// Whether something else had the core for most of every sample: then rates say nothing from below.
bool disturbed(const CoreRates& core) {
  // Below any clock of the last twenty years.
  if (core.clock.max < 0.5e9) return true;
  return std::any_of(core.rates.begin(), core.rates.end(), [](const CoreRate& r) {
    // Sums and products together do not do worse than sharing the ports of one, by half.
    return r.mixed.max < 0.5 * std::min(r.sums.max, r.products.max);
  });
}

TEST(CoreRates, WhatNoCoreEscapes) {
  if (kOnDevice) return;
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "instrumented loops keep their values in memory: they show no port's rate";
#endif
  CoreRates core = measure_core_rates(quick("double", true));
  for (int tries = 1; disturbed(core) && tries < 50; ++tries) {
    core = measure_core_rates(quick("double", true));
  }
  EXPECT_FALSE(disturbed(core)) << "in each of fifty tries";
  EXPECT_LT(core.clock.max, 8e9) << "above any clock the chain is not one";
  for (const CoreRate& r : core.rates) {
    for (const machine::Rate* rate :
         {&r.loads, &r.stores, &r.sums, &r.products, &r.mixed, &r.gathers}) {
      EXPECT_GT(rate->max, 0);
      EXPECT_LE(rate->min, rate->max);
      // No core starts more than eight of them a cycle; a loop that were dropped would.
      EXPECT_LT(rate->max, 16 * core.clock.max) << r.vector_bytes;
    }
  }
}

}  // namespace
}  // namespace tessera::measure
