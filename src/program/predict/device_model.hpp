// SPDX-License-Identifier: Apache-2.0
// Predictions for GPUs whose machine file has the constants of docs/model.md's device model:
// volumes, the data path of L1 and scratch, scattered requests, arithmetic and the blocks' lives,
// joined; and streams that advance several time steps.
#pragma once

#include "program/predict/device_constants.hpp"
#include "program/predict/machine_model.hpp"

#include <string>

namespace tessera::model {

/// What the device model says of a launch. Seconds are of the launch.
struct DevicePrediction {
  Residency residency;
  double rounds = 0;      ///< blocks over those that are resident at once
  ByStage volume;         ///< bytes
  double counted_gm = 0;  ///< of V_GM, what counters see of one kernel
  ByStage seconds;        ///< gm: at the bandwidth of this mix of reads and writes; smx: data path
  double requests_s = 0;  ///< scattered requests to L2
  double arithmetic_s = 0;
  double lives_s = 0;   ///< blocks' lives, one round after the other
  double starts_s = 0;  ///< starting all blocks
  double launch_s = 0;
  double seconds_joined = 0;
  std::string binding;  ///< the largest: "GM", "L2", "L1", "requests", "arithmetic", "lives"
};

/// Bandwidth of device memory for a share of reads: what copy (half) and update (two thirds)
/// measure, and on along that line; writes turn the bus around.
[[nodiscard]] double memory_bandwidth(const MachineModel& target, double read_share);

/// A launch of one step, or of several: then of all of them.
[[nodiscard]] DevicePrediction predict_device(const Kernel& kernel, const MachineModel& target);

}  // namespace tessera::model
