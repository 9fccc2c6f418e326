// SPDX-License-Identifier: Apache-2.0
// Latencies of the default execution space: what Little's law asks for (EBISU 6.1, equations (13)
// to (16)), and what a barrier of the whole device costs (its T_Dsync, 5.2.2).
#pragma once

#include "program/results/statistics.hpp"

namespace tessera::measure {

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

}  // namespace tessera::measure
