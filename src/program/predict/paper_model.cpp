// SPDX-License-Identifier: Apache-2.0
#include "program/predict/paper_model.hpp"

#include "base/support/error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::model {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = kKiB * kKiB;
constexpr double kGiB = kKiB * kMiB;

bool has_halo(const ArrayUse& array) {
  return array.radius[0] > 0 || array.radius[1] > 0 || array.radius[2] > 0;
}

/// Elements of the whole lines that `radius` cells at one end of a row take.
double end_line_bytes(int radius, double line_bytes, int value_bytes) {
  return std::ceil(radius * value_bytes / line_bytes) * line_bytes;
}

/// (6) and (16), array by array.
double net_loads_of_block(const Kernel& k, const MachineModel& target) {
  const Dims rows{k.tile.x, k.tile.y, k.tile.z / k.chunk};
  double net = 0;
  for (const ArrayUse& array : k.arrays) {
    if (!array.read) continue;
    net +=
        array.share *
        (has_halo(array)
             ? l2_net_loads(rows, k.chunk, 2 * array.radius[1],
                            end_line_bytes(array.radius[0], target.smx_line_bytes, k.value_bytes),
                            k.value_bytes)
             : k.tile_cells());
  }
  return net;
}

}  // namespace

std::string binding_stage(const ByStage& s) {
  if (s.gm >= s.l2 && s.gm >= s.smx) return "device memory";
  return s.l2 >= s.smx ? "L2" : "on-SMX storage";
}

PaperPrediction predict_by_paper(const Kernel& k, const MachineModel& target) {
  PaperPrediction p;
  const int s = k.value_bytes;
  p.residency = residency_of(k, target);
  p.blocks = static_cast<double>(k.blocks());
  p.threads_a_block = k.team;
  p.threads = p.blocks * k.team;
  p.blocks_a_group = p.residency.blocks_a_unit * static_cast<std::int64_t>(target.units);
  // 1. Registers and on-SMX storage. Scratch is on-SMX storage too; its accesses are aligned.
  const double cells_a_thread = k.tile_cells() / k.team;
  p.aligned = (k.loads - k.misaligned + k.scratch) * cells_a_thread;
  p.misaligned = k.misaligned * cells_a_thread;
  p.smx_ld = smx_loads(p.aligned, p.misaligned);
  p.smx_st = k.stores * cells_a_thread;
  p.volume.smx = volume(p.threads, p.smx_ld, p.smx_st, s);
  // 2. On-SMX storage and L2.
  p.l2_net = net_loads_of_block(k, target);
  p.demand = smx_demand(p.residency.occupancy, target.threads_per_unit, p.l2_net, p.threads_a_block,
                        target.smx_bytes, s);
  p.past_capacity = k.chunk > 1 && p.demand > 1 && target.processors_per_unit > 0;
  const machine::ModelConstants& fitted = target.constants;
  p.smx_miss = p.past_capacity
                   ? smx_miss_ratio_chunked(p.demand, k.chunk, kHaloWidth, k.team / target.lanes,
                                            target.processors_per_unit, target.lanes,
                                            fitted.delta.value_or(0), fitted.eta.value_or(0))
                   : smx_miss_ratio(p.demand, fitted.delta.value_or(0));
  p.l2_ld = with_misses(p.l2_net, p.smx_miss);
  p.l2_st = k.stores * k.tile_cells();
  p.volume.l2 = volume(p.blocks, p.l2_ld, p.l2_st, s);
  // 3. L2 and device memory.
  p.groups = groups(k.blocks(), p.blocks_a_group);
  for (const ArrayUse& array : k.arrays) {
    if (!array.read) continue;
    const double width = width_y(k.tile, p.blocks_a_group, k.grid.x, 2 * array.radius[1]);
    const double height = height_z(k.tile, p.blocks_a_group, k.grid, 2 * array.radius[2]);
    p.width_y = std::max(p.width_y, width);
    p.height_z = std::max(p.height_z, height);
    const double ends =
        has_halo(array) ? end_line_bytes(array.radius[0], target.l2_line_bytes, s) : 0;
    p.gm_net += array.share * gm_net_loads(k.grid.x, ends, s, width, height);
  }
  p.l2_miss = l2_miss_ratio(p.gm_net, s, target.l2_bytes, fitted.epsilon.value_or(0));
  p.gm_ld = with_misses(p.gm_net, p.l2_miss);
  p.gm_st = static_cast<double>(p.blocks_a_group) * p.l2_st;
  p.volume.gm = volume(static_cast<double>(p.groups), p.gm_ld, p.gm_st, s);
  p.net_volume = {volume(static_cast<double>(p.groups), p.gm_net, p.gm_st, s),
                  volume(p.blocks, p.l2_net, p.l2_st, s), p.volume.smx};
  // 4. Times.
  p.seconds = stage_times(p.volume, target.bandwidth);
  p.bound_s = time_bound(p.volume, target.bandwidth);
  p.net_bound_s = time_bound(p.net_volume, target.bandwidth);
  p.adjusted_s = adjusted_time(p.bound_s, static_cast<double>(p.groups),
                               p.residency.occupancy / p.residency.highest);
  p.binding = binding_stage(p.seconds);
  return p;
}

