// SPDX-License-Identifier: Apache-2.0
// The constants of the device model, all of them a machine file's.
#pragma once

#include "program/predict/kernel.hpp"

namespace tessera::model {

/// As machine/machine_file.hpp says of each.
struct DeviceConstants {
  double clock_share, wavefront_load, wavefront_fill, wavefront_store, wavefront_scratch,
      wavefront_column, unrelated_columns, table_share, misses_per_cycle, trip_cycles, translation,
      barrier_cycles, start_cycles, warp_cycles, own_work, level_cycles, exchange_us, halo_share,
      overlap, l2_scale, l2_share, dirty_share, tail, team_ns;
};

/// Throws Error naming what is missing.
[[nodiscard]] DeviceConstants device_constants(const MachineModel& target);

}  // namespace tessera::model
