// SPDX-License-Identifier: Apache-2.0
#include "program/predict/device_constants.hpp"

#include "program/predict/needs.hpp"

namespace tessera::model {

DeviceConstants device_constants(const MachineModel& target) {
  const machine::ModelConstants& m = target.constants;
  const Needs need{target, "device model"};
  need.clock();
  return {need(m.clock_share, "clock_share"),
          need(m.wavefront_load, "wavefront_load"),
          need(m.wavefront_fill, "wavefront_fill"),
          need(m.wavefront_store, "wavefront_store"),
          need(m.wavefront_scratch, "wavefront_scratch"),
          need(m.wavefront_column, "wavefront_column"),
          need(m.unrelated_columns, "unrelated_columns"),
          need(m.table_share, "table_share"),
          need(m.misses_per_cycle, "misses_per_cycle"),
          need(m.trip_cycles, "trip_cycles"),
          need(m.translation, "translation"),
          need(m.barrier_cycles, "barrier_cycles"),
          need(m.start_cycles, "start_cycles"),
          need(m.warp_cycles, "warp_cycles"),
          need(m.own_work, "own_work"),
          need(m.level_cycles, "level_cycles"),
          need(m.exchange_us, "exchange_us"),
          need(m.halo_share, "halo_share"),
          need(m.overlap, "overlap"),
          need(m.l2_scale, "l2_scale"),
          need(m.l2_share, "l2_share"),
          need(m.dirty_share, "dirty_share"),
          need(m.tail, "tail"),
          need(m.team_ns, "team_ns")};
}

}  // namespace tessera::model
