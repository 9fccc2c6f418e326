// SPDX-License-Identifier: Apache-2.0
#include "program/predict/block_latency.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::model {

double trip_cycles(const machine::ModelConstants& c, double footprint_bytes) {
  constexpr double kGB = 1e9;
  return *c.trip_cycles * (1 + *c.translation * std::log(std::max(1.0, footprint_bytes / kGB)));
}

double footprint_of(const Kernel& k) {
  if (k.footprint_bytes > 0) return k.footprint_bytes;
  return static_cast<double>(k.grid.product()) * k.value_bytes *
         std::max<double>(2, static_cast<double>(k.arrays.size()));
}

double planes_of(const Kernel& k) {
  if (k.chunk <= 1) return 1;
  // A window along y has its planes there.
  const bool along_z = std::min(k.tile.z, k.grid.z) == k.chunk || k.tile.y != k.chunk;
  const auto extent = static_cast<double>(along_z ? k.grid.z : k.grid.y);
  const auto tile = static_cast<double>(along_z ? k.tile.z : k.tile.y);
  return extent / std::ceil(extent / tile) + k.walk.more_planes;
}

BlockLatency block_latency(const Kernel& k, const MachineModel& target,
                           const machine::ModelConstants& c, const WarpWork& work) {
  BlockLatency life;
  const bool temporal = k.depth > 1;
  life.start = temporal ? 0 : *c.start_cycles;
  life.planes = planes_of(k);
  life.trip = k.walk.trips * trip_cycles(c, footprint_of(k));
  life.barrier = k.walk.barriers * *c.barrier_cycles;
  life.level = temporal ? k.walk.level_waits * *c.level_cycles : 0;
  const double warps = std::max(1.0, k.team / target.lanes);
  life.work = warps * (*c.warp_cycles + *c.own_work * work.cycles);
  return life;
}

}  // namespace tessera::model
