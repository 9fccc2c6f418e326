// SPDX-License-Identifier: Apache-2.0
#include "program/shot/split_receivers.hpp"

#include "base/grid/transfer.hpp"
#include "program/shot/ranks.hpp"

#include <algorithm>

namespace tessera::shot {

std::vector<int> split_receivers(const ShotCase& shot) {
  std::vector<int> split;
  if (shot.parallel.ranks.alone()) return split;
  const comm::RankGrid grid = rank_grid_of(shot);
  std::vector<Box> boxes;
  for (int rank = 0; rank < grid.size(); ++rank) boxes.push_back(grid.domain(rank).box);
  for (std::size_t r = 0; r < shot.receivers.size(); ++r) {
    const Box cells = spread_of(shot, shot.receivers[r]).box();
    const bool inside = std::any_of(boxes.begin(), boxes.end(),
                                    [&](const Box& box) { return intersect(cells, box) == cells; });
    if (!inside) split.push_back(static_cast<int>(r));
  }
  return split;
}

template <class Real>
SplitReceivers<Real>::SplitReceivers(const std::vector<acoustic::Spread>& spreads, int rows)
    : count_(static_cast<int>(spreads.size())) {
  if (count_ == 0) return;
  const int places = rows * count_;
  cells_ = Field<Real>("split", Extents{kSide, kSide, kSide * places}, 0);
  values_.resize(static_cast<std::size_t>(places) * kCells);
  std::vector<acoustic::Spread> moved;
  for (int place = 0; place < places; ++place) {
    acoustic::Spread spread = spreads[static_cast<std::size_t>(place % count_)];
    spread.axis[0].first = spread.axis[1].first = 0;
    spread.axis[2].first = kSide * place;
    moved.push_back(std::move(spread));
  }
  receivers_ = acoustic::Receivers<Real>(moved);
  samples_ = decltype(samples_)("tessera::acoustic::split::samples", places);
}

template <class Real>
void SplitReceivers<Real>::set(int row, int receiver, int cell, Real value) {
  const auto place = static_cast<std::size_t>(row) * static_cast<std::size_t>(count_) +
                     static_cast<std::size_t>(receiver);
  values_[place * kCells + static_cast<std::size_t>(cell)] = value;
}

template <class Real>
std::vector<Real> SplitReceivers<Real>::sum(const ExecSpace& exec) {
  from_host(cells_, [&](int z, int y, int x) {
    return values_[static_cast<std::size_t>(x / kSide) * kCells +
                   static_cast<std::size_t>(cell(z, y, x % kSide))];
  });
  receivers_.sample(exec, cells_, samples_.data());
  exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples_);
  return {host.data(), host.data() + host.size()};
}

template <class Real>
std::int64_t SplitReceivers<Real>::memory_bytes(std::int64_t receivers, int rows) {
  return receivers * rows *
         (static_cast<std::int64_t>((kCells + 1) * sizeof(Real)) +
          acoustic::Receivers<Real>::memory_bytes(1));
}

template class SplitReceivers<float>;
template class SplitReceivers<double>;

}  // namespace tessera::shot
