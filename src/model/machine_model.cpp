// SPDX-License-Identifier: Apache-2.0
#include "model/machine_model.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::model {
namespace {

constexpr double kSectorBytes = 32;
constexpr double kMemoryAtomBytes = 64;  // the least that device memory delivers
constexpr double kLossSteepness = 6;

/// Elements that `cells` of a row, and `radius` more at either end, take in transfers: whole ones
/// at either end where rows begin on transfers; elsewhere one element less than a transfer more, on
/// the average over where a row begins.
double row_elements(const Kernel& k, double cells, int radius, double transfer) {
  const double unit = transfer / k.value_bytes;
  if (!k.begins_on(unit)) return cells + 2 * radius + unit - 1;
  return cells + 2 * std::ceil(radius / unit) * unit;
}

/// A CPU reads a line before it writes to it, unless the kernel has read it anyway.
bool comes_in(const ArrayUse& array, const MachineModel& target) {
  return array.read || (array.written && !target.gpu);
}

/// Extents that the model reckons with: a block, clipped to the grid.
struct Sizes {
  double nx, ny, nz, bx, by, bz;
  Sizes(const Kernel& k)  // NOLINT(google-explicit-constructor): a kernel's extents as numbers
      : nx(static_cast<double>(k.grid.x)),
        ny(static_cast<double>(k.grid.y)),
        nz(static_cast<double>(k.grid.z)),
        bx(std::min(static_cast<double>(k.tile.x), nx)),
        by(std::min(static_cast<double>(k.tile.y), ny)),
        bz(std::min(static_cast<double>(k.tile.z), nz)) {}
  [[nodiscard]] double cells() const { return nx * ny * nz; }
  [[nodiscard]] double tile() const { return bx * by * bz; }
};

/// V_L2.
double l2_elements(const Kernel& k, const MachineModel& target, const Sizes& n, double moved) {
  // A core walks its tile plane by plane; its storage must hold them until z - 1 is done with.
  const double plane_bytes = n.bx * n.by * moved * k.value_bytes;
  const double lost = target.gpu ? 0 : lost_share(plane_bytes, target.smx_bytes);
  double a_block = k.table * n.tile();
  const double halo = row_elements(k, n.bx, 0, transfer_bytes(target));
  for (const ArrayUse& array : k.arrays) {
    if (array.written) a_block += array.share * halo * n.by * n.bz;
    if (!comes_in(array, target)) continue;
    const double own = row_elements(k, n.bx, array.radius[0], transfer_bytes(target));
    a_block += array.share * (block_loads(array, {own, halo, n.bx}, n.by, n.bz) +
                              2 * array.radius[2] * lost * n.tile());
  }
  return static_cast<double>(k.blocks()) * a_block;
}

/// V_GM: each array once, with the grid's own halo, and again what L2 has lost.
double gm_elements(const Kernel& k, const MachineModel& target, const Sizes& n, double moved,
                   double resident, RefinedPrediction& p) {
  const double held = constants_of(target).l2_share * target.l2_bytes;
  const double block_bytes = n.tile() * moved * k.value_bytes;
  const double row = std::ceil(n.nx / n.bx);
  const double layer = row * std::ceil(n.ny / n.by);
  const double layers = std::ceil(n.nz / n.bz);
  // Along x, between blocks that walk side by side: what they touch until the other comes by.
  const double drift = target.constants.drift_planes.value_or(0);
  const double side_by_side = std::min(resident, layer) * n.bx * n.by * moved * k.value_bytes;
  p.reloaded_x = k.chunk > 1 ? lost_share(side_by_side * drift, held) : 0;
  // Along y: a row of blocks lies between a block and its neighbour.
  p.reloaded_y = resident < layer ? lost_share(row * block_bytes, held) : 0;
  // Along z: blocks that are done at once come back to a plane one layer later. Those that walk
  // touch the planes in question at the end of one life and the beginning of the next.
  const bool walks = k.chunk > 1 || !target.gpu;
  const double between = walks ? std::abs(layer - resident) : layer > resident ? layer : 0;
  p.reloaded_z = lost_share(between * block_bytes, held) * (layers - 1) / layers;
  const double plane_bytes = resident * n.bx * n.by * moved * k.value_bytes;
  const double inside = target.gpu ? 0 : lost_share(plane_bytes, held);
  double elements = 0;
  for (const ArrayUse& array : k.arrays) {
    if (array.written) elements += array.share * n.cells();
    if (!comes_in(array, target)) continue;
    const int ry = array.radius[1], rz = array.radius[2];
    const double atom = std::max(kMemoryAtomBytes, target.l2_line_bytes);
    const double end = std::ceil(array.radius[0] * k.value_bytes / atom) * atom / k.value_bytes;
    const double once = (n.nx + 2 * end) * (n.ny + 2 * ry) * (n.nz + 2 * rz);
    const double edges = row_elements(k, n.bx, array.radius[0], atom) / n.bx - 1;
    const double again = edges * p.reloaded_x + 2 * ry / n.by * p.reloaded_y +
                         2 * rz / n.bz * p.reloaded_z + 2 * rz * inside;
    elements += array.share * (once + again * n.cells());
  }
  return elements;
}

}  // namespace

