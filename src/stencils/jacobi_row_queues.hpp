// SPDX-License-Identifier: Apache-2.0
// What the stream of blocks of rows (jacobi_rows.hpp) keeps its planes in, and how they come from
// memory and leave for it. Kernel is that stream's functor.
#pragma once

#include "stencils/jacobi_skewed.hpp"
#include "tile/lifted_row.hpp"
#include "tile/prefetch.hpp"
#include "tile/static_for.hpp"
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
    free_ = take();
    last_ = take();
  }
  /// The set of new planes enters queue 0.
  void enter() { queues_[0][Kernel::kOldSets] = free_; }
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
  Real *free_, *last_;
};

/// What leads a tile's rows and planes: of each plane of each time step but the last, the last 2R
/// cells of each row of the tile on the left, and the last 2R rows of the tile above. This tile's
/// own replace them.
template <class Kernel>
class TileEdges {
  using Real = typename Kernel::Value;
  static constexpr int kRows = 2 * Kernel::kRy;

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
  }
  /// Elements of them; none along an axis where a tile is alone.
  [[nodiscard]] static std::int64_t elements(const SkewedTiles& tiles, int levels, int rounds) {
    const int heights = tiles.y.tile * tiles.y.count();
    const std::int64_t cells = tiles.x.count() == 1 ? 0 : std::int64_t{heights} * Kernel::kLeads;
    const std::int64_t rows = tiles.y.count() == 1 ? 0 : kRows * Kernel::kPitch;
    return std::int64_t{rounds} * (levels - 1) * Kernel::kKs * (cells + rows);
  }
  void next_step() {
    if (beside_ != Place::alone) cells_ += cells_of_step();
    if (above_ != Place::alone) rows_ += rows_of_step();
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
  /// Fills the rows that lead a plane, the round's plane i, once its own have been filled and led.
  void lead_plane(Real* plane, int i) const {
    if (above_ == Place::alone) return;
    // Whole rows with the vectors that lead them.
    constexpr int kElements = kRows * Kernel::kPitch;
    Real* const edge = rows_ + i * kElements;
    Real* const leading = plane - Kernel::kFirst;
    const Real* const own = leading + height_ * Kernel::kPitch;
    for (int k = 0; k < kElements; k += Kernel::kLanes) {
      if (k % Kernel::kLine == 0) prefetch_to_l2(edge + rows_of_step() + k);
      if (above_ != Place::first) store_host_vector(leading + k, load_host_vector(edge + k));
      if (above_ != Place::last) store_host_vector(edge + k, load_host_vector(own + k));
    }
  }

 private:
  /// A tile among those along an axis.
  enum class Place { alone, first, middle, last };
  [[nodiscard]] static Place place_of(int i, int count) {
    if (count == 1) return Place::alone;
    return i == 0 ? Place::first : i == count - 1 ? Place::last : Place::middle;
  }
  [[nodiscard]] int cells_of_step() const { return Kernel::kKs * height_ * Kernel::kLeads; }
  [[nodiscard]] static int rows_of_step() { return Kernel::kKs * kRows * Kernel::kPitch; }
  int height_, length_;
  Place beside_, above_;
  Real *cells_, *rows_;
};

/// Lifts plane p, with what leads the tile, to its slot; rows that are not there are not touched. A
/// row that goes round is led by its own end, in this step, too: its fixed cells on the right may
/// lie there in the next one. `natural`: kPitch elements, for rows at the ends of the field.
template <class Kernel, class Real>
void fetch_plane(const Kernel& kernel, const PlanePlace& place, int p, Real* to, Real* natural) {
  constexpr int kR = Kernel::kR, kRy = Kernel::kRy, kLeads = Kernel::kLeads;
  const Fields<Real>& f = kernel.f;
  const int width = kernel.width(), height = kernel.height(), length = kernel.length();
  const int x0 = kernel.x_of(place, 0), y0 = kernel.y_of(place, 0);
  const int x_begin = std::clamp(-kR - x0, -kLeads, width);
  const int x_end = std::clamp(f.nx + kR - x0, -kLeads, width);
  const int y_begin = std::clamp(-kRy - y0, -2 * kRy, height);
  const int y_end = std::clamp(f.ny + kRy - y0, -2 * kRy, height);
  // What lies beside the grid is nobody's, but must be memory of the field.
  const std::int64_t field_begin = f.offset(-kR, -kRy, -kR);
  const std::int64_t field_end = f.offset(f.ns + kR - 1, f.ny + kRy - 1, f.nx + kR);
  for (int y = y_begin; y < y_end; ++y) {
    const std::int64_t at = f.offset(p, y0 + y, x0);
    const Real* row = f.from + at;
    // The next row is in L2, or has been: it comes to L1 while this one is lifted.
    if (y + 1 < y_end) {
      for (int x = 0; x < width; x += Kernel::kLine) prefetch(row + f.row + x);
    }
    if (at - kLeads < field_begin || at + width > field_end) {
      std::copy(row + x_begin, row + x_end, natural + kLeads + x_begin);
      row = natural + kLeads;
    }
    lift_row(to + y * Kernel::kPitch, row, length);
    if (kernel.tiles.x.cyclic) {
      lead_cyclic_row<kLeads>(to + y * Kernel::kPitch, length);
      continue;
    }
    Real before[kLeads];
    static_for<kLeads>([&](auto i) { before[i] = row[-1 - i]; });
    lead_lifted_row<kLeads>(to + y * Kernel::kPitch, length, before);
  }
}

