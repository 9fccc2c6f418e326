// SPDX-License-Identifier: Apache-2.0
// How planes of the stream of blocks of rows (variants/jacobi/skewed/stream.hpp) come from memory
// and leave for it, Kernel being that stream's functor.
//
// All of it goes a few lines at a time while rows are made: all at once, memory would be waited
// for. What is wanted is asked for some time before, to L2, and twice: the rows that are made keep
// a core's miss buffers busy, and some of what is asked for then does not come (seen on a Zen 4).
#pragma once

#include "device/prefetch.hpp"
#include "device/static_for.hpp"
#include "device/streaming_row.hpp"
#include "tile/transposed_row.hpp"
#include "variants/jacobi/skewed/tiles.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::jacobi {

/// Pieces for each of `chunks` chunks of rows.
[[nodiscard]] inline int share_of(std::int64_t pieces, int chunks) {
  return static_cast<int>((pieces + chunks - 1) / std::max(chunks, 1));
}

/// Asks for the lines `ahead` and twice as many elements further on.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void ask_twice(const Real* at, int ahead) {
  prefetch_to_l2(at + ahead);
  prefetch_to_l2(at + 2 * ahead);
}

/// The planes of the next round, fetched and lifted while this one is made; with what leads the
/// tile, in this step; rows that are not there are not touched. A row that goes round is led by its
/// own end, in this step, too: its fixed cells on the right may lie there in the next one.
template <class Kernel>
class Arrivals {
  using Real = typename Kernel::Value;
  static constexpr int kR = Kernel::kR, kRy = Kernel::kRy;
  static constexpr int kLeads = Kernel::kLeads, kLanes = Kernel::kLanes;

 public:
  /// `natural`: kPitch elements, for rows at the ends of the field.
  Arrivals(const Kernel& kernel, const PlanePlace& place, Real* natural)
      : kernel_(kernel), natural_(natural), x0_(kernel.x_of(place, 0)), y0_(kernel.y_of(place, 0)) {
    const Fields<Real>& f = kernel.f;
    x_begin_ = std::clamp(-kR - x0_, -kLeads, kernel.width());
    x_end_ = std::clamp(f.nx + kR - x0_, -kLeads, kernel.width());
    y_begin_ = std::clamp(-kRy - y0_, -2 * kRy, kernel.height());
    y_end_ = std::clamp(f.ny + kRy - y0_, -2 * kRy, kernel.height());
    const int blocks = (kernel.length() + kLanes - 1) / kLanes;
    share_ = share_of(Kernel::kKs * (y_end_ - y_begin_) * blocks, kernel.levels * kernel.chunks());
  }
  /// Planes [p, p_end) are wanted, at `to` and the places that follow it.
  void begin(int p, int p_end, Real* to) {
    to_ = to, p_ = p, p_end_ = y_begin_ < y_end_ ? p_end : p;
    y_ = y_begin_;
    if (p_ < p_end_) begin_row();
  }
  /// A chunk's share of them.
  void some() {
    for (int i = 0; i < share_ && p_ < p_end_; ++i) lift();
  }
  void all() {
    while (p_ < p_end_) lift();
  }

 private:
  /// The row that is lifted, or the one that comes so many rows later.
  [[nodiscard]] const Real* row_at(int rows_ahead) const {
    int p = p_, y = y_ + rows_ahead;
    for (; y >= y_end_; y -= y_end_ - y_begin_) ++p;
    return kernel_.f.from + kernel_.f.offset(p, y0_ + y, x0_);
  }
  void begin_row() {
    row_ = row_at(0), next_ = row_at(1), after_ = row_at(2);
    // What lies beside the grid is nobody's, but must be memory of the field.
    const Fields<Real>& f = kernel_.f;
    if (row_ - kLeads < f.from + f.offset(-kR, -kRy, -kR) ||
        row_ + kernel_.width() > f.from + f.offset(f.ns + kR - 1, f.ny + kRy - 1, f.nx + kR)) {
      std::copy(row_ + x_begin_, row_ + x_end_, natural_ + kLeads + x_begin_);
      row_ = natural_ + kLeads;
    }
    x_ = 0;
  }
  /// A block of the row.
  void lift() {
    Real* const to = to_ + y_ * Kernel::kPitch;
    const int length = kernel_.length();
    if (length < kLanes) {
      lift_row(to, row_, length);
      x_ = length;
    } else {
      ask();
      lift_block(to, row_, length, std::min(x_, length - kLanes));
      x_ += kLanes;
    }
    if (x_ < length) return;
    if (kernel_.tiles.x.cyclic) {
      lead_cyclic_row<kLeads>(to, length);
    } else {
      Real before[kLeads];
      static_for<kLeads>([&](auto i) { before[i] = row_[-1 - i]; });
      lead_lifted_row<kLeads>(to, length, before);
    }
    if (++y_ == y_end_) {
      y_ = y_begin_;
      to_ += Kernel::kPlane;
      ++p_;
    }
    if (p_ < p_end_) begin_row();
  }
  /// Asks for a block's share of the next two rows, and of where the next one goes.
  void ask() const {
    Real* const to = to_ + (y_ + 1) * Kernel::kPitch;
    for (int x = x_ * kLanes; x < (x_ + kLanes) * kLanes; x += Kernel::kLine) {
      prefetch_to_l2(next_ + x);
      prefetch_to_l2(after_ + x);
      prefetch_to_l2(to + x);
    }
  }

