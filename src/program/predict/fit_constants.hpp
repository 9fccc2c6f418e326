// SPDX-License-Identifier: Apache-2.0
// Fitting the constants of the device and the host model to rows of result files: to half of each
// family's, all families with equal weight, and judged by the other half.
#pragma once

#include "program/predict/kernel.hpp"
#include "program/results/machine_file.hpp"

#include <string>
#include <vector>

namespace tessera::model {

/// A row: its regions' launches, what they took together, and the machine in that run.
struct FamilyRun {
  std::string family;
  bool fitted = true;                           ///< one of the half that is fitted to
  std::vector<Kernel> kernels;                  ///< a region each
  double seconds = 0;                           ///< a step
  machine::MaybeNumber counted_gm, counted_l2;  ///< bytes a step
  MachineModel machine;                         ///< with the bandwidths and the peak of that run
};

/// Mean |log(predicted / measured)|, at most 1 a row, of the families' means; of the fitted half or
/// the other.
[[nodiscard]] double mean_error(const std::vector<FamilyRun>& runs,
                                const machine::ModelConstants& constants, bool fitted);

/// Fits l2_share to counted volumes, then the rest to times, from `start`: a coordinate search,
/// deterministic. Su's delta, eta and epsilon are fitted to the counted V_L2 of kernels that (8) or
/// (17) holds for, and to V_GM, of single launches whose arrays take four times the shared cache.
/// What counters and data sheets say (wavefronts, ports) stays as it is, like what no run reveals.
/// Throws Error where fewer than four rows are fitted.
[[nodiscard]] machine::ModelConstants fit_constants(const std::vector<FamilyRun>& runs,
                                                    const machine::ModelConstants& start);

}  // namespace tessera::model
