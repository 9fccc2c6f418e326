// SPDX-License-Identifier: Apache-2.0
#include "program/predict/traffic.hpp"

#include "base/support/error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::model {
ByStage stage_times(const ByStage& volume, const ByStage& bandwidth) {
  require(
      bandwidth.gm > 0 && bandwidth.l2 > 0 && bandwidth.smx > 0,
      "the traffic model requires three bandwidths above 0: device memory {:.4g}, L2 {:.4g}, on "
      "chip {:.4g} B/s",
      bandwidth.gm, bandwidth.l2, bandwidth.smx);
  return {volume.gm / bandwidth.gm, volume.l2 / bandwidth.l2, volume.smx / bandwidth.smx};
}

double time_bound(const ByStage& volume, const ByStage& bandwidth) {
  const ByStage s = stage_times(volume, bandwidth);
  return std::max({s.gm, s.l2, s.smx});
}

double volume(double count, double loads, double stores, int value_bytes) {
  return count * (loads + stores) * value_bytes;
}

double with_misses(double net_loads, double miss_ratio) { return net_loads * (1 + miss_ratio); }

double smx_loads(double aligned, double misaligned) { return aligned + 2 * misaligned; }

double smx_demand(double occupancy, double max_threads, double net_loads, double threads_a_block,
                  double storage_bytes, int value_bytes) {
  return occupancy * max_threads * net_loads / (threads_a_block * (storage_bytes / value_bytes));
}

double smx_miss_ratio(double demand, double delta) { return demand * delta; }

std::int64_t groups(std::int64_t blocks, std::int64_t blocks_a_group) {
  return ceil_div(blocks, blocks_a_group);
}

double gm_net_loads(std::int64_t nx, double l2_line_bytes, int value_bytes, double y, double z) {
  return (static_cast<double>(nx) + l2_line_bytes / value_bytes * 2) * y * z;
}

double width_y(const Dims& block, std::int64_t blocks_a_group, std::int64_t nx, int halo_width) {
  return static_cast<double>(block.y * ceil_div(blocks_a_group * block.x, nx) + halo_width);
}

double height_z(const Dims& block, std::int64_t blocks_a_group, const Dims& grid, int halo_width) {
  const double blocks_a_plane = static_cast<double>(grid.x) * static_cast<double>(grid.y) /
                                static_cast<double>(block.x * block.y);
  return static_cast<double>(block.z) *
             std::ceil(static_cast<double>(blocks_a_group) / blocks_a_plane) +
         halo_width;
}

double l2_miss_ratio(double net_loads, int value_bytes, double l2_bytes, double epsilon) {
  return net_loads * value_bytes / l2_bytes * epsilon;
}

double l2_net_loads(const Dims& block, int chunk, int halo_width, double line_bytes,
                    int value_bytes) {
  const auto bx = static_cast<double>(block.x);
  const auto by = static_cast<double>(block.y);
  const auto bz = static_cast<double>(block.z);
  return bx * by * bz * chunk + (bx * bz * chunk + bx * by) * halo_width +
         line_bytes / value_bytes * (by * bz * chunk) * 2;
}

double smx_miss_ratio_chunked(double demand, int chunk, int halo_width, double warps_a_block,
                              double processors_an_smx, double threads_a_warp, double delta,
                              double eta) {
  const double first = demand * (1.0 + halo_width) / (chunk + halo_width) * delta;
  const double scheduling = std::log2(chunk * warps_a_block / (processors_an_smx / threads_a_warp));
  return first + std::max(scheduling, 0.0) * eta;
}

double adjusted_time(double predicted_s, double group_count, double occupancy_efficiency) {
  return predicted_s * (1 + 1 / group_count) / occupancy_efficiency;
}

}  // namespace tessera::model
