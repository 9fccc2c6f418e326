// SPDX-License-Identifier: Apache-2.0
#include "program/predict/machine_model.hpp"

#include "program/predict/device_model.hpp"
#include "program/predict/host_model.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::model {

double misaligned_factor(const MachineModel& target, int value_bytes) {
  const double asked = target.gpu ? target.lanes * value_bytes : target.smx_line_bytes;
  return (asked + transfer_bytes(target)) / asked;
}

double lines_a_cell(const Kernel& k, const MachineModel& target) {
  const double a_thread = k.tile_cells() / (static_cast<double>(k.team) * k.chunk);
  const double cells = std::min(target.lanes * a_thread, static_cast<double>(k.tile.x));
  const double line = target.smx_line_bytes / k.value_bytes;
  // A row that is shorter than a line and begins on multiples of its length lies in one.
  const double piece = std::min(cells, line);
  const bool whole = k.begins_on(piece) && std::fmod(line, piece) == 0;
  return (whole ? std::ceil(cells / line) : 1 + (cells - 1) / line) / cells;
}

RefinedPrediction predict_refined(const Kernel& k, const MachineModel& target) {
  RefinedPrediction p;
  const machine::ModelConstants& c = target.constants;
  const Sizes n(k);
  const double resident = static_cast<double>(residency_of(k, target).blocks_a_unit) * target.units;
  const auto blocks = static_cast<double>(k.blocks());
  const double rounds = blocks / resident;
  const Moved moved = moved_elements(k, target);
  // 1. Volumes.
  const double aligned = k.loads - k.misaligned + k.stores + k.scratch;
  p.volume.smx = n.cells() * k.value_bytes *
                 (aligned + k.misaligned * misaligned_factor(target, k.value_bytes));
  p.volume.l2 = l2_elements(k, target) * k.value_bytes;
  const MemoryVolume gm = gm_elements(k, target, resident, *c.l2_share * target.l2_bytes, false);
  p.volume.gm = gm.elements * k.value_bytes;
  p.reloaded_x = gm.reloaded_x, p.reloaded_y = gm.reloaded_y, p.reloaded_z = gm.reloaded_z;
  p.counted_gm = p.volume.gm - std::min(*c.dirty_share * target.l2_bytes,
                                        moved.written * n.cells() * k.value_bytes);
  // 2. Times: the stages, the blocks' lives, their starts.
  p.seconds = stage_times(p.volume, target.bandwidth);
  if (target.lookups_per_s > 0) {
    p.lookups =
        n.cells() * ((k.loads + k.stores) * lines_a_cell(k, target) + k.scratch / target.lanes);
    p.seconds.smx = std::max(p.seconds.smx, p.lookups / target.lookups_per_s);
  }
  const double whole = std::ceil(rounds);
  const double warps = std::ceil(k.team * n.bx / static_cast<double>(k.tile.x) / target.lanes);
  const double latency_s =
      1e-6 * (rounds + *c.tail * (whole - rounds)) * (*c.warp_us * warps + *c.plane_us * k.chunk);
  p.starts_s = 1e-9 * blocks / target.units * *c.team_ns;
  double joined = 0;
  for (const double s : {p.seconds.gm, p.seconds.l2 / *c.l2_scale, p.seconds.smx, latency_s}) {
    joined += std::pow(s, *c.overlap);
  }
  p.total_s = target.launch_s + std::max(std::pow(joined, 1 / *c.overlap), p.starts_s);
  p.binding = binding_stage(p.seconds);
  return p;
}

LaunchPrediction predict_launch(const Kernel& kernel, const MachineModel& target) {
  if (target.model == machine::kDeviceModel) return predict_device(kernel, target);
  if (target.model == machine::kHostModel) return predict_host(kernel, target);
  return predict_refined(kernel, target);
}

}  // namespace tessera::model
