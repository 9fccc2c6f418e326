// SPDX-License-Identifier: Apache-2.0
// Which cells go where in a halo exchange, without MPI: messages of all ranks, carried out on one
// array.
#include "comm/halo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tessera::comm {
namespace {

constexpr int kWidth = 3;

/// Local arrays of all ranks, each cell holding its place in the grid or -1 where it is not known.
class Job {
 public:
  Job(const Extents& n, const RankGrid& grid) : n_(n), grid_(grid) {
    for (int rank = 0; rank < grid.size(); ++rank) {
      const Extents own = grid.domain(rank).n();
      fields_.emplace_back();
      for (int z = -kWidth; z < own.nz + kWidth; ++z)
        for (int y = -kWidth; y < own.ny + kWidth; ++y)
          for (int x = -kWidth; x < own.nx + kWidth; ++x)
            fields_.back()[{z, y, x}] = whole(own).contains(z, y, x) ? place(rank, z, y, x) : -1;
    }
  }

  void exchange(Reach reach) {
    std::map<std::pair<int, int>, std::vector<std::int64_t>> sent;  // by receiver and tag
    const auto messages = [&](int rank) {
      return halo_messages(grid_, rank, whole(grid_.domain(rank).n()), kWidth, reach);
    };
    const auto visit = [](const Box& b, const auto& body) {
      for (int z = b.z0; z < b.z1; ++z)
        for (int y = b.y0; y < b.y1; ++y)
          for (int x = b.x0; x < b.x1; ++x) body(std::array{z, y, x});
    };
    for (int rank = 0; rank < grid_.size(); ++rank) {
      for (const HaloMessage& m : messages(rank)) {
        auto& cells = sent[{m.peer, m.tag}];
        ASSERT_TRUE(cells.empty()) << "two messages with one tag";
        visit(m.sent, [&](const auto& c) { cells.push_back(fields_[rank].at(c)); });
      }
    }
    for (int rank = 0; rank < grid_.size(); ++rank) {
      for (const HaloMessage& m : messages(rank)) {
        const auto& cells = sent.at({rank, 26 - m.tag});
        ASSERT_EQ(static_cast<std::int64_t>(cells.size()), m.received.cells());
        std::size_t i = 0;
        visit(m.received, [&](const auto& c) { fields_[rank].at(c) = cells[i++]; });
      }
    }
  }

  /// Halo cells within the grid that are at most `axes` axes away from the rank's own.
  void expect_halo(int axes) {
    for (int rank = 0; rank < grid_.size(); ++rank) {
      const Domain part = grid_.domain(rank);
      for (const auto& [c, value] : fields_[rank]) {
        const auto out = [](int i, int cells) { return i < 0 || i >= cells ? 1 : 0; };
        const int away = out(c[0], part.n().nz) + out(c[1], part.n().ny) + out(c[2], part.n().nx);
        const bool in_grid =
            whole(n_).contains(c[0] + part.box.z0, c[1] + part.box.y0, c[2] + part.box.x0);
        const std::int64_t wanted = in_grid && away <= axes ? place(rank, c[0], c[1], c[2]) : -1;
        ASSERT_EQ(value, wanted) << "rank " << rank << ": " << c[0] << " " << c[1] << " " << c[2];
      }
    }
  }

 private:
  std::int64_t place(int rank, int z, int y, int x) const {
    const Box b = grid_.domain(rank).box;
    return static_cast<std::int64_t>(n_.index(z + b.z0, y + b.y0, x + b.x0));
  }

  Extents n_;
  RankGrid grid_;
  std::vector<std::map<std::array<int, 3>, std::int64_t>> fields_;
};

TEST(Halo, EveryRankGetsWhatItsStencilReads) {
  SplitCost cost;
  cost.width = kWidth;
  const Extents n{13, 11, 17};
  for (const std::array<int, 3>& parts :
       {std::array{1, 1, 3}, std::array{1, 3, 1}, std::array{4, 1, 1}, std::array{3, 2, 4}}) {
    for (const Reach reach : {Reach::faces, Reach::edges, Reach::corners}) {
      Job job(n, RankGrid(n, parts, cost));
      job.exchange(reach);
      job.expect_halo(static_cast<int>(reach));
    }
  }
}

TEST(Halo, OneRankSendsNothing) {
  const RankGrid alone({5, 5, 5});
  EXPECT_TRUE(halo_messages(alone, 0, whole({5, 5, 5}), kWidth, Reach::corners).empty());
}

}  // namespace
}  // namespace tessera::comm
