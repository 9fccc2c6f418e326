// SPDX-License-Identifier: Apache-2.0
// What a block lives on where no bandwidth binds: trips to memory that wait for each other,
// barriers and the work that nothing overlaps. Little's law from its other end: bytes in flight
// over the latency are a bandwidth, and blocks that are resident at once over a block's life are a
// rate.
#pragma once

#include "program/predict/wavefronts.hpp"

namespace tessera::model {

/// A block's life, in cycles of a unit.
struct BlockLatency {
  double start = 0;   ///< before its first plane
  double planes = 1;  ///< that it walks, those that fill and drain included
  double trip = 0, barrier = 0, level = 0, work = 0;  ///< of one plane
  [[nodiscard]] double cycles() const { return start + planes * (trip + barrier + level + work); }
};

/// Cycles of a dependent trip to memory: the latency, longer where the arrays are larger than the
/// pages that translation holds, by `translation` for e times as large (arrays of a GB or less:
/// not).
[[nodiscard]] double trip_cycles(const machine::ModelConstants& c, double footprint_bytes);

/// Planes that a block walks, on the average over a grid that the last ones do not fill.
[[nodiscard]] double planes_of(const Kernel& kernel);

/// A block's life on a unit of `target`: constants `c` of its device, `work` of a warp's plane
/// (wavefronts.hpp). The terms of docs/model.md's row "lives"; of temporal blocking without a
/// start, and `planes` is for who knows the levels of the league to set.
[[nodiscard]] BlockLatency block_latency(const Kernel& kernel, const MachineModel& target,
                                         const machine::ModelConstants& c, const WarpWork& work);

/// Bytes of the problem's arrays.
[[nodiscard]] double footprint_of(const Kernel& kernel);

}  // namespace tessera::model
