// SPDX-License-Identifier: Apache-2.0
// What the stream of blocks of rows (jacobi_rows.hpp) keeps its planes in, and how they come from
// memory and leave for it. Kernel is that stream's functor.
#pragma once

#include "stencils/jacobi_tiles.hpp"
#include "tile/lifted_row.hpp"
#include "tile/prefetch.hpp"
#include "tile/streaming_row.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::jacobi {

/// Which set of planes is whose. A set is the address of the tile's first vector in its first
/// plane.
template <class Kernel>
class RowQueues {
  using Real = typename Kernel::Value;

 public:
  RowQueues(Real* scratch, int levels) : queues_(levels) {
    Real* set = scratch + Kernel::kFirst;
    const auto take = [&] { return std::exchange(set, set + Kernel::kSet); };
    for (Queue& queue : queues_) std::generate_n(queue.begin(), Kernel::kOldSets, take);
    for (Real** own : {&free_[0], &free_[1], &last_}) *own = take();
  }
  /// A set enters queue `level`: step `level` makes it.
  void enter(int level) { queues_[level][Kernel::kOldSets] = free_[--free_sets_]; }
  /// And the oldest one leaves it.
  void leave(int level) {
    Queue& queue = queues_[level];
    free_[free_sets_++] = queue[0];
    for (int i = 0; i < Kernel::kOldSets; ++i) queue[i] = queue[i + 1];
  }
  /// What step `level` makes.
  [[nodiscard]] Real* made(int level) const {
    return level < static_cast<int>(queues_.size()) ? queues_[level][Kernel::kOldSets] : last_;
  }
  /// The 2R + Ks planes that the step after `level` makes Ks from: plane i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Real* plane(int level, int i) const {
    i += Kernel::kOldSets * Kernel::kKs - 2 * Kernel::kR;
    return queues_[level][i / Kernel::kKs] + i % Kernel::kKs * Kernel::kPlane;
  }

 private:
  using Queue = std::array<Real*, Kernel::kOldSets + 1>;
  std::vector<Queue> queues_;
  Real *free_[2], *last_;
  int free_sets_ = 2;
};

/// What a tile's rows need of the tile on their left: its last 2R cells of each row of each time
/// step but the last, which those of this tile replace.
template <class Kernel>
class TileEdges {
  using Real = typename Kernel::Value;

 public:
  /// `edges` are those of the first time step of the stream's first round.
  TileEdges(const Kernel& kernel, Real* edges)
      : edges_(edges),
        ny_(kernel.cuts.y.tile),
        length_(kernel.length()),
        alone_(kernel.cuts.x.count() == 1) {}
  /// Elements for a stream of so many rounds: none where no tile has another on its left.
  [[nodiscard]] static std::int64_t elements(const PlaneCuts& cuts, int levels, int rounds) {
    if (cuts.x.count() == 1) return 0;
    return std::int64_t{rounds} * (levels - 1) * Kernel::kKs * cuts.y.tile * Kernel::kLeads;
  }
  void next_step() {
    if (!alone_) edges_ += of_step();
  }
  /// Fills the vectors that lead a row: row y of the round's plane i.
  void lead(Real* row, int i, int y) const {
    if (alone_) {
      Real nobody[Kernel::kLeads] = {};
      lead_lifted_row<Kernel::kLeads>(row, length_, nobody);
      return;
    }
    Real* const edge = edges_ + (i * ny_ + y) * Kernel::kLeads;
    prefetch_to_l2(edge + of_step());
    lead_lifted_row<Kernel::kLeads>(row, length_, edge);
  }

 private:
  [[nodiscard]] int of_step() const { return Kernel::kKs * ny_ * Kernel::kLeads; }
  Real* edges_;
  int ny_, length_;
  bool alone_;
};

// What goes to and from memory goes a few lines at a time while rows are made: all at once, it
// would be waited for.

/// The planes that the next round fetches, asked for while this one is made.
template <class Kernel>
class NextPlanes {
  using Real = typename Kernel::Value;

