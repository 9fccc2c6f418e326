// SPDX-License-Identifier: Apache-2.0
#include "program/predict/device_model.hpp"

#include "base/support/error.hpp"
#include "program/predict/machine_model.hpp"
#include "program/predict/wavefronts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::model {

namespace {

/// Elements that scattered reads of a table in L2 bring, in place of those that a plan counts:
/// a sector for each different column of a warp.
double table_elements(const Kernel& k, const MachineModel& target, const WarpWork& work) {
  if (k.gather.home != TableHome::l2) return 0;
  const double a_cell = work.misses / own_cells(k) / target.lanes;
  return (a_cell * transfer_bytes(target) / k.value_bytes - k.table) * Sizes(k).cells();
}

void set_volumes(DevicePrediction& p, const Kernel& k, const MachineModel& target,
                 const machine::ModelConstants& c, double resident, const WarpWork& work) {
  const Sizes n(k);
  const double bytes = k.value_bytes;
  const Moved moved = moved_elements(k, target);
  const double held = *c.l2_share * target.l2_bytes;
  p.volume.gm = gm_elements(k, target, resident, held, true).elements * bytes;
  p.volume.l2 = (l2_elements(k, target) + table_elements(k, target, work)) * bytes;
  p.volume.smx = n.cells() * bytes * (k.loads + k.stores + k.scratch);
  const double written = moved.written * n.cells() * bytes;
  p.counted_gm = p.volume.gm - std::min(*c.dirty_share * target.l2_bytes, written);
  p.seconds.gm = p.volume.gm / memory_bandwidth(target, 1 - written / p.volume.gm);
}

void join(DevicePrediction& p, const MachineModel& target) {
  const double overlap = *target.constants.overlap;
  const std::pair<double, const char*> stages[] = {
      {p.seconds.gm, "GM"},       {p.seconds.l2, "L2"},           {p.seconds.smx, "L1"},
      {p.requests_s, "requests"}, {p.arithmetic_s, "arithmetic"}, {p.lives_s, "lives"}};
  double sum = 0, largest = 0;
  for (const auto& [seconds, name] : stages) {
    sum += std::pow(seconds, overlap);
    if (seconds > largest) largest = seconds, p.binding = name;
  }
  // Taken not to overlap: a warp decodes what it has waited for (docs/model.md).
  p.total_s = target.launch_s + std::max(std::pow(sum, 1 / overlap), p.starts_s) + p.conversions_s;
  if (p.conversions_s > largest) p.binding = "conversions";
}

/// Bytes of the problem's arrays.
double footprint_of(const Kernel& k) {
  if (k.footprint_bytes > 0) return k.footprint_bytes;
  return static_cast<double>(k.grid.product()) * k.value_bytes *
         std::max<double>(2, static_cast<double>(k.arrays.size()));
}

}  // namespace

double memory_bandwidth(const MachineModel& target, double read_share) {
  constexpr double kCopyReads = 1.0 / 2, kUpdateReads = 3.0 / 4;  // of the words that they move
  const double more = target.update_bytes_per_s - target.bandwidth.gm;
  const double share = std::max(read_share, kCopyReads - (kUpdateReads - kCopyReads));
  return target.bandwidth.gm + more * (share - kCopyReads) / (kUpdateReads - kCopyReads);
}

DevicePrediction predict_device(const Kernel& k, const MachineModel& target) {
  require(target.clock_hz > 0, "machine {}: the device model requires clock_ghz", target.name);
  const machine::ModelConstants& c = target.constants;
  const Sizes n(k);
  const bool temporal = k.depth > 1;
  DevicePrediction p;
  const double clock = *c.clock_share * target.clock_hz;
  const double resident =
      static_cast<double>(bounded_residency(k, target).blocks_a_unit) * target.units;
  const WarpWork work = warp_work(k, target);
  BlockLatency life = block_latency(k, target, c, work);
  double blocks = static_cast<double>(k.blocks()), rounds = 1;
  double warp_planes = 0;  // of all warps, each with its own cells
  if (temporal) {
    const TemporalLeague league = temporal_league(k);
    blocks = static_cast<double>(k.league);
    life.planes = league.levels;
    warp_planes = league.computed / (target.lanes * own_cells(k));
    const TemporalVolumes volumes = temporal_volumes(k, *c.halo_share);
    p.volume.gm = p.counted_gm = volumes.gm * k.value_bytes;
    p.volume.l2 = volumes.l2 * k.value_bytes;
    p.volume.smx = k.depth * n.cells() * k.value_bytes * k.scratch;
    p.seconds.gm = p.volume.gm / target.bandwidth.gm;
  } else {
    set_volumes(p, k, target, c, resident, work);
    rounds = blocks / resident;
    const double drain = life.planes / std::max(1.0, life.planes - k.walk.more_planes);
    warp_planes = n.cells() * drain / (target.lanes * own_cells(k));
  }
  p.seconds.l2 = p.volume.l2 / (target.bandwidth.l2 * *c.l2_scale);
  // A grid of fewer blocks than units leaves some idle.
  const double busy = std::min(target.units, blocks) * clock;
  p.seconds.smx = warp_planes * work.cycles / busy;
  p.requests_s = warp_planes * work.misses / *c.misses_per_cycle / busy;
  const double computed = temporal ? k.depth * n.cells() / k.valid_share : n.cells();
  if (target.flop_per_s > 0) {
    p.arithmetic_s = computed * k.flops / target.flop_per_s;
    // Each takes the place of a multiply-add, which counts as two operations.
    p.conversions_s = computed * 2 * k.conversions / target.flop_per_s;
  }
  rounds += *c.tail * (std::ceil(rounds) - rounds);
  p.lives_s = rounds * life.cycles() / clock +
              (temporal ? life.planes * k.walk.exchanges * 1e-6 * *c.exchange_us : 0);
  p.starts_s = 1e-9 * blocks / target.units * *c.team_ns;
  join(p, target);
  return p;
}

double trip_cycles(const machine::ModelConstants& c, double footprint_bytes) {
  constexpr double kGB = 1e9;
  return *c.trip_cycles * (1 + *c.translation * std::log(std::max(1.0, footprint_bytes / kGB)));
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
