// SPDX-License-Identifier: Apache-2.0
// What the stream of blocks of rows (variants/jacobi/skewed/stream.hpp) keeps its planes in, and
// what leads them. Kernel is that stream's functor.
#pragma once

#include "device/prefetch.hpp"
#include "device/static_for.hpp"
#include "tile/transposed_row.hpp"
#include "variants/jacobi/skewed/tiles.hpp"
#include "variants/jacobi/skewed/transfers.hpp"

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
    free_ = take();
    next_ = take();
    last_ = take();
  }
  /// The set of new planes enters queue 0; another one is for those of the next round.
  void enter() { queues_[0][Kernel::kOldSets] = std::exchange(next_, free_); }
  /// Where the next round's planes go.
  [[nodiscard]] Real* next() const { return next_; }
  /// What step `level` makes: the oldest set of what it is made from, or, the last step, a set of
  /// its own.
  [[nodiscard]] Real* made(int level) const {
    if (level == 0) return queues_[0][Kernel::kOldSets];
    return level < static_cast<int>(queues_.size()) ? queues_[level - 1][0] : last_;
  }
  /// Step `level` is done: what it has made has left the queue before and entered its own.
  void pass(int level) {
    Queue& queue = queues_[level - 1];
    (level < static_cast<int>(queues_.size()) ? queues_[level][Kernel::kOldSets] : free_) =
        queue[0];
    for (int i = 0; i < Kernel::kOldSets; ++i) queue[i] = queue[i + 1];
  }
  /// The 2R + Ks planes that the step after `level` makes Ks from: plane i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Real* plane(int level, int i) const {
    i += Kernel::kOldSets * Kernel::kKs - 2 * Kernel::kR;
    return queues_[level][i / Kernel::kKs] + i % Kernel::kKs * Kernel::kPlane;
  }

 private:
  using Queue = std::array<Real*, Kernel::kOldSets + 1>;
  std::vector<Queue> queues_;
  Real *free_, *next_, *last_;
};

/// What leads a tile's rows and planes: of each plane of each time step but the last, the last 2R
/// cells of each row of the tile on the left, and the last 2R rows of the tile above. This tile's
/// own replace them.
///
/// Rows are exchanged a few lines at a time while the next step is made: they come from memory, or
/// from another core, and would be waited for.
template <class Kernel>
class TileEdges {
  using Real = typename Kernel::Value;
  static constexpr int kRows = 2 * Kernel::kRy;
  static constexpr int kPlaneRows = kRows * Kernel::kPitch;  ///< elements: whole rows, as led

 public:
  /// Of tile i; `edges` are those of a chain, for streams of so many rounds.
  TileEdges(const Kernel& kernel, int i, Real* edges, int rounds)
      : height_(kernel.height()),
        length_(kernel.length()),
        beside_(place_of(i / kernel.tiles.y.count(), kernel.tiles.x.count())),
        above_(place_of(i % kernel.tiles.y.count(), kernel.tiles.y.count())) {
    const std::int64_t steps = std::int64_t{rounds} * (kernel.levels - 1);
    rows_ = edges;
    if (above_ != Place::alone) edges += steps * rows_of_step();
    cells_ = edges + i % kernel.tiles.y.count() * steps * cells_of_step();
    // The rows that lead a plane are wanted when the next step comes to the first ones of its own.
    const int blocks = std::max((height_ - kRows) / Kernel::kKy, 1);
    share_ =
        share_of(rows_of_step() / Kernel::kLanes, blocks * kernel.chunks_of_row()) * Kernel::kLanes;
  }
  /// Elements of them; none along an axis where a tile is alone.
  [[nodiscard]] static std::int64_t elements(const SkewedTiles& tiles, int levels, int rounds) {
    const int heights = tiles.y.tile * tiles.y.count();
    const std::int64_t cells = tiles.x.count() == 1 ? 0 : std::int64_t{heights} * Kernel::kLeads;
    const std::int64_t rows = tiles.y.count() == 1 ? 0 : kPlaneRows;
    return std::int64_t{rounds} * (levels - 1) * Kernel::kKs * (cells + rows);
  }
  /// Fills the vectors that lead a row: row y of the round's plane i.
  void lead(Real* row, int i, int y) const {
    if (beside_ == Place::alone) {
      lead_cyclic_row<Kernel::kLeads>(row, length_);
      return;
    }
    Real* const edge = cells_ + (i * height_ + y) * Kernel::kLeads;
    if (beside_ == Place::first) std::fill_n(edge, Kernel::kLeads, Real(0));
    prefetch_to_l2(edge + cells_of_step());
    lead_lifted_row<Kernel::kLeads>(row, length_, edge);
  }
  /// A step has made planes [begin, end) of set `planes`, and led their rows: from now on, and
  /// until all() has been called, the rows that lead the planes change places with their own last
  /// ones.
  void pass_on(Real* planes, int begin, int end) {
    if (beside_ != Place::alone) cells_ += cells_of_step();
    if (above_ == Place::alone) return;
    planes_ = planes - Kernel::kFirst;
    step_ = rows_;
    rows_ += rows_of_step();
    at_ = begin * kPlaneRows, end_ = std::max(end, begin) * kPlaneRows;
  }
  /// Some of these rows.
  void some() {
    if (at_ < end_) exchange(std::min(at_ + share_, end_));
  }
  void all() { exchange(end_); }

 private:
  /// A tile among those along an axis.
  enum class Place { alone, first, middle, last };
  [[nodiscard]] static Place place_of(int i, int count) {
    if (count == 1) return Place::alone;
    return i == 0 ? Place::first : i == count - 1 ? Place::last : Place::middle;
  }
  /// The elements from at_ to `to`.
  void exchange(int to) {
    while (at_ < to) {
      const int plane = at_ / std::max(kPlaneRows, 1);  // in two dimensions there are none
      const int elements = std::min(to, (plane + 1) * kPlaneRows) - at_;
      Real* const leading = planes_ + plane * (Kernel::kPlane - kPlaneRows) + at_;
      const Real* const own = leading + height_ * Kernel::kPitch;
      Real* const edge = step_ + at_;
      for (int i = 0; i < elements; i += Kernel::kLine) ask_twice(edge + i, share_);
      for (int i = 0; i < elements; i += Kernel::kLanes) {
        if (above_ != Place::first) store_host_vector(leading + i, load_host_vector(edge + i));
        if (above_ != Place::last) store_host_vector(edge + i, load_host_vector(own + i));
      }
      at_ += elements;
    }
  }
  [[nodiscard]] int cells_of_step() const { return Kernel::kKs * height_ * Kernel::kLeads; }
  [[nodiscard]] static int rows_of_step() { return Kernel::kKs * kPlaneRows; }
  int height_, length_;
  Place beside_, above_;
  Real *cells_, *rows_;                       ///< of the step that is made
  Real *planes_ = nullptr, *step_ = nullptr;  ///< between which rows are exchanged
  int at_ = 0, end_ = 0, share_;
};

}  // namespace tessera::jacobi
