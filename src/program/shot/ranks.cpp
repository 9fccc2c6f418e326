// SPDX-License-Identifier: Apache-2.0
#include "program/shot/ranks.hpp"

#include "base/comm/agree.hpp"
#include "base/grid/transfer.hpp"
#include "base/support/error.hpp"
#include "variants/acoustic/case/solver.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tessera::shot {

comm::RankGrid rank_grid_of(const ShotCase& shot) {
  return shot.value_bytes() == 4 ? acoustic::Solver<float>::rank_grid(shot.setup, shot.parallel)
                                 : acoustic::Solver<double>::rank_grid(shot.setup, shot.parallel);
}

Domain domain_of(const ShotCase& shot) {
  return rank_grid_of(shot).domain(shot.parallel.ranks.rank());
}

io::CellBox cell_box(const Box& box) { return {box.z0, box.z1, box.y0, box.y1, box.x0, box.x1}; }

Box snapshot_box_of(const ShotCase& shot) {
  const Box box = domain_of(shot).box;
  // Samples first, first + stride, ... of which those within [from, to) are this rank's.
  const auto range = [](const io::SampledAxis& axis, int from, int to) {
    const auto before = [&](std::int64_t cell) {
      const std::int64_t n = (cell - axis.first + axis.stride - 1) / axis.stride;
      return static_cast<int>(std::clamp<std::int64_t>(n, 0, axis.count));
    };
    return std::array{before(from), before(to)};
  };
  const auto z = range(shot.snapshot_z, box.z0, box.z1);
  const auto y = range(shot.snapshot_y, box.y0, box.y1);
  const auto x = range(shot.snapshot_x, box.x0, box.x1);
  return {z[0], z[1], y[0], y[1], x[0], x[1]};
}

io::Writers writers_of(const comm::Ranks& ranks) {
  io::Writers writers;
  if (ranks.alone()) return writers;
  writers.first = ranks.first();
  writers.together = [ranks](const std::function<void()>& body) { comm::together(ranks, body); };
  writers.share = [ranks](const std::vector<std::uint64_t>& numbers) {
    return comm::share(ranks, numbers);
  };
  writers.sum = [ranks](const std::vector<std::uint64_t>& numbers) {
    std::vector<std::uint64_t> sums;
    for (const std::uint64_t number : numbers) sums.push_back(comm::wrapping_sum(ranks, number));
    return sums;
  };
  return writers;
}

void require_fit_for_ranks(const ShotCase& shot) {
  if (shot.parallel.ranks.alone()) return;
  if (shot.inner) {
    const int rank = shot.parallel.ranks.rank();
    const RankRegions regions =
        shot.value_bytes() == 4
            ? acoustic::Solver<float>::regions_of(shot.setup, rank_grid_of(shot), rank)
            : acoustic::Solver<double>::regions_of(shot.setup, rank_grid_of(shot), rank);
    for (const auto* part : {&regions.all, &regions.core, &regions.edges}) {
      const std::string why = shot.inner->refused_on_ranks(*part);
      require(why.empty(), "{}", why);
    }
  }
  constexpr std::size_t kMost = 4000;  // what their cells were in 100 steps goes in one message
  const std::size_t split = split_receivers(shot).size();
  require(split <= kMost,
          "{} receivers lie between cells of several ranks, more than {}: shot.interpolation = "
          "\"nearest\", or other parallel.ranks",
          split, kMost);
}

Medium medium_of(const ShotCase& shot) {
  return {domain_of(shot),
          shot.parallel.ranks,
          shot.setup.dt(),
          shot.setup.h,
          shot.v.minimum,
          shot.v.maximum,
          [&model = shot.model](int z, int y, int x) { return model.at(z, y, x); }};
}

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
  receivers_.sample(exec, cells_.ref(), samples_.data());
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
