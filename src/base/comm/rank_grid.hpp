// SPDX-License-Identifier: Apache-2.0
// The grid that ranks form, and where it cuts the cells of a case.
//
//   cost of a grid of ranks = the bytes of device memory that its busiest rank moves:
//       cells, those of the PML more
//     + cells beside cuts once more, since they are launched apart from the rest, a launch a face
//     + faces that are not contiguous: packed and unpacked, two launches for all of them
//     + what a link sends longer than the rank computes
#pragma once

#include "base/grid/domain.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::comm {

/// What a step costs and sends.
struct SplitCost {
  int width = 1;                               ///< cells beside a cut that are sent each time
  double values = 8;                           ///< bytes of each, 4 or 8
  double cell_bytes = 8;                       ///< moved for a cell, in a step
  int layer = 0;                               ///< cells of the boundary layers, which cost more
  double layer_bytes = 0;                      ///< moved for a cell there
  double steps = 1;                            ///< between two exchanges
  std::array<bool, 3> cuts{true, true, true};  ///< whether x, y, z may be cut
};

/// How much slower a link between two devices is than a device's memory: HBM3 to NVLink, and DDR
/// to a copy between processes, are of this size.
inline constexpr double kLinkRatio = 10;

/// Bytes that a device moves while it begins a launch: a microsecond or so at terabytes a second.
inline constexpr double kLaunchBytes = 4e6;

/// How often the bytes of a face move to be packed and unpacked in a grid of `parts` ranks: as the
/// slowest axis has it they are contiguous, unless x is cut; rows are read and written twice; along
/// x each row of a few cells takes a whole line of its field.
[[nodiscard]] double packing(int axis, const std::array<int, 3>& parts, const SplitCost& cost);

/// px x py x pz ranks, and the first cell of each along each axis. Axes: 0 x, 1 y, 2 z.
class RankGrid {
 public:
  /// One rank that holds all.
  explicit RankGrid(const Extents& n);
  /// Cuts so that ranks along an axis have alike to compute. Throws Error where a rank would get
  /// fewer than `cost.width` cells along an axis that is cut, or an axis is cut that must not be.
  RankGrid(const Extents& n, const std::array<int, 3>& parts, const SplitCost& cost);

  [[nodiscard]] const std::array<int, 3>& parts() const { return parts_; }
  [[nodiscard]] int size() const { return parts_[0] * parts_[1] * parts_[2]; }
  /// Place of a rank along x, y, z; ranks go along x first.
  [[nodiscard]] std::array<int, 3> place(int rank) const;
  /// The rank beside `rank`, so many places on along z, y and x; -1 where the grid ends.
  [[nodiscard]] int neighbour(int rank, int dz, int dy, int dx) const;
  /// The cells of a rank.
  [[nodiscard]] Domain domain(int rank) const;
  /// "1x1x4", as decks and results write it.
  [[nodiscard]] std::string text() const;

 private:
  Extents n_;
  std::array<int, 3> parts_{1, 1, 1};
  std::array<std::vector<int>, 3> first_;  // parts_ + 1 of each axis
};

/// The cost of a grid of ranks, in bytes of device memory a step.
[[nodiscard]] double cost_of(const RankGrid& grid, const SplitCost& cost);

/// The grid of `ranks` ranks of the least cost; of those alike, the one that cuts z most, then y.
/// Throws Error where no grid leaves every rank enough cells.
[[nodiscard]] RankGrid choose_rank_grid(const Extents& n, int ranks, const SplitCost& cost);

}  // namespace tessera::comm
