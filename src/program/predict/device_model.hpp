// SPDX-License-Identifier: Apache-2.0
// Predictions for GPUs whose machine file has the constants of docs/model.md's device model:
// volumes, the data path of L1 and scratch, scattered requests, arithmetic and the blocks' lives,
// joined; and streams that advance several time steps.
#pragma once

#include "program/predict/machine_model.hpp"

#include <string>

namespace tessera::model {

/// What the device model says besides; seconds.gm are at the bandwidth of this mix of reads and
/// writes, seconds.smx of the data path. `binding`: "GM", "L2", "L1", "requests", "arithmetic" or
/// "lives".
struct DevicePrediction : LaunchPrediction {
  double requests_s = 0;  ///< scattered requests to L2
  double arithmetic_s = 0;
  double lives_s = 0;   ///< blocks' lives, one round after the other
  double starts_s = 0;  ///< starting all blocks
};

/// Bandwidth of device memory for a share of reads: what copy (half) and update (two thirds)
/// measure, and on along that line; writes turn the bus around.
[[nodiscard]] double memory_bandwidth(const MachineModel& target, double read_share);

/// A launch of one step, or of several: then of all of them.
[[nodiscard]] DevicePrediction predict_device(const Kernel& kernel, const MachineModel& target);

}  // namespace tessera::model