 public:
  NextPlanes(const Kernel& kernel, const PlanePlace& place, int p, int p_end)
      : f_(kernel.f), p_(p), p_end_(p_end) {
    const int x0 = kernel.x_of(place, 0);
    x_begin_ = std::clamp(x0 - 2 * Kernel::kR, -Kernel::kR, f_.nx + Kernel::kR) & -Kernel::kLine;
    x_end_ = std::clamp(x0 + kernel.cuts.x.tile, -Kernel::kR, f_.nx + Kernel::kR);
    y_begin_ = std::clamp(place.y0 - Kernel::kRy, -Kernel::kRy, f_.ny + Kernel::kRy);
    y_end_ =
        std::clamp(place.y0 + kernel.cuts.y.tile + Kernel::kRy, -Kernel::kRy, f_.ny + Kernel::kRy);
    x_ = x_begin_, y_ = y_begin_;
    const int lines = (x_end_ - x_begin_ + Kernel::kLine - 1) / Kernel::kLine;
    const int chunks = kernel.levels * kernel.chunks();
    share_ = (std::max(p_end - p, 0) * (y_end_ - y_begin_) * lines + chunks - 1) / chunks;
  }
  /// A chunk's share of them.
  void ask() {
    for (int i = 0; i < share_ && p_ < p_end_; ++i) {
      prefetch_to_l2(f_.from + f_.offset(p_, y_, x_));
      x_ += Kernel::kLine;
      if (x_ < x_end_) continue;
      x_ = x_begin_;
      if (++y_ < y_end_) continue;
      y_ = y_begin_;
      ++p_;
    }
  }

 private:
  const Fields<Real>& f_;
  int p_, p_end_, y_, y_begin_, y_end_, x_, x_begin_, x_end_, share_;
};

/// The planes that the last step has made, stored while the next round is made.
template <class Kernel>
class LastPlanes {
  using Real = typename Kernel::Value;

 public:
  LastPlanes(const Kernel& kernel, const PlanePlace& place, const Real* planes, Real* natural)
      : kernel_(kernel), place_(place), planes_(planes), natural_(natural) {
    const int cells = Kernel::kKs * (place.y_end - place.y_begin) * (place.x_end - place.x_begin);
    const int chunks = std::max(kernel.levels - 1, 1) * kernel.chunks();
    share_ = (cells / chunks / Kernel::kLine + 1) * Kernel::kLine;
  }
  /// Planes p ... p_end - 1 are there, the first one as the set's plane `first`.
  void begin(int p, int p_end, int first) {
    p_ = p, p_end_ = place_.x_begin < place_.x_end ? p_end : p, at_ = first;
    y_ = place_.y_begin, x_ = place_.x_begin;
  }
  /// Stores a chunk's share of them.
  void store() {
    if (p_ < p_end_) store_cells(share_);
  }
  void store_all() {
    while (p_ < p_end_) store_cells(place_.x_end - place_.x_begin);
  }

 private:
  /// The next cells of a row, at most so many.
  void store_cells(int cells) {
    if (x_ == place_.x_begin) {
      lower_row(natural_, planes_ + at_ * Kernel::kPlane + (y_ - place_.y0) * Kernel::kPitch,
                kernel_.length());
    }
    cells = std::min(cells, place_.x_end - x_);
    store_row_streaming(kernel_.f.to + kernel_.f.offset(p_, y_, x_), natural_ + x_ - place_.x0,
                        cells);
    x_ += cells;
    if (x_ < place_.x_end) return;
    x_ = place_.x_begin;
    if (++y_ < place_.y_end) return;
    y_ = place_.y_begin;
    ++p_, ++at_;
  }
  const Kernel& kernel_;
  const PlanePlace& place_;
  const Real* planes_;
  Real* natural_;
  int p_ = 0, p_end_ = 0, at_ = 0, y_ = 0, x_ = 0, share_ = 0;
};

}  // namespace tessera::jacobi
