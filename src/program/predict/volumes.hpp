// SPDX-License-Identifier: Apache-2.0
// What a launch moves between device memory, the cache that all share and the units; of streams
// that advance several time steps also how many planes of how many steps, levels, a team makes.
#pragma once

#include "program/predict/kernel.hpp"

namespace tessera::model {

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

/// Of a launch that advances Kernel::depth steps, edge tiles and the planes that fill and drain
/// included.
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