std::vector<ExplainedRow> explain(const Kernel& k, const MachineModel& c,
                                  const PaperPrediction& p) {
  const auto& f = c.constants;
  const bool plain = k.arrays.size() == 2;  // one array read, one written: the printed formulas
  const char* more = plain ? "" : ", array by array";
  return {
      {"#Maximum threads per SMX", "machine", fmt::format("{:g}", c.threads_per_unit)},
      {"On-SMX storage size", "machine", fmt::format("{:g} KiB", c.smx_bytes / kKiB)},
      {"#SMXs", "machine", fmt::format("{:g}", c.units)},
      {"L2 cache size", "machine", fmt::format("{:g} MiB", c.l2_bytes / kMiB)},
      {"L2 cache line size", "machine", fmt::format("{:g} B", c.l2_line_bytes)},
      {"#Threads per block", "plan", fmt::format("{:g}", p.threads_a_block)},
      {"#Threads", "#Threads per block x #Thread blocks", fmt::format("{:.0f}", p.threads)},
      {"#Thread blocks", "plan",
       fmt::format("{:.0f} of {} x {} x {} cells", p.blocks, k.tile.x, k.tile.y, k.tile.z)},
      {"Occupancy", "limited by " + p.residency.limited_by,
       fmt::format("{:.4g}", p.residency.occupancy)},
      {"#Thread blocks per SMX", "occupancy", fmt::format("{}", p.residency.blocks_a_unit)},
      {"#Thread blocks per group", "#Thread blocks per SMX x #SMXs",
       fmt::format("{} x {:g} = {}", p.residency.blocks_a_unit, c.units, p.blocks_a_group)},
      {"#Aligned loads_T", "plan", fmt::format("{:g}", p.aligned)},
      {"#Misaligned loads_T", "plan", fmt::format("{:g}", p.misaligned)},
      {"n_SMX,T^ld", "(4)",
       fmt::format("{:g} + 2 x {:g} = {:g}", p.aligned, p.misaligned, p.smx_ld)},
      {"n_SMX,T^st", "plan", fmt::format("{:g}", p.smx_st)},
      {"n_L2,B^ld,net", std::string(k.chunk > 1 ? "(16)" : "(6)") + more,
       fmt::format("{:g}, lines of {:g} B", p.l2_net, c.smx_line_bytes)},
      {"SMX miss ratio", p.past_capacity ? "(17)" : "(8)",
       p.past_capacity ? fmt::format("{:.4g}, delta = {:g}, eta = {:g}", p.smx_miss,
                                     f.delta.value_or(0), f.eta.value_or(0))
                       : fmt::format("{:.4g} delta = {:.4g}", p.demand, p.smx_miss)},
      {"n_L2,B^ld", "(7)",
       fmt::format("{:g} x (1 + {:.4g}) = {:.6g}", p.l2_net, p.smx_miss, p.l2_ld)},
      {"n_L2,B^st", "#Threads per block x n_SMX,T^st", fmt::format("{:g}", p.l2_st)},
      {"#Groups", "(10)",
       fmt::format("ceil({:.0f} / {}) = {}", p.blocks, p.blocks_a_group, p.groups)},
      {"Width_y", "(13)", fmt::format("{:g}", p.width_y)},
      {"Height_z", "(14)", fmt::format("{:g}", p.height_z)},
      {"n_GM,G^ld,net", std::string("(12)") + more, fmt::format("{:.0f}", p.gm_net)},
      {"L2 miss ratio", "(15)",
       fmt::format("{:.3f} epsilon = {:.4g}", p.gm_net * k.value_bytes / c.l2_bytes, p.l2_miss)},
      {"n_GM,G^ld", "(11)",
       fmt::format("{:.0f} x (1 + {:.4g}) = {:.6g}", p.gm_net, p.l2_miss, p.gm_ld)},
      {"n_GM,G^st", "#Thread blocks per group x n_L2,B^st", fmt::format("{:.0f}", p.gm_st)},
      {"V_SMX", "(3)", fmt::format("{:.2f} GiB", p.volume.smx / kGiB)},
      {"V_L2", "(5)", fmt::format("{:.2f} MiB", p.volume.l2 / kMiB)},
      {"V_GM", "(9)", fmt::format("{:.2f} MiB", p.volume.gm / kMiB)},
  };
}

}  // namespace tessera::model
