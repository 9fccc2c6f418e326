// SPDX-License-Identifier: Apache-2.0
// The load and the store pipeline of a skewed stream (variants/jacobi/skewed/stream.hpp): how its
// planes come from memory and go there.
//
// Both advance by a few lines at a time while rows are made: all at once, memory would be waited
// for. What is needed is prefetched to L2 some time before, and twice (see prefetch_twice()).
#pragma once

#include "base/device/prefetch.hpp"
#include "base/device/static_for.hpp"
#include "base/device/streaming_row.hpp"
#include "base/tile/transposed_row.hpp"
#include "variants/jacobi/kernels/tiles.hpp"
#include "variants/jacobi/skewed/layout.hpp"
#include "variants/jacobi/skewed/tiles.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::jacobi {

/// The planes of the next round, loaded and transposed while this one is made, halos and all; rows
/// that are not in the field are not touched. A periodic row's halo is its own end, here as well:
/// its fixed cells on the right may lie there in the next time step.
template <class Real, int R>
class LoadPipeline {
  static constexpr int kHalo = 2 * R, kLanes = kHostLanes<Real>;

 public:
  /// For a tile whose first cell is (y0, x0) before the first time step. Between start() and
  /// finish() there are about `visits` calls of advance(). `natural`: layout.pitch elements, for
  /// rows at the ends of the field.
  LoadPipeline(const TileLayout& layout, const Fields<Real>& fields, int y0, int x0, bool periodic,
               Real* natural, int visits)
      : layout_(layout), f_(fields), natural_(natural), x0_(x0), y0_(y0), periodic_(periodic) {
    const int radius_y = layout.radius_y;
    x_begin_ = std::clamp(-R - x0, -kHalo, layout.width());
    x_end_ = std::clamp(f_.nx + R - x0, -kHalo, layout.width());
    y_begin_ = std::clamp(-radius_y - y0, -2 * radius_y, layout.height);
    y_end_ = std::clamp(f_.ny + radius_y - y0, -2 * radius_y, layout.height);
    const int blocks = (layout.length + kLanes - 1) / kLanes;
    share_ = share_of(std::int64_t{layout.planes} * (y_end_ - y_begin_) * blocks, visits);
  }
  /// Planes [p, p_end) are needed, at `to` and the places that follow it.
  void start(int p, int p_end, Real* to) {
    to_ = to, p_ = p, p_end_ = y_begin_ < y_end_ ? p_end : p;
    y_ = y_begin_;
    if (p_ < p_end_) begin_row();
  }
  /// A visit's share of them.
  void advance() {
    for (int i = 0; i < share_ && p_ < p_end_; ++i) load();
  }
  void finish() {
    while (p_ < p_end_) load();
  }

 private:
  /// The row that is loaded, or the one that comes so many rows later.
  [[nodiscard]] const Real* row_at(int rows_ahead) const {
    int p = p_, y = y_ + rows_ahead;
    for (; y >= y_end_; y -= y_end_ - y_begin_) ++p;
    return f_.from + f_.offset(p, y0_ + y, x0_);
  }
  void begin_row() {
    row_ = row_at(0), next_ = row_at(1), after_ = row_at(2);
    // Values beside the grid are unused, but must lie in the memory of the field.
    const int radius_y = layout_.radius_y;
    if (row_ - kHalo < f_.from + f_.offset(-R, -radius_y, -R) ||
        row_ + layout_.width() >
            f_.from + f_.offset(f_.ns + R - 1, f_.ny + radius_y - 1, f_.nx + R)) {
      std::copy(row_ + x_begin_, row_ + x_end_, natural_ + kHalo + x_begin_);
      row_ = natural_ + kHalo;
    }
    x_ = 0;
  }
  /// A block of the row.
  void load() {
    Real* const to = to_ + y_ * layout_.pitch;
    const int length = layout_.length;
    if (length < kLanes) {
      transpose_row(to, row_, length);
      x_ = length;
    } else {
      prefetch();
      transpose_block(to, row_, length, std::min(x_, length - kLanes));
      x_ += kLanes;
    }
    if (x_ < length) return;
    if (periodic_) {
      fill_periodic_halo<kHalo>(to, length);
    } else {
      Real before[kHalo];
      static_for<kHalo>([&](auto i) { before[i] = row_[-1 - i]; });
      exchange_left_halo<kHalo>(to, length, before);
    }
    if (++y_ == y_end_) {
      y_ = y_begin_;
      to_ += layout_.plane;
      ++p_;
    }
    if (p_ < p_end_) begin_row();
  }
  /// A block's share of the next two rows, and of where the next one goes.
  void prefetch() const {
    Real* const to = to_ + (y_ + 1) * layout_.pitch;
    for (int x = x_ * kLanes; x < (x_ + kLanes) * kLanes; x += layout_.line) {
      prefetch_to_l2(next_ + x);
      prefetch_to_l2(after_ + x);
      prefetch_to_l2(to + x);
    }
  }

