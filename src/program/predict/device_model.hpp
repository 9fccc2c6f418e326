// SPDX-License-Identifier: Apache-2.0
// Predictions for GPUs whose machine file has the constants of docs/model.md's device model:
// volumes, the data path of L1 and scratch, scattered requests, arithmetic and the blocks' lives,
// joined; and streams that advance several time steps.
#pragma once

#include "program/predict/machine_model.hpp"
#include "program/predict/wavefronts.hpp"

#include <string>

namespace tessera::model {

/// What the device model says besides; seconds.gm are at the bandwidth of this mix of reads and
/// writes, seconds.smx of the data path. `binding`: "GM", "L2", "L1", "requests", "arithmetic",
/// "lives" or "conversions".
struct DevicePrediction : LaunchPrediction {
  double requests_s = 0;  ///< scattered requests to L2
  double arithmetic_s = 0;
  double lives_s = 0;        ///< blocks' lives, one round after the other
  double starts_s = 0;       ///< starting all blocks
  double conversions_s = 0;  ///< of values in fewer bits
};

/// Bandwidth of device memory for a share of reads: what copy (half) and update (two thirds)
/// measure, and on along that line; writes turn the bus around.
[[nodiscard]] double memory_bandwidth(const MachineModel& target, double read_share);

/// A launch of one step, or of several: then of all of them.
[[nodiscard]] DevicePrediction predict_device(const Kernel& kernel, const MachineModel& target);

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

}  // namespace tessera::model
