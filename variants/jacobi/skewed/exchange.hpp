// SPDX-License-Identifier: Apache-2.0
// The halo exchange between skewed tiles: of each plane of each time step but the last, the last 2R
// cells of each row go to the tile on the right, and the last 2R rows to the tile below. They wait
// in memory, in the order in which they are needed; a tile reads what the tile before has left, and
// leaves its own in the same place.
//
// Rows are exchanged a few lines at a time while the next step is made: they come from memory, or
// from another core, and would be waited for.
#pragma once

#include "base/device/prefetch.hpp"
#include "base/tile/transposed_row.hpp"
#include "variants/jacobi/skewed/layout.hpp"
#include "variants/jacobi/skewed/tiles.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::jacobi {

/// Prefetches the lines `ahead` and twice as many elements further on, so each line twice: the rows
/// that are made keep a core's miss buffers busy, and some prefetches are then dropped (seen on a
/// Zen 4).
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_twice(const Real* at, int ahead) {
  prefetch_to_l2(at + ahead);
  prefetch_to_l2(at + 2 * ahead);
}

template <class Real, int R>
class HaloExchange {
 public:
  /// Of tile i. `memory`: elements(), that of the tile's chain. Between start() and finish() there
  /// are about `visits` calls of advance().
  HaloExchange(const TileLayout& layout, const SkewedTiles& tiles, int i, int steps, int rounds,
               Real* memory, int visits)
      : layout_(layout),
        beside_(place_of(i / tiles.y.count(), tiles.x.count())),
        above_(place_of(i % tiles.y.count(), tiles.y.count())) {
    const std::int64_t batches = std::int64_t{rounds} * (steps - 1);
    rows_ = memory;
    if (above_ != Place::alone) memory += batches * rows_of_batch();
    cells_ = memory + i % tiles.y.count() * batches * cells_of_batch();
    share_ = share_of(rows_of_batch() / kLanes, visits) * kLanes;
  }
  /// Elements for the tiles of a chain and so many rounds of a pass; none along an axis where a
  /// tile is alone.
  [[nodiscard]] static std::int64_t elements(const TileLayout& layout, const SkewedTiles& tiles,
                                             int steps, int rounds) {
    const std::int64_t heights = tiles.y.tile * tiles.y.count();
    const std::int64_t cells = tiles.x.count() == 1 ? 0 : heights * kHalo;
    const std::int64_t rows = tiles.y.count() == 1 ? 0 : layout.upper_halo();
    return std::int64_t{rounds} * (steps - 1) * layout.planes * (cells + rows);
  }
  /// Fills the left halo of a row, row y of plane i of the batch that is made.
  void fill_left(Real* row, int i, int y) const {
    if (beside_ == Place::alone) {
      fill_periodic_halo<kHalo>(row, layout_.length);
      return;
    }
    Real* const left = cells_ + (i * layout_.height + y) * kHalo;
    if (beside_ == Place::first) std::fill_n(left, kHalo, Real(0));
    prefetch_to_l2(left + cells_of_batch());
    exchange_left_halo<kHalo>(row, layout_.length, left);
  }
  /// Planes [begin, end) of `batch` are made, with their left halos: from now on, and until
  /// finish() has been called, their upper halos are filled and their last rows left for the tile
  /// below.
  void start(Real* batch, int begin, int end) {
    if (beside_ != Place::alone) cells_ += cells_of_batch();
    if (above_ == Place::alone) return;
    halo_ = batch - layout_.first() + begin * layout_.plane;
    left_ = rows_ + begin * layout_.upper_halo();
    rows_ += rows_of_batch();
    planes_ = std::max(end - begin, 0);
    at_ = 0;
  }
  /// Some of these rows.
  void advance() {
    if (planes_ > 0) exchange(share_);
  }
  void finish() { exchange(planes_ * layout_.upper_halo() - at_); }

 private:
  static constexpr int kHalo = 2 * R, kLanes = kHostLanes<Real>;

  /// A tile among those along an axis.
  enum class Place { alone, first, middle, last };
  [[nodiscard]] static Place place_of(int i, int count) {
    if (count == 1) return Place::alone;
    return i == 0 ? Place::first : i == count - 1 ? Place::last : Place::middle;
  }
  /// The next `elements` of the halo rows, or what there is.
  void exchange(int elements) {
    while (elements > 0 && planes_ > 0) {
      const int count = std::min(elements, layout_.upper_halo() - at_);
      Real* const halo = halo_ + at_;
      const Real* const own = halo + layout_.height * layout_.pitch;
      Real* const left = left_ + at_;
      for (int i = 0; i < count; i += layout_.line) prefetch_twice(left + i, share_);
      for (int i = 0; i < count; i += kLanes) {
        if (above_ != Place::first) store_host_vector(halo + i, load_host_vector(left + i));
        if (above_ != Place::last) store_host_vector(left + i, load_host_vector(own + i));
      }
      elements -= count;
      at_ += count;
      if (at_ < layout_.upper_halo()) continue;
      at_ = 0;
      halo_ += layout_.plane;
      left_ += layout_.upper_halo();
      --planes_;
    }
  }
  [[nodiscard]] int cells_of_batch() const { return layout_.planes * layout_.height * kHalo; }
  [[nodiscard]] int rows_of_batch() const { return layout_.planes * layout_.upper_halo(); }

  TileLayout layout_;
  Place beside_, above_;
  Real *cells_, *rows_;                     ///< left by the tiles before, for the step that is made
  Real *halo_ = nullptr, *left_ = nullptr;  ///< of a plane, between which rows are exchanged
  int planes_ = 0, at_ = 0;                 ///< that are not yet exchanged; elements that are
  int share_;
};

}  // namespace tessera::jacobi