// What goes to and from memory goes a few lines at a time while rows are made: all at once, it
// would be waited for.

/// The planes that the next round fetches, asked for while this one is made.
template <class Kernel>
class NextPlanes {
  using Real = typename Kernel::Value;

 public:
  NextPlanes(const Kernel& kernel, const PlanePlace& place, int p, int p_end)
      : f_(kernel.f), p_(p), p_end_(p_end) {
    const int x0 = kernel.x_of(place, 0), y0 = kernel.y_of(place, 0);
    x_begin_ = std::clamp(x0 - 2 * Kernel::kR, -Kernel::kR, f_.nx + Kernel::kR) & -Kernel::kLine;
    x_end_ = std::clamp(x0 + kernel.width(), -Kernel::kR, f_.nx + Kernel::kR);
    y_begin_ = std::clamp(y0 - 2 * Kernel::kRy, -Kernel::kRy, f_.ny + Kernel::kRy);
    y_end_ = std::clamp(y0 + kernel.height(), -Kernel::kRy, f_.ny + Kernel::kRy);
    y_ = y_begin_;
    begin_row();
    const int lines = (x_end_ - x_begin_ + Kernel::kLine - 1) / Kernel::kLine;
    const int chunks = kernel.levels * kernel.chunks();
    share_ = (std::max(p_end - p, 0) * (y_end_ - y_begin_) * lines + chunks - 1) / chunks;
  }
  /// A chunk's share of them.
  void ask() {
    for (int i = 0; i < share_ && p_ < p_end_; ++i) {
      prefetch_to_l2(at_);
      at_ += Kernel::kLine;
      if (at_ < end_) continue;
      if (++y_ == y_end_) {
        y_ = y_begin_;
        ++p_;
      }
      begin_row();
    }
  }

 private:
  void begin_row() {
    at_ = f_.from + f_.offset(p_, y_, x_begin_);
    end_ = at_ + (x_end_ - x_begin_);
  }
  const Fields<Real>& f_;
  const Real *at_, *end_;  ///< the next cell, and the end of its row
  int p_, p_end_, y_, y_begin_, y_end_, x_begin_, x_end_, share_;
};

/// The planes that the last step has made, stored while the next round is made.
template <class Kernel>
class LastPlanes {
  using Real = typename Kernel::Value;

 public:
  LastPlanes(const Kernel& kernel, const PlanePlace& place, const Real* planes, Real* natural)
      : kernel_(kernel),
        place_(place),
        planes_(planes),
        natural_(natural),
        begin_(natural + kernel.tiles.x.place(place.x_begin, place.x0)) {
    const int cells = Kernel::kKs * (place.y_end - place.y_begin) * (place.x_end - place.x_begin);
    const int chunks = std::max(kernel.levels - 1, 1) * kernel.chunks();
    share_ = (cells / chunks / Kernel::kLine + 1) * Kernel::kLine;
  }
  /// Planes p ... p_end - 1 are there, the first one as the set's plane `first`.
  void begin(int p, int p_end, int first) {
    const bool any = place_.y_begin < place_.y_end && place_.x_begin < place_.x_end;
    p_ = p, p_end_ = any ? p_end : p, at_ = first;
    y_ = place_.y_begin, x_ = place_.x_begin;
    if (p_ < p_end_) lower();
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
    cells = std::min(cells, place_.x_end - x_);
    store_row_streaming(kernel_.f.to + kernel_.f.offset(p_, y_, x_), begin_ + (x_ - place_.x_begin),
                        cells);
    x_ += cells;
    if (x_ < place_.x_end) return;
    x_ = place_.x_begin;
    if (++y_ == place_.y_end) {
      y_ = place_.y_begin;
      ++p_, ++at_;
    }
    if (p_ < p_end_) lower();
  }
  /// The next row in its natural order: well before it is read again, for what has just been
  /// stored in other pieces must first reach L1.
  void lower() {
    lower_row(natural_, planes_ + at_ * Kernel::kPlane + (y_ - place_.y0) * Kernel::kPitch,
              kernel_.length());
    Real* const end = natural_ + kernel_.width();  // what goes round begins again there
    std::copy(natural_,
              std::max(begin_ + (place_.x_end - place_.x_begin) - kernel_.width(), natural_), end);
  }
  const Kernel& kernel_;
  const PlanePlace& place_;
  const Real* planes_;
  Real *natural_, *begin_;  ///< a row, and the first cell of it that is stored
  int p_ = 0, p_end_ = 0, at_ = 0, y_ = 0, x_ = 0, share_ = 0;
};

}  // namespace tessera::jacobi
