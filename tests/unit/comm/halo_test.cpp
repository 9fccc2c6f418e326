// SPDX-License-Identifier: Apache-2.0
// Which cells go where in a halo exchange, without MPI: messages of all ranks, carried out on one
// array.
#include "base/comm/halo.hpp"

#include "fixtures/cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
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
      test::for_cells(test::grown(whole(own), kWidth), [&](int z, int y, int x) {
        fields_.back()[{z, y, x}] = whole(own).contains(z, y, x) ? place(rank, z, y, x) : -1;
      });
    }
  }

  void exchange(Reach reach) {
    std::map<std::pair<int, int>, std::vector<std::int64_t>> sent;  // by receiver and tag
    const auto messages = [&](int rank) {
      return halo_messages(grid_, rank, whole(grid_.domain(rank).n()), kWidth, reach);
    };
    for (int rank = 0; rank < grid_.size(); ++rank) {
      for (const HaloMessage& m : messages(rank)) {
        auto& cells = sent[{m.peer, m.tag}];
        ASSERT_TRUE(cells.empty()) << "two messages with one tag";
        test::for_cells(m.sent, [&](int z, int y, int x) {
          cells.push_back(fields_[rank].at({z, y, x}));
        });
      }
    }
    for (int rank = 0; rank < grid_.size(); ++rank) {
      for (const HaloMessage& m : messages(rank)) {
        const auto& cells = sent.at({rank, 26 - m.tag});
        ASSERT_EQ(static_cast<std::int64_t>(cells.size()), m.received.cells());
        std::size_t i = 0;
        test::for_cells(m.received, [&](int z, int y, int x) {
          fields_[rank].at({z, y, x}) = cells[i++];
        });
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

/// Notes what it is asked to carry, and carries nothing.
class NotingTransport : public Transport {
 public:
  [[nodiscard]] std::string name() const override { return "noting"; }
  [[nodiscard]] std::unique_ptr<Channel> open(std::vector<Message> messages) const override {
    class Silent : public Channel {
      void start(const ExecSpace&) override {}
      void finish(const ExecSpace&) override {}
    };
    noted = std::move(messages);
    return std::make_unique<Silent>();
  }
  mutable std::vector<Message> noted;
};

template <class T>
std::vector<Message> messages_of(const std::array<int, 3>& parts, int width, Reach reach) {
  SplitCost cost;
  cost.width = width;
  const Extents n{26, 22, 74};
  const RankGrid grid(n, parts, cost);
  const auto transport = std::make_shared<NotingTransport>();
  Parallel parallel;
  parallel.transport = transport;
  const Extents own = grid.domain(0).n();
  const HaloExchange<T> halo(parallel, grid, whole(own), width, reach,
                             {Field<T>("u", FieldLayout(own, width, sizeof(T)))});
  EXPECT_EQ(2 * static_cast<std::size_t>(halo.messages_sent()), transport->noted.size());
  return transport->noted;
}

TEST(Halo, MessagesBeginOnLines) {
  for (const std::array<int, 3>& parts :
       {std::array{1, 1, 3}, std::array{1, 3, 1}, std::array{2, 1, 1}, std::array{1, 2, 2},
        std::array{2, 1, 2}, std::array{2, 2, 2}}) {
    for (const int width : {1, 2, 3, 4}) {
      for (const Reach reach : {Reach::faces, Reach::corners}) {
        for (const std::vector<Message>& messages :
             {messages_of<float>(parts, width, reach), messages_of<double>(parts, width, reach)}) {
          EXPECT_FALSE(messages.empty());
          for (const Message& m : messages) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.data) % kLineBytes, 0U)
                << parts[0] << "x" << parts[1] << "x" << parts[2] << ", width " << width;
            EXPECT_GT(m.bytes, 0U);
          }
        }
      }
    }
  }
}

TEST(Halo, FacesAlongTheSlowestAxisGoAsTheyAre) {
  const Box face{0, 4, 0, 20, 0, 60};
  const HaloMessage up{1, 22, face, face}, row{1, 16, {0, 20, 0, 4, 0, 60}, {}};
  const auto same = [](const Pieces& got, bool packed, int count, int each) {
    EXPECT_EQ(got.packed, packed);
    if (packed) return;
    EXPECT_EQ(got.count, count);
    EXPECT_EQ(got.each, each);
  };
  same(pieces_of(up, {1, 1, 4}, false), false, 1, 4);  // planes with all between them
  same(pieces_of(up, {1, 2, 2}, false), false, 4, 1);  // plane by plane
  same(pieces_of(up, {2, 1, 2}, false), true, 0, 0);
  same(pieces_of(row, {1, 2, 2}, false), true, 0, 0);
  same(pieces_of(HaloMessage{1, 22, {0, 24, 0, 20, 0, 60}, {}}, {1, 2, 2}, false), true, 0, 0);
  same(pieces_of(HaloMessage{1, 16, {0, 1, 0, 4, 0, 60}, {}}, {1, 2, 1}, true), false, 1, 4);
}

TEST(Halo, OneRankSendsNothing) {
  const RankGrid alone({5, 5, 5});
  EXPECT_TRUE(halo_messages(alone, 0, whole({5, 5, 5}), kWidth, Reach::corners).empty());
}

}  // namespace
}  // namespace tessera::comm
