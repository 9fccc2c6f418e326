// SPDX-License-Identifier: Apache-2.0
// Predictions for CPUs in the form of the execution-cache-memory model (Stengel et al. 2015): the
// cycles that a core takes for a cell from L1, and what each level of the hierarchy takes to bring
// it closer; joined as the architecture overlaps them.
#pragma once

#include "program/predict/machine_model.hpp"

#include <string>

namespace tessera::model {

/// What a core's widest vectors do in a precision, where the machine's file has it; else nullptr.
[[nodiscard]] const machine::CoreWidth* measured_core(const MachineModel& target, int value_bytes);

/// The machine's constants; ports, operations and gathers the measured ones, where there are any in
/// the precision.
[[nodiscard]] machine::ModelConstants host_constants(const MachineModel& target, int value_bytes);

/// Cycles of a core for a cell whose data lie in L1. A vectorised loop: the busier of load and
/// store ports, or arithmetic, rows rounded up to whole vectors; elements that are gathered; the
/// begin and end of each row's loop. Else so many cycles an operation.
[[nodiscard]] double core_cycles(const Kernel& kernel, const MachineModel& target,
                                 const machine::ModelConstants& c);

/// Bytes a cell between L1 and L2: a star's rows come once for each plane that they are used in,
/// and again for each row of its plane where L1 has lost them; scratch that is larger than L1.
[[nodiscard]] double l1_bytes(const Kernel& kernel, const MachineModel& target,
                              const machine::ModelConstants& c);

/// What memory moves a second: copy moves three words a cell where what it writes is read before,
/// update two; their mean.
[[nodiscard]] double memory_moved_per_s(const MachineModel& target);

/// Share of the cores that tiles keep busy.
[[nodiscard]] double balance(double tiles, double cores);

/// What the host model says besides: seconds of the launch that each level takes alone. `binding`:
/// "core", "L2", "L3" or "GM"; volume.smx: what the core loads and stores.
struct HostPrediction : LaunchPrediction {
  double core_s = 0, l2_s = 0, l3_s = 0, memory_s = 0;
};
/// A launch of one step, or of several: then of all of them.
[[nodiscard]] HostPrediction predict_host(const Kernel& kernel, const MachineModel& target);

}  // namespace tessera::model
