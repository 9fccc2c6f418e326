// SPDX-License-Identifier: Apache-2.0
// The data-traffic model as Su et al. put it together (their Table 2), from the formulas of
// traffic.hpp.
//
// Their kernels have one array with a halo. With more: an array that is read without a halo adds
// its cells to (6), (12) and (16), one that is read with a halo adds those formulas again, and each
// array written adds its cells to the stores; a radius of R makes halo_width 2R, and at either end
// along x as many whole lines as R cells take. docs/model.md derives these.
#pragma once

#include "program/predict/kernel.hpp"

#include <string>
#include <vector>

namespace tessera::model {

/// Every quantity of Table 2, by its row, and the times that follow.
struct PaperPrediction {
  Residency residency;                                                // rows 9, 10
  double blocks = 0, threads = 0, threads_a_block = 0;                // 8, 7, 6
  std::int64_t blocks_a_group = 0;                                    // 11
  double aligned = 0, misaligned = 0, smx_ld = 0, smx_st = 0;         // 12 ... 15, a thread
  double l2_net = 0, demand = 0, smx_miss = 0, l2_ld = 0, l2_st = 0;  // 16 ... 19, a block
  bool past_capacity = false;                                         // (17) in place of (8)
  std::int64_t groups = 0;                                            // 20
  double width_y = 0, height_z = 0, gm_net = 0;                       // 21, 22, 23
  double l2_miss = 0, gm_ld = 0, gm_st = 0;                           // 24, 25, 26, a group
  ByStage volume;                                                     ///< 27, 28, 29, in bytes
  ByStage net_volume;      ///< the same with both miss ratios 0
  ByStage seconds;         ///< what each stage takes
  double bound_s = 0;      ///< (2)
  double net_bound_s = 0;  ///< (2) without misses
  double adjusted_s = 0;   ///< (18)
  std::string binding;     ///< the stage that (2) names
};

/// The model for one launch.
[[nodiscard]] PaperPrediction predict_by_paper(const Kernel& kernel, const MachineModel& target);

/// "device memory", "L2" or "on-SMX storage": the stage that takes longest.
[[nodiscard]] std::string binding_stage(const ByStage& seconds);

/// A line of Table 2 with its numbers filled in.
struct ExplainedRow {
  std::string parameter, source, value;
};

/// Table 2, line by line.
[[nodiscard]] std::vector<ExplainedRow> explain(const Kernel& kernel, const MachineModel& target,
                                                const PaperPrediction& prediction);

}  // namespace tessera::model