  TileLayout layout_;
  Fields<Real> f_;
  Real *natural_, *to_ = nullptr;
  const Real *row_ = nullptr, *next_ = nullptr, *after_ = nullptr;  ///< this row, the two after it
  int x0_, y0_, x_begin_, x_end_, y_begin_, y_end_, share_;
  bool periodic_;
  int p_ = 0, p_end_ = 0, y_ = 0, x_ = 0;  ///< x_: of the row's vectors
};

/// The planes that the last time step has made, untransposed and stored while the next round is
/// made.
template <class Real>
class StorePipeline {
  static constexpr int kLanes = kHostLanes<Real>;
  static constexpr int kPiece = kLanes * kLanes;  ///< cells that are moved at a time

 public:
  /// For a tile at `place`, of the cut `x` along x, from the planes of the batch `planes`. Between
  /// start() and finish() there are about `visits` calls of advance(). `natural`: twice
  /// layout.width() elements.
  StorePipeline(const TileLayout& layout, const Fields<Real>& fields, const PlanePlace& place,
                const SkewedCut& x, const Real* planes, Real* natural, int visits)
      : layout_(layout),
        f_(fields),
        place_(place),
        planes_(planes),
        natural_(natural),
        begin_(natural + x.place(place.x_begin, place.x0)) {
    const int rows = layout.planes * (place.y_end - place.y_begin);
    const int pieces = (layout.width() + kPiece - 1) / kPiece +
                       (place.x_end - place.x_begin + kPiece - 1) / kPiece;
    share_ = share_of(std::int64_t{rows} * pieces, visits);
  }
  /// Planes p ... p_end - 1 are made, the first one as the batch's plane `first`.
  void start(int p, int p_end, int first) {
    const bool any = place_.y_begin < place_.y_end && place_.x_begin < place_.x_end;
    p_ = p, p_end_ = any ? p_end : p, at_ = first;
    y_ = place_.y_begin;
    ready_ = 0;
  }
  /// A visit's share of them.
  void advance() {
    for (int i = 0; i < share_ && p_ < p_end_; ++i) move();
  }
  void finish() {
    while (p_ < p_end_) move();
  }

 private:
  /// A block of the row to its natural order, or then a piece of it to memory.
  void move() {
    if (ready_ < layout_.length) {
      untranspose();
      return;
    }
    const int cells = std::min(kPiece, place_.x_end - x_);
    store_row_streaming(f_.to + f_.offset(p_, y_, x_), begin_ + (x_ - place_.x_begin), cells);
    x_ += cells;
    if (x_ < place_.x_end) return;
    ready_ = 0;
    if (++y_ < place_.y_end) return;
    y_ = place_.y_begin;
    ++p_, ++at_;
  }
  void untranspose() {
    const Real* const row = planes_ + at_ * layout_.plane + (y_ - place_.y0) * layout_.pitch;
    const int length = layout_.length;
    if (length < kLanes) {
      untranspose_row(natural_, row, length);
      ready_ = length;
    } else {
      const int first = std::min(ready_, length - kLanes);
      for (int i = 0; i < kLanes; ++i) prefetch_to_l2(row + layout_.pitch + (first + i) * kLanes);
      untranspose_block(natural_, row, length, first);
      ready_ += kLanes;
    }
    if (ready_ < length) return;
    x_ = place_.x_begin;
    Real* const end = natural_ + layout_.width();  // a periodic row begins again there
    std::copy(natural_,
              std::max(begin_ + (place_.x_end - place_.x_begin) - layout_.width(), natural_), end);
  }

  TileLayout layout_;
  Fields<Real> f_;
  PlanePlace place_;
  const Real* planes_;
  Real *natural_, *begin_;  ///< a row, and the first cell of it that is stored
  int p_ = 0, p_end_ = 0, at_ = 0, y_ = 0, share_;
  int ready_ = 0, x_ = 0;  ///< vectors of the row in natural order, and the next cell to store
};

}  // namespace tessera::jacobi
