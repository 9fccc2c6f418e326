// SPDX-License-Identifier: Apache-2.0
#include "program/predict/machine_model.hpp"

#include "base/support/error.hpp"
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
  require(target.bandwidth.gm > 0, "machine \"{}\": the bandwidth of its memory is not known",
          target.name);
  if (target.model == machine::kDeviceModel) return predict_device(kernel, target);
  if (target.model == machine::kHostModel) return predict_host(kernel, target);
  return predict_refined(kernel, target);
}

namespace {

/// Elements that `cells` of a row, and `radius` more at either end, take in transfers: whole ones
/// at either end where rows begin on transfers; elsewhere one element less than a transfer more, on
/// the average over where a row begins.
double row_elements(const Kernel& k, double cells, int radius, double transfer) {
  const double unit = transfer / k.value_bytes;
  if (!k.begins_on(unit)) return cells + 2 * radius + unit - 1;
  return cells + 2 * std::ceil(radius / unit) * unit;
}

/// A CPU reads a line before it writes to it, unless the kernel has read it anyway or stores past
/// the caches.
bool comes_in(const ArrayUse& array, const Kernel& k, const MachineModel& target) {
  return array.read || (array.written && !target.gpu && !k.loops.streaming_stores);
}

/// Bytes that a block touches, the halo planes beside it included.
double touched_bytes(const Kernel& k, const MachineModel& target, const Sizes& n) {
  double planes = 0;
  for (const ArrayUse& array : k.arrays) {
    planes += array.share * (n.bz + (comes_in(array, k, target) ? 2 * array.radius[2] : 0));
  }
  return planes * n.bx * n.by * k.value_bytes;
}

}  // namespace

Sizes::Sizes(const Kernel& k)
    : nx(static_cast<double>(k.grid.x)),
      ny(static_cast<double>(k.grid.y)),
      nz(static_cast<double>(k.grid.z)),
      bx(std::min(static_cast<double>(k.tile.x), nx)),
      by(std::min(static_cast<double>(k.tile.y), ny)),
      bz(std::min(static_cast<double>(k.tile.z), nz)) {}

double Sizes::layer() const { return std::ceil(nx / bx) * std::ceil(ny / by); }
double Sizes::layers() const { return std::ceil(nz / bz); }

Moved moved_elements(const Kernel& k, const MachineModel& target) {
  Moved moved;
  for (const ArrayUse& array : k.arrays) {
    moved.all += array.share * ((array.written ? 1 : 0) + (comes_in(array, k, target) ? 1 : 0));
    moved.written += array.written ? array.share : 0;
  }
  return moved;
}

double transfer_bytes(const MachineModel& target) {
  return target.gpu ? std::min(target.smx_line_bytes, target.l2_line_bytes) : target.smx_line_bytes;
}

double block_loads(const ArrayUse& array, const BlockRow& row, double by, double bz) {
  const double x = row.own;
  const double ry = array.radius[1], rz = array.radius[2];
  if (!array.edges) return x * by * bz + 2 * row.halo * (ry * bz + rz * by);
  // Rows y +- 1 in the block's planes and rows of the block in planes z +- 1 are read at x +- 1
  // too.
  return x * (by * bz + 2 * ry * bz + 2 * rz * by) + row.cells * (2 * ry) * (2 * rz);
}

double lost_share(double distance, double held, double steepness) {
  return distance <= 0 ? 0 : 1 / (1 + std::pow(held / distance, steepness));
}

double l2_elements(const Kernel& k, const MachineModel& target) {
  const Sizes n(k);
  const double moved = moved_elements(k, target).all;
  // A core walks its tile plane by plane; its storage must hold them until z - 1 is done with.
  const double plane_bytes = n.bx * n.by * moved * k.value_bytes;
  const double lost =
      target.gpu ? 0 : lost_share(plane_bytes, target.smx_bytes, target.loss_steepness);
  double a_block = k.table * n.tile();
  const double halo = row_elements(k, n.bx, 0, transfer_bytes(target));
  for (const ArrayUse& array : k.arrays) {
    if (array.written) a_block += array.share * halo * n.by * n.bz;
    if (!comes_in(array, k, target)) continue;
    const double own = row_elements(k, n.bx, array.radius[0], transfer_bytes(target));
    a_block += array.share * (block_loads(array, {own, halo, n.bx}, n.by, n.bz) +
                              2 * array.radius[2] * lost * n.tile());
  }
  return static_cast<double>(k.blocks()) * a_block;
}

MemoryVolume gm_elements(const Kernel& k, const MachineModel& target, double resident, double held,
                         bool touched) {
  const Sizes n(k);
  const double moved = moved_elements(k, target).all;
  MemoryVolume p;
  const auto lost = [&](double distance) {
    return lost_share(distance, held, target.loss_steepness);
  };
  double block_bytes = n.tile() * moved * k.value_bytes;
  const double row = std::ceil(n.nx / n.bx);
  const double layer = n.layer(), layers = n.layers();
  // Along x, between blocks that walk side by side: what they touch until the other comes by.
  const double drift = target.constants.drift_planes.value_or(0);
  const double side_by_side = std::min(resident, layer) * n.bx * n.by * moved * k.value_bytes;
  p.reloaded_x = k.chunk > 1 ? lost(side_by_side * drift) : 0;
  // Along y: a row of blocks lies between a block and its neighbour.
  p.reloaded_y = resident < layer ? lost(row * block_bytes) : 0;
  // Along z: blocks that are done at once come back to a plane one layer later. Those that walk
  // touch the planes in question at the end of one life and the beginning of the next.
  const bool walks = k.chunk > 1 || !target.gpu;
  if (touched && !walks) block_bytes = touched_bytes(k, target, n);
  const double between = walks ? std::abs(layer - resident) : layer > resident ? layer : 0;
  p.reloaded_z = lost(between * block_bytes) * (layers - 1) / layers;
  const double plane_bytes = resident * n.bx * n.by * moved * k.value_bytes;
  const double inside = target.gpu ? 0 : lost(plane_bytes);
  for (const ArrayUse& array : k.arrays) {
    if (array.written) p.elements += array.share * n.cells();
    if (!comes_in(array, k, target)) continue;
    const int ry = array.radius[1], rz = array.radius[2];
    const double atom = std::max(target.memory_atom_bytes, target.l2_line_bytes);
    const double end = std::ceil(array.radius[0] * k.value_bytes / atom) * atom / k.value_bytes;
    const double once = (n.nx + 2 * end) * (n.ny + 2 * ry) * (n.nz + 2 * rz);
    const double edges = row_elements(k, n.bx, array.radius[0], atom) / n.bx - 1;
    const double again = edges * p.reloaded_x + 2 * ry / n.by * p.reloaded_y +
                         2 * rz / n.bz * p.reloaded_z + 2 * rz * inside;
    p.elements += array.share * (once + again * n.cells());
  }
  return p;
}

TemporalLeague temporal_league(const Kernel& k) {
  const double cells = static_cast<double>(k.grid.product());
  const double computed = k.depth * cells / k.valid_share;
  const double plane = static_cast<double>(k.tile.x) * static_cast<double>(k.tile.y);
  return {computed, computed / (plane * static_cast<double>(k.league))};
}

TemporalVolumes temporal_volumes(const Kernel& k, double halo_share) {
  const double cells = static_cast<double>(k.grid.product());
  const double once = k.depth * k.loads;  // elements that a pass loads, a cell
  return {cells * (2 + halo_share * std::max(0.0, once - 1)),
          cells * k.depth * (k.loads + k.stores)};
}

}  // namespace tessera::model