CardConstants constants_of(const MachineModel& target) {
  const measure::ModelConstants& m = target.constants;
  const auto value = [&](const measure::MaybeNumber& fitted, double gpu, double cpu) {
    return fitted.value_or(target.gpu ? gpu : cpu);
  };
  return {value(m.l2_share, 0.39, 0.5), value(m.dirty_share, 0.27, 0), value(m.l2_scale, 1.8, 1),
          value(m.overlap, 3.4, 2),     value(m.tail, 0.79, 0.5),      value(m.team_ns, 80, 0),
          value(m.warp_us, 0.024, 0),   value(m.plane_us, 0.715, 0)};
}

double transfer_bytes(const MachineModel& target) {
  return target.gpu ? kSectorBytes : target.smx_line_bytes;
}

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

double block_loads(const ArrayUse& array, const BlockRow& row, double by, double bz) {
  const double x = row.own;
  const double ry = array.radius[1], rz = array.radius[2];
  if (!array.edges) return x * by * bz + 2 * row.halo * (ry * bz + rz * by);
  // Rows y +- 1 in the block's planes and rows of the block in planes z +- 1 are read at x +- 1
  // too.
  return x * (by * bz + 2 * ry * bz + 2 * rz * by) + row.cells * (2 * ry) * (2 * rz);
}

double lost_share(double distance, double held) {
  return distance <= 0 ? 0 : 1 / (1 + std::pow(held / distance, kLossSteepness));
}

RefinedPrediction predict_refined(const Kernel& k, const MachineModel& target) {
  RefinedPrediction p;
  const CardConstants c = constants_of(target);
  const Sizes n(k);
  p.residency = residency_of(k, target);
  const double resident = static_cast<double>(p.residency.blocks_a_unit) * target.units;
  const auto blocks = static_cast<double>(k.blocks());
  p.rounds = blocks / resident;
  double moved = 0, written = 0;  // elements a cell
  for (const ArrayUse& array : k.arrays) {
    moved += array.share * ((array.written ? 1 : 0) + (comes_in(array, target) ? 1 : 0));
    written += array.written ? array.share : 0;
  }
  // 1. Volumes.
  const double aligned = k.loads - k.misaligned + k.stores + k.scratch;
  p.volume.smx = n.cells() * k.value_bytes *
                 (aligned + k.misaligned * misaligned_factor(target, k.value_bytes));
  p.volume.l2 = l2_elements(k, target, n, moved) * k.value_bytes;
  p.volume.gm = gm_elements(k, target, n, moved, resident, p) * k.value_bytes;
  p.counted_gm =
      p.volume.gm - std::min(c.dirty_share * target.l2_bytes, written * n.cells() * k.value_bytes);
  // 2. Times: the stages, the blocks' lives, their starts.
  p.seconds = stage_times(p.volume, target.bandwidth);
  if (target.lookups_per_s > 0) {
    p.lookups =
        n.cells() * ((k.loads + k.stores) * lines_a_cell(k, target) + k.scratch / target.lanes);
    p.seconds.smx = std::max(p.seconds.smx, p.lookups / target.lookups_per_s);
  }
  const double whole = std::ceil(p.rounds);
  const double warps = std::ceil(k.team * n.bx / static_cast<double>(k.tile.x) / target.lanes);
  p.latency_s =
      1e-6 * (p.rounds + c.tail * (whole - p.rounds)) * (c.warp_us * warps + c.plane_us * k.chunk);
  p.starts_s = 1e-9 * blocks / target.units * c.team_ns;
  double joined = 0;
  for (const double s : {p.seconds.gm, p.seconds.l2 / c.l2_scale, p.seconds.smx, p.latency_s}) {
    joined += std::pow(s, c.overlap);
  }
  p.step_s = target.launch_s + std::max(std::pow(joined, 1 / c.overlap), p.starts_s);
  return p;
}

}  // namespace tessera::model
