// SPDX-License-Identifier: Apache-2.0
#include "program/predict/host_model.hpp"

#include "base/support/error.hpp"
#include "program/predict/machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::model {
namespace {

/// Bytes of scratch that go through L1 and L2, a cell that is computed: a sum's window is found in
/// registers or L1 after its first use.
double scratch_l1_bytes(const Kernel& k, const MachineModel& target,
                        const machine::ModelConstants& c) {
  if (k.scratch_bytes == 0) return 0;
  const double lost =
      lost_share(static_cast<double>(k.scratch_bytes), target.first_bytes, target.loss_steepness);
  const double stores = k.scratch - k.scratch_loads;
  return (*c.first_uses * k.scratch_loads + stores) * lost * k.value_bytes;
}

/// Bytes a computed cell that a stream of several steps moves where its queues exceed a cache: a
/// plane is read, and one read and written.
double queue_bytes(const Kernel& k, double cache_bytes) {
  return static_cast<double>(k.scratch_bytes) > cache_bytes ? 3.0 * k.value_bytes : 0;
}

double joined(const HostPrediction& p, double overlap) {
  double sum = 0;
  for (const double s : {p.core_s, p.l2_s, p.l3_s, p.memory_s}) sum += std::pow(s, overlap);
  return std::pow(sum, 1 / overlap);
}

}  // namespace

const machine::CoreWidth* measured_core(const MachineModel& target, int value_bytes) {
  const machine::CoreWidth* widest = nullptr;
  for (const machine::CoreWidth& core : target.core) {
    if (core.precision != (value_bytes == 4 ? "float" : "double") || !core.vector_bytes) continue;
    if (widest == nullptr || *core.vector_bytes > *widest->vector_bytes) widest = &core;
  }
  const bool whole =
      widest != nullptr && widest->loads && widest->stores && widest->mixed && widest->gathers;
  return whole ? widest : nullptr;
}

machine::ModelConstants host_constants(const MachineModel& target, int value_bytes) {
  machine::ModelConstants c = target.constants;
  if (const machine::CoreWidth* core = measured_core(target, value_bytes)) {
    c.vector_bytes = *core->vector_bytes;
    c.load_bytes = *core->loads * *c.vector_bytes;
    c.store_bytes = *core->stores * *c.vector_bytes;
    c.flop_cycles = 1 / *core->mixed;
    c.gather_cycles = 1 / *core->gathers;
  }
  return c;
}

double core_cycles(const Kernel& k, const MachineModel& target, const machine::ModelConstants& c) {
  const double s = k.value_bytes;
  const double stores = k.scratch - k.scratch_loads;
  const double scratch = k.scratch_bytes > 0 ? k.scratch * *c.scratch_cycles : 0;
  if (!k.loops.vectorised) {
    const double operations = k.loads + k.stores + k.scratch + 2 * k.loops.copied + k.flops;
    return operations * *c.scalar_cycles + scratch;
  }
  const double lanes = *c.vector_bytes / s;
  // A load that straddles lines, as the widest vectors do beside a cell, takes two.
  const double straddling = k.misaligned * *c.vector_bytes / target.first_line_bytes;
  const double gathered = k.gather.elements + k.other_gather.elements;
  const double loads = k.loads + k.scratch_loads + k.loops.copied + straddling - gathered;
  const double written = k.stores + stores + k.loops.copied;
  const double ports = std::max(loads * s / *c.load_bytes, written * s / *c.store_bytes);
  const double row = std::min(static_cast<double>(k.tile.x), static_cast<double>(k.grid.x));
  const double ragged = std::ceil(row / lanes) * lanes / row;
  return std::max(ports * *c.port_share, k.flops / lanes * *c.flop_cycles) * ragged +
         k.loops.gathered * *c.gather_cycles + k.loops.rows / row * *c.row_cycles +
         k.loops.branched * *c.layer_cycles + scratch;
}

double l1_bytes(const Kernel& k, const MachineModel& target, const machine::ModelConstants& c) {
  if (k.depth > 1) return queue_bytes(k, target.first_bytes * *c.l1_share);
  const double row_bytes = Sizes(k).bx * k.value_bytes;
  double elements = 0;
  for (const ArrayUse& array : k.arrays) {
    const int ry = array.radius[1], rz = array.radius[2];
    const double edge_planes = array.edges ? 2 * rz + 1 : 1;
    const double others = static_cast<double>(k.arrays.size()) - 1;  // a row of each
    const double rows = (2 * ry + 1) * edge_planes + 2 * rz + others;
    const double lost =
        lost_share(rows * row_bytes, target.first_bytes * *c.l1_share, target.loss_steepness);
    double here = array.read ? 1 + 2 * rz + 2 * ry * lost * edge_planes : 1;
    if (array.written) here += 1;
    elements += array.share * here;
  }
  return elements * k.value_bytes + scratch_l1_bytes(k, target, c);
}

double memory_moved_per_s(const MachineModel& target) {
  constexpr double kWordsOfCopy = 3, kWordsCounted = 2;
  return (target.update_bytes_per_s + target.bandwidth.gm * kWordsOfCopy / kWordsCounted) / 2;
}

double balance(double tiles, double cores) { return tiles / (cores * std::ceil(tiles / cores)); }

HostPrediction predict_host(const Kernel& k, const MachineModel& target) {
  require(target.clock_hz > 0, "machine {}: the host model requires clock_ghz", target.name);
  const machine::ModelConstants c = host_constants(target, k.value_bytes);
  const double bytes = k.value_bytes;
  const bool temporal = k.depth > 1;
  HostPrediction p;
  const double cells = static_cast<double>(k.grid.product()) * k.depth;
  const double computed = cells / k.valid_share;
  if (temporal) {
    p.volume.gm = cells * (k.loads + k.stores) * bytes;
    // What is on its way, and queues that a core's own caches do not hold.
    p.volume.l2 = p.volume.gm + computed * queue_bytes(k, target.smx_bytes);
  } else {
    const double held = *c.l2_share * target.l2_bytes;
    p.volume.gm = gm_elements(k, target, target.units, held, false).elements * bytes;
    p.volume.l2 = l2_elements(k, target) * bytes;
  }
  p.volume.smx = cells * bytes * (k.loads + k.stores + k.scratch);
  const double tiles = temporal ? target.units : static_cast<double>(k.blocks());
  const double cores = target.units * balance(tiles, target.units);
  const double per_cycle = 1 / (cores * target.clock_hz);
  p.core_s = computed * core_cycles(k, target, c) * per_cycle;
  p.l2_s = computed * l1_bytes(k, target, c) / *c.l2_bytes_per_cycle * per_cycle;
  p.l3_s = p.volume.l2 / *c.l3_bytes_per_cycle * per_cycle;
  p.memory_s = p.volume.gm / (memory_moved_per_s(target) * *c.memory_scale);
  p.total_s = joined(p, *c.overlap);
  p.counted_gm = p.volume.gm;
  p.seconds = {p.memory_s, p.l3_s, p.l2_s + p.core_s};
  double largest = 0;
  for (const auto& [seconds, name] :
       {std::pair{p.core_s, "core"}, {p.l2_s, "L2"}, {p.l3_s, "L3"}, {p.memory_s, "GM"}}) {
    if (seconds > largest) largest = seconds, p.binding = name;
  }
  return p;
}

}  // namespace tessera::model
