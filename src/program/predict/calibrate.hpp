// SPDX-License-Identifier: Apache-2.0
// Fitting the constants of the traffic models to runs that were measured.
#pragma once

#include "program/predict/kernel.hpp"
#include "program/results/machine_file.hpp"

#include <string>
#include <vector>

namespace tessera::model {

/// A kernel that ran: its time, and its volumes where counters gave them.
struct MeasuredRun {
  Kernel kernel;
  double seconds = 0;
  machine::MaybeNumber counted_gm, counted_l2;  ///< bytes of one launch
};

/// Of the runs, those whose arrays take at least four times the shared cache.
[[nodiscard]] std::size_t large_enough(const MachineModel& target,
                                       const std::vector<MeasuredRun>& runs);

/// Fits the constants to the first, third, fifth ... of the runs whose arrays take at least four
/// times the shared cache, and judges them by the others of these:
/// delta to the counted V_L2 of kernels that (8) holds for, eta to those of (17), epsilon, l2_share
/// and dirty_share to the counted V_GM, the rest to times. What no run tells of stays as it is.
/// Throws Error where fewer than four runs are as large.
[[nodiscard]] machine::ModelConstants calibrate(const MachineModel& target,
                                                const std::vector<MeasuredRun>& runs);

}  // namespace tessera::model