  const Kernel& kernel_;
  Real *natural_, *to_ = nullptr;
  const Real *row_, *next_, *after_;  ///< the row that is lifted, and the two after it
  int x0_, y0_, x_begin_, x_end_, y_begin_, y_end_, share_;
  int p_ = 0, p_end_ = 0, y_ = 0, x_ = 0;  ///< x_: of the row's vectors
};

/// The planes that the last step has made, lowered and stored while the next round is made.
template <class Kernel>
class Departures {
  using Real = typename Kernel::Value;
  static constexpr int kLanes = Kernel::kLanes;
  static constexpr int kPiece = kLanes * kLanes;  ///< cells that are lowered or stored at a time

 public:
  Departures(const Kernel& kernel, const PlanePlace& place, const Real* planes, Real* natural)
      : kernel_(kernel),
        place_(place),
        planes_(planes),
        natural_(natural),
        begin_(natural + kernel.tiles.x.place(place.x_begin, place.x0)) {
    const int rows = Kernel::kKs * (place.y_end - place.y_begin);
    const int pieces = (kernel.width() + kPiece - 1) / kPiece +
                       (place.x_end - place.x_begin + kPiece - 1) / kPiece;
    share_ =
        share_of(std::int64_t{rows} * pieces, std::max(kernel.levels - 1, 1) * kernel.chunks());
  }
  /// Planes p ... p_end - 1 are there, the first one as the set's plane `first`.
  void begin(int p, int p_end, int first) {
    const bool any = place_.y_begin < place_.y_end && place_.x_begin < place_.x_end;
    p_ = p, p_end_ = any ? p_end : p, at_ = first;
    y_ = place_.y_begin;
    lowered_ = 0;
  }
  /// A chunk's share of them.
  void some() {
    for (int i = 0; i < share_ && p_ < p_end_; ++i) move();
  }
  void all() {
    while (p_ < p_end_) move();
  }

 private:
  /// A block of the row to its natural order, or then a piece of it to memory.
  void move() {
    if (lowered_ < kernel_.length()) {
      lower();
      return;
    }
    const int cells = std::min(kPiece, place_.x_end - x_);
    store_row_streaming(kernel_.f.to + kernel_.f.offset(p_, y_, x_), begin_ + (x_ - place_.x_begin),
                        cells);
    x_ += cells;
    if (x_ < place_.x_end) return;
    lowered_ = 0;
    if (++y_ < place_.y_end) return;
    y_ = place_.y_begin;
    ++p_, ++at_;
  }
  void lower() {
    const Real* const row = planes_ + at_ * Kernel::kPlane + (y_ - place_.y0) * Kernel::kPitch;
    const int length = kernel_.length();
    if (length < kLanes) {
      lower_row(natural_, row, length);
      lowered_ = length;
    } else {
      const int first = std::min(lowered_, length - kLanes);
      for (int i = 0; i < kLanes; ++i) prefetch_to_l2(row + Kernel::kPitch + (first + i) * kLanes);
      lower_block(natural_, row, length, first);
      lowered_ += kLanes;
    }
    if (lowered_ < length) return;
    x_ = place_.x_begin;
    Real* const end = natural_ + kernel_.width();  // what goes round begins again there
    std::copy(natural_,
              std::max(begin_ + (place_.x_end - place_.x_begin) - kernel_.width(), natural_), end);
  }
  const Kernel& kernel_;
  const PlanePlace& place_;
  const Real* planes_;
  Real *natural_, *begin_;  ///< a row, and the first cell of it that is stored
  int p_ = 0, p_end_ = 0, at_ = 0, y_ = 0, share_;
  int lowered_ = 0, x_ = 0;  ///< vectors of the row, and its next cell that is stored
};

}  // namespace tessera::jacobi
