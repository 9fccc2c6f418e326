// SPDX-License-Identifier: Apache-2.0
// The traffic model refined for caches of today: what changes against Su's formulas, and why, is
// derived in docs/model.md. Same three stages, same units as traffic.hpp.
//
// (4)         a load that straddles lines costs the sectors it touches, not twice its bytes
// (6), (16)   halo cells along x come in sectors of 32 B, not in lines; a stencil with edges reads
//             their rows too
// (9)-(14)    groups of blocks do reuse each other's data: an L2 of tens of MB holds what lies
//             between two uses of a plane. Only the share that it has lost is loaded again
// (2), (18)   the stages overlap, but not wholly; blocks have lives of their own, and starting one
//             takes time
//
// Below it what all models share: what a launch moves between device memory, the cache that all
// share and the units; of streams that advance several time steps also how many planes of how many
// steps, levels, a team makes.
#pragma once

#include "program/predict/kernel.hpp"
#include "program/predict/paper_model.hpp"

#include <string>

namespace tessera::model {

/// (4) refined: bytes that a warp's load of one value a thread moves, over the bytes requested,
/// where it straddles lines: (32 s + sector) / (32 s) on a GPU.
[[nodiscard]] double misaligned_factor(const MachineModel& target, int value_bytes);

/// Lines that the accesses of one value a cell touch, a cell: a warp's 32 cells lie in one where
/// rows are long, in as many as it has rows where they are short, and in more where rows begin off
/// a line.
[[nodiscard]] double lines_a_cell(const Kernel& kernel, const MachineModel& target);

/// What every model says of a launch. Seconds are of the launch.
struct LaunchPrediction {
  ByStage volume;         ///< bytes
  double counted_gm = 0;  ///< of V_GM, what counters see of one kernel: not what stays dirty in L2
  ByStage seconds;        ///< each stage alone
  double total_s = 0;     ///< joined
  std::string binding;    ///< what takes longest
};

/// What the refined model says besides.
struct RefinedPrediction : LaunchPrediction {
  double reloaded_x = 0;  ///< share of the rows' ends that L2 has lost between walkers
  double reloaded_y = 0;  ///< share of the y halo that L2 has lost between blocks
  double reloaded_z = 0;  ///< share of the z halo that L2 has lost between chunks or planes
  double lookups = 0;     ///< lines requested of on-chip storage; 0: its rate is unknown
  double starts_s = 0;    ///< starting all blocks
};

[[nodiscard]] RefinedPrediction predict_refined(const Kernel& kernel, const MachineModel& target);

/// By the model that is for the machine (MachineModel::model). Throws Error where not one block
/// fits a unit, nothing is known of the machine, or the model counts cycles and it has no clock.
[[nodiscard]] LaunchPrediction predict_launch(const Kernel& kernel, const MachineModel& target);

/// Extents that the models reckon with: a block, clipped to the grid.
struct Sizes {
  double nx, ny, nz, bx, by, bz;
  explicit Sizes(const Kernel& k);
  [[nodiscard]] double cells() const { return nx * ny * nz; }
  [[nodiscard]] double tile() const { return bx * by * bz; }
  [[nodiscard]] double layer() const;   ///< blocks of a layer, those of one z
  [[nodiscard]] double layers() const;  ///< of blocks
};

/// Bytes in which caches exchange data: a sector of a GPU, the shorter of its lines; a line of a
/// CPU.
[[nodiscard]] double transfer_bytes(const MachineModel& target);

/// Elements of whole transfers that a block's rows take: one of its own with the array's halo, one
/// of a halo; and its cells.
struct BlockRow {
  double own, halo, cells;
};

/// (6) and (16) refined, for one array: elements that a block takes from L2.
[[nodiscard]] double block_loads(const ArrayUse& array, const BlockRow& row, double by, double bz);

/// Share of data that a cache has lost after `distance` bytes more were brought in:
/// 1 / (1 + (held / distance)^steepness), half of it at `held` bytes. No cache is strictly least
/// recently used, and blocks drift apart: the step is not sharp.
[[nodiscard]] double lost_share(double distance, double held, double steepness);

/// Elements a cell that a launch reads and writes where everything comes once, and those written.
struct Moved {
  double all = 0, written = 0;
};
[[nodiscard]] Moved moved_elements(const Kernel& kernel, const MachineModel& target);

/// V_L2 in elements.
[[nodiscard]] double l2_elements(const Kernel& kernel, const MachineModel& target);

/// V_GM in elements: each array once, with the grid's own halo, and again what L2 has lost.
/// `resident`: teams of this launch that the whole device (the cores of a host) runs at once.
/// `held`: bytes of L2 that hold what will be read again. Halo planes that a layer of blocks
/// touches beside its own lie between two uses of a plane too, where `touched`.
struct MemoryVolume {
  double elements = 0;
  double reloaded_x = 0, reloaded_y = 0, reloaded_z = 0;  ///< shares of the halos
};
[[nodiscard]] MemoryVolume gm_elements(const Kernel& kernel, const MachineModel& target,
                                       double resident, double held, bool touched);

/// For a launch of Kernel::depth steps, with edge tiles and the planes that fill and drain.
struct TemporalLeague {
  double computed = 0;  ///< cells, those that overlapping tiles compute again included
  double levels = 0;    ///< of a team: a plane of its tile at one step, edge tiles as whole ones
};
[[nodiscard]] TemporalLeague temporal_league(const Kernel& kernel);

/// Elements that a launch moves. All cells go through memory once; of the halos that tiles read
/// beside their own, `halo_share` too: the rest a neighbour has just brought to L2.
struct TemporalVolumes {
  double gm = 0, l2 = 0;
};
[[nodiscard]] TemporalVolumes temporal_volumes(const Kernel& kernel, double halo_share);

}  // namespace tessera::model
