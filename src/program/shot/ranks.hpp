// SPDX-License-Identifier: Apache-2.0
// A shot on several ranks: who has which cells, and what only one rank does.
#pragma once

#include "base/comm/rank_grid.hpp"
#include "program/seismic/part_file.hpp"
#include "program/shot/deck.hpp"
#include "variants/acoustic/case/receivers.hpp"

#include <vector>

namespace tessera::shot {

/// How the cells of a shot go to its ranks.
[[nodiscard]] comm::RankGrid rank_grid_of(const ShotCase& shot);

/// The cells of this rank.
[[nodiscard]] Domain domain_of(const ShotCase& shot);
[[nodiscard]] io::CellBox cell_box(const Box& box);

/// The samples of a snapshot that this rank has, counted as the axes of the shot do; there may be
/// none.
[[nodiscard]] Box snapshot_box_of(const ShotCase& shot);

/// The ranks of a shot as those who write its files.
[[nodiscard]] io::Writers writers_of(const comm::Ranks& ranks);

/// Throws Error for what several ranks do not do: another operator of the inner region, and more
/// receivers between the cells of several than are summed on the first.
void require_fit_for_ranks(const ShotCase& shot);

/// What an operator of the inner region is made for, on this rank; reads shot.model when requested
/// a velocity.
[[nodiscard]] Medium medium_of(const ShotCase& shot);

/// Numbers of the receivers of a shot whose cells no rank has all of; none on one rank.
[[nodiscard]] std::vector<int> split_receivers(const ShotCase& shot);

/// Records such receivers: each rank records the cells that it has, and the first sums them, by the
/// kernel that sums those of one rank: in the same order, to the bit.
template <class Real>
class SplitReceivers {
 public:
  /// Cells of one receiver, at most.
  static constexpr int kCells =
      8 * acoustic::kSincReach * acoustic::kSincReach * acoustic::kSincReach;

  /// None.
  SplitReceivers() = default;
  /// The receivers of these spreads, of `rows` steps at once.
  SplitReceivers(const std::vector<acoustic::Spread>& spreads, int rows);

  [[nodiscard]] int count() const { return count_; }
  /// Number of a cell among the kCells of its receiver, z, y, x from the spread's first.
  [[nodiscard]] static int cell(int z, int y, int x) { return (z * kSide + y) * kSide + x; }
  /// What a cell of a receiver was after a step, to be set before sum().
  void set(int row, int receiver, int cell, Real value);
  /// samples[row * count() + receiver], of all rows.
  [[nodiscard]] std::vector<Real> sum(const ExecSpace& exec);

  /// Bytes that so many take where kernels run, and as many on the host.
  [[nodiscard]] static std::int64_t memory_bytes(std::int64_t receivers, int rows);

 private:
  static constexpr int kSide = 2 * acoustic::kSincReach;

  int count_ = 0;
  Field<Real> cells_;  // of all rows and receivers, side by side along x
  std::vector<Real> values_;
  acoustic::Receivers<Real> receivers_;
  Kokkos::View<Real*, ExecSpace::memory_space> samples_;
};

extern template class SplitReceivers<float>;
extern template class SplitReceivers<double>;

}  // namespace tessera::shot
