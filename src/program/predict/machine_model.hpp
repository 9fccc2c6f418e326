// SPDX-License-Identifier: Apache-2.0
// The traffic model refined for caches of today: what changes against Su's formulas, and why, is
// derived in docs/model.md. Same three stages, same units as traffic.hpp.
//
// (4)         a load that straddles lines costs the sectors it touches, not twice its bytes
// (6), (16)   halo cells along x come in sectors of 32 B, not in lines; a stencil with edges reads
//             their rows too
// (9)-(14)    groups of blocks do reuse each other's data: an L2 of tens of MB holds what lies
//             between two uses of a plane. Only the share that it has lost is loaded again
// (2), (18)   the stages overlap, but not wholly; blocks have lives of their own, and starting one
//             takes time
#pragma once

#include "program/predict/kernel.hpp"
#include "program/predict/paper_model.hpp"
#include "program/predict/volumes.hpp"

#include <string>

namespace tessera::model {

/// (4) refined: bytes that a warp's load of one value a thread moves, over the bytes asked for,
/// where it straddles lines: (32 s + sector) / (32 s) on a GPU.
[[nodiscard]] double misaligned_factor(const MachineModel& target, int value_bytes);

/// Lines that the accesses of one value a cell touch, a cell: a warp's 32 cells lie in one where
/// rows are long, in as many as it has rows where they are short, and in more where rows begin off
/// a line.
[[nodiscard]] double lines_a_cell(const Kernel& kernel, const MachineModel& target);

/// What every model says of a launch. Seconds are of the launch.
struct LaunchPrediction {
  ByStage volume;         ///< bytes
  double counted_gm = 0;  ///< of V_GM, what counters see of one kernel: not what stays dirty in L2
  ByStage seconds;        ///< each stage alone
  double total_s = 0;     ///< joined
  std::string binding;    ///< what takes longest
};

/// What the refined model says besides.
struct RefinedPrediction : LaunchPrediction {
  double reloaded_x = 0;  ///< share of the rows' ends that L2 has lost between walkers
  double reloaded_y = 0;  ///< share of the y halo that L2 has lost between blocks
  double reloaded_z = 0;  ///< share of the z halo that L2 has lost between chunks or planes
  double lookups = 0;     ///< lines requested of on-chip storage; 0: its rate is unknown
  double starts_s = 0;    ///< starting all blocks
};

[[nodiscard]] RefinedPrediction predict_refined(const Kernel& kernel, const MachineModel& target);

/// By the model that is for the machine (MachineModel::model). Throws Error where not one block
/// fits a unit, or the model counts cycles and the machine has no clock.
[[nodiscard]] LaunchPrediction predict_launch(const Kernel& kernel, const MachineModel& target);

}  // namespace tessera::model
