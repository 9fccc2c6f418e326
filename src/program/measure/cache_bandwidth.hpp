// SPDX-License-Identifier: Apache-2.0
// Bandwidth of data that stays in a cache or in team scratch, on the default execution space.
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

}  // namespace tessera::measure
