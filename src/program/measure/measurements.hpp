// SPDX-License-Identifier: Apache-2.0
// What is timed of a machine on the default execution space: bandwidths of caches and team scratch,
// what a core does in a cycle, latencies, the peak of multiply-adds.
#pragma once

#include "program/results/statistics.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::measure {

/// Bandwidth at one working-set size.
struct CachePoint {
  std::int64_t bytes = 0;  ///< all three arrays; of each thread on a host, of the device else
  machine::Rate gb_per_s;  ///< all threads together, three accesses an element
};

/// Bandwidth of one level.
struct CacheLevel {
  std::string level;       ///< "L1", "L2", "L3"; "scratch" for team scratch on a device
  std::int64_t bytes = 0;  ///< of one instance; of one unit's scratch
  int line_bytes = 0;      ///< 0 where unknown or meaningless
  int instances = 1;
  machine::Rate gb_per_s;  ///< triad, all instances together
};

/// How caches are measured.
struct CacheOptions {
  std::string precision = "float";  ///< "float" or "double"
  double sample_s = 0.01;           ///< length of a sample
  int repetitions = 7;
};

/// A triad (c = a + s b, roles rotating) whose arrays take half of each level's share of a thread,
/// so that the nearer levels hold little of it. On a device: L1 (loads only, all of them hits), L2,
/// and the team scratch.
/// Empty where the system does not describe its caches.
[[nodiscard]] std::vector<CacheLevel> measure_caches(const CacheOptions& options);

/// The same loop over working sets from 3 KiB a thread (512 KiB on a device) to four times the
/// last level, doubling: the steps in it are the levels.
[[nodiscard]] std::vector<CachePoint> sweep_caches(const CacheOptions& options);

/// One vector width in one precision: instructions that a core does in a second, all cores busy.
struct CoreRate {
  std::string precision;         ///< "float" or "double"
  int vector_bytes = 0;          ///< of one element: no vectors
  machine::Rate loads, stores;   ///< of whole vectors, from and to L1
  machine::Rate sums, products;  ///< each alone
  machine::Rate mixed;           ///< sums and products in turn, together
  machine::Rate gathers;  ///< elements of a table in L1, by 16-bit indices; of none but single
                          ///< elements and the widest vectors (count 0 elsewhere)
};

struct CoreRates {
  machine::Rate clock;  ///< cycles a second: of a chain of integer operations that take one each
  std::vector<CoreRate> rates;
};

struct CoreOptions {
  std::string precision;  ///< empty: both
  bool widest = false;    ///< single elements and the widest vectors alone
  double sample_s = 0.002;
  int repetitions = 7;
};

/// Measures the widths that this binary's instruction set has; nothing on a device, nor where the
/// compiler does not know GCC's vectors. Throws Error where a loop computed something else.
[[nodiscard]] CoreRates measure_core_rates(const CoreOptions& options = {});

/// Nanoseconds of one operation that waits for the one before; `barrier_ns` of one barrier.
struct Latencies {
  machine::Summary memory_ns;  ///< a load that no cache has
  machine::Summary
      scratch_ns;  ///< a load from team scratch; on a host scratch is a thread's memory, in L1
  machine::Summary fma_ns;      ///< a multiply-add of doubles
  machine::Summary barrier_ns;  ///< a GridBarrier of one team a multiprocessor (a thread on a host)
};

/// Measures them in a few tenths of a second. Throws Error where a chain of operations did not end
/// where it must.
[[nodiscard]] Latencies measure_latencies(int repetitions = 7);

/// The last of them alone.
[[nodiscard]] machine::Summary measure_barrier_ns(int repetitions = 5);

/// Independent chains of multiply-adds on all lanes of all threads; GFLOP/s, a fused multiply-add
/// counting two. `precision` is "float" or "double". Throws Error where the chains' result shows
/// that they were not computed.
[[nodiscard]] machine::Rate measure_peak_gflop_per_s(const std::string& precision,
                                                     int repetitions = 7);

/// Microseconds that an empty kernel takes.
struct LaunchLatency {
  machine::Summary fenced_us;    ///< launch and wait for its end
  machine::Summary unfenced_us;  ///< mean of many launches before one wait
};

/// Launches `launches` empty kernels a sample, fenced and unfenced.
[[nodiscard]] LaunchLatency measure_launch_latency(int launches = 200, int repetitions = 9);

}  // namespace tessera::measure
