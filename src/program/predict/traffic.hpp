// SPDX-License-Identifier: Apache-2.0
// The data-traffic model of Su et al., formula by formula: volumes at three stages of the memory
// hierarchy, and the time that they allow.
//
// Each function is one printed formula, named in its comment by its number. Units: volumes in
// bytes, bandwidths in bytes a second, times in seconds, everything called a count or a load in
// elements. SMX is the paper's word for a streaming multiprocessor, GM for global (device) memory;
// on-SMX storage is the cache next to the registers. Nothing here is fitted or corrected: what a
// GPU with other caches needs is in machine_model.hpp, and how the pieces go together in
// paper_model.hpp.
#pragma once

#include <cstdint>

namespace tessera::model {

/// Extents of a thread block or of the grid, in threads or cells.
struct Dims {
  std::int64_t x = 1, y = 1, z = 1;

  [[nodiscard]] std::int64_t product() const { return x * y * z; }
};

[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Bytes moved, or bytes a second, at the three stages.
struct ByStage {
  double gm = 0;   ///< device memory to L2: V_GM, BW_GM
  double l2 = 0;   ///< L2 to on-SMX storage: V_L2, BW_L2
  double smx = 0;  ///< on-SMX storage to registers: V_SMX, BW_SMX
};

/// Halo cells along an axis, both sides together, of the paper's stencils: its halo_width.
inline constexpr int kHaloWidth = 2;

/// What divides each term of (2): V / BW, in seconds.
[[nodiscard]] ByStage stage_times(const ByStage& volume, const ByStage& bandwidth);

/// (2) `Time usage >= max(V_GM / BW_GM, V_L2 / BW_L2, V_SMX / BW_SMX)`.
[[nodiscard]] double time_bound(const ByStage& volume, const ByStage& bandwidth);

/// (3) `V_SMX = #threads (n_SMX,T^ld + n_SMX,T^st) sizeof(type)`,
/// (5) `V_L2 = #thread blocks (n_L2,B^ld + n_L2,B^st) sizeof(type)`,
/// (9) `V_GM = #groups (n_GM,G^ld + n_GM,G^st) sizeof(type)`.
[[nodiscard]] double volume(double count, double loads, double stores, int value_bytes);

/// (4) `n_SMX,T^ld = #aligned loads_T + 2 #misaligned loads_T`.
[[nodiscard]] double smx_loads(double aligned, double misaligned);

/// (7) `n_L2,B^ld = n_L2,B^ld,net (1 + SMX miss ratio)`,
/// (11) `n_GM,G^ld = n_GM,G^ld,net (1 + L2 miss ratio)`.
[[nodiscard]] double with_misses(double net_loads, double miss_ratio);

/// What (8) and (17) share: what the active blocks of an SMX hold, over its storage, in elements:
/// `occupancy #maximum threads n_L2,B^ld,net / (#threads per block storage / sizeof(type))`.
[[nodiscard]] double smx_demand(double occupancy, double max_threads, double net_loads,
                                double threads_a_block, double storage_bytes, int value_bytes);

/// (8) `SMX miss ratio = demand delta`. The paper's Table 2, row 17, drops `sizeof(type)` in print,
/// not in its result.
[[nodiscard]] double smx_miss_ratio(double demand, double delta);

/// (10) `#groups = ceil(#thread blocks / #thread blocks per group)`.
[[nodiscard]] std::int64_t groups(std::int64_t blocks, std::int64_t blocks_a_group);

/// (12) `n_GM,G^ld,net = (N_x + (L2 line / sizeof(type)) 2) width_y height_z`.
[[nodiscard]] double gm_net_loads(std::int64_t nx, double l2_line_bytes, int value_bytes,
                                  double width_y, double height_z);

/// (13) `width_y = By ceil(#blocks per group Bx / N_x) + halo_width`. A group that is larger than a
/// plane counts as many rows as its blocks have one after the other, as in the paper's own example.
[[nodiscard]] double width_y(const Dims& block, std::int64_t blocks_a_group, std::int64_t nx,
                             int halo_width);

/// (14) `height_z = Bz ceil(#blocks per group / (N_x N_y / (Bx By))) + halo_width`; `Bz` is what a
/// block covers along z, `chunk_z` included.
[[nodiscard]] double height_z(const Dims& block, std::int64_t blocks_a_group, const Dims& grid,
                              int halo_width);

/// (15) `L2 miss ratio = n_GM,G^ld,net sizeof(type) / (L2 size) epsilon`.
[[nodiscard]] double l2_miss_ratio(double net_loads, int value_bytes, double l2_bytes,
                                   double epsilon);

/// (16) For `chunk_z` cells a thread; with 1, (6):
/// `Bx By Bz chunk + (Bx Bz chunk + Bx By) halo_width + (line / sizeof(type) By Bz chunk) 2`: a
/// block, its halo rows along y and z, and a whole line of `line_bytes` at either end along x.
[[nodiscard]] double l2_net_loads(const Dims& block, int chunk, int halo_width, double line_bytes,
                                  int value_bytes);

/// (17) `SMX miss ratio past capacity = demand (1 + halo_width) / (chunk + halo_width) delta`
/// `+ log2(chunk #warps per block / (#streaming processors per SMX / #threads per warp)) eta`. The
/// logarithm is negative for short chunks: it is clamped at 0. The paper gives no value for eta.
[[nodiscard]] double smx_miss_ratio_chunked(double demand, int chunk, int halo_width,
                                            double warps_a_block, double processors_an_smx,
                                            double threads_a_warp, double delta, double eta);

/// (18) `Time adjusted = time predicted (1 + 1 / #groups) / occupancy efficiency`, the efficiency
/// being occupancy over the largest that the kernel reaches with any block size.
[[nodiscard]] double adjusted_time(double predicted_s, double groups, double occupancy_efficiency);

}  // namespace tessera::model
