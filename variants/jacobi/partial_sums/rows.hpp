// SPDX-License-Identifier: Apache-2.0
// Host: what the one thread of a team does in a register stream: rows, in vectors. The sums lie in
// scratch, where L1 or L2 keeps them.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/static_for.hpp"
#include "variants/jacobi/partial_sums/layout.hpp"

#include <algorithm>
#include <type_traits>

namespace tessera::jacobi {

template <class Layout>
struct StripRows {
  using Stencil = typename Layout::Stencil;
  using Real = typename Layout::Real;
  using Tile = typename Layout::Tile;
  using Exchanged = typename Layout::Exchanged;
  static constexpr int kR = Layout::kR, kRy = Layout::kRy, kPitch = Layout::kPitch;
  static constexpr int kOpen = Layout::kOpen;

  /// The sums of all cells, in scratch.
  struct Sums {
    static constexpr int kCells = Tile::kNx * Tile::kNy;
    static constexpr int kElements = Layout::kSteps * kOpen * kCells;
    Real* first;

    [[nodiscard]] Real* row(int step, int m, int y) const {
      return first + ((step - 1) * kOpen + m) * kCells + y * Tile::kNx;
    }
  };

  // In both: f are the fields, `place` the tile; `inside`, a tile within the grid, has no fixed
  // cells and all of its halo.

  /// Copies plane p with its halo to a slot.
  static void fetch(const NativeTeam& /*team*/, const Fields<Real>& f, const PlanePlace& place,
                    bool inside, int p, Real* slot) {
    if (p >= f.ns + kR) return;
    const Real* const from = f.from + f.offset(p, place.y0, place.x0);
    for (int y = -kRy; y < Tile::kNy + kRy; ++y) {
      for (int x = -kR; x < Tile::kNx + kR; ++x) {
        if (inside || f.template exists<kR, kRy>(p, place.y0 + y, place.x0 + x)) {
          copy_async<1>(slot + y * kPitch + x, from + y * f.row + x);
        }
      }
    }
  }

  /// Plane p of time step `step`, from the plane R above it and the sums. `own_plane`: the stream
  /// is to store it; before are planes whose sums it has not seen from the beginning.
  static void advance(const NativeTeam& team, const Fields<Real>& f, const Exchanged& exchange,
                      const PlanePlace& place, bool /*inside*/, bool own_plane, int step, int phase,
                      int p, unsigned round, const Real* from, Real* cells, const Sums& sums) {
    const bool stores = step == Layout::kSteps;
    for (int y = 0; y < Tile::kNy; ++y) {
      Real* open[kOpen];
      for (int m = 0; m < kOpen; ++m) open[m] = sums.row(step, (phase + m) % kOpen, y);
      const Real* const row = from + y * kPitch;
      // The completed sums stay where the last step has left a plane, or go to memory.
      Real* const made = Layout::made_plane(cells, stores ? 1 : step, phase & 1) + y * kPitch;
      Real* const out = stores ? f.to + f.offset(p, place.y0 + y, place.x0) : made;
      const bool row_stored =
          own_plane && place.y0 + y >= place.y_begin && place.y0 + y < place.y_end;
      const int x_begin = stores ? (row_stored ? clip(place.x_begin - place.x0) : Tile::kNx) : 0;
      const int x_end = stores ? clip(place.x_end - place.x0) : Tile::kNx;
      const auto update = [&](int begin, int end, auto keeps) __attribute__((always_inline)) {
#pragma omp simd
        for (int x = begin; x < end; ++x) {
          const Real complete =
              add(PlaneAround{row + x}, [&](int m) -> Real& { return open[m][x]; });
          if constexpr (keeps) out[x] = complete;
        }
      };
      update(0, x_begin, std::false_type{});
      update(x_begin, x_end, std::true_type{});
      update(x_end > x_begin ? x_end : x_begin, Tile::kNx, std::false_type{});
      if (stores) continue;
      for (int x = 0; x < Tile::kNx; ++x) {
        if (!f.updated(p, place.y0 + y, place.x0 + x)) {
          made[x] = fixed_value<Stencil>(f, p, place.y0 + y, place.x0 + x);
        }
        if constexpr (Layout::kDeviceTiling) {
          exchange.template leave<EdgeRecord<Tile, kR, kRy>>(team.league_rank(), step, round, y, x,
                                                             made[x]);
        }
      }
    }
  }

 private:
  /// A plane in scratch around a cell.
  struct PlaneAround {
    const Real* cell;
    template <class Y, class X>
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator()(Y y, X x) const {
      return cell[static_cast<int>(y) * kPitch + static_cast<int>(x)];
    }
  };

  /// Adds a plane's terms to a cell's sums, and returns the one that is complete. `sum(m)`, m <
  /// 2R, is the sum of the plane m behind the one that is completed; sum(0) then begins a new one.
  template <class Sum>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real add(const PlaneAround& plane,
                                                            const Sum& sum) {
    Real complete = sum(0);
    add_plane<Stencil, kR>(complete, plane);
    static_for<kOpen - 1>([&](auto m) {
      Real& open = sum(m + 1);
      add_plane<Stencil, kR - 1 - m>(open, plane);
    });
    Real fresh = Real(0);
    add_plane<Stencil, -kR>(fresh, plane);
    sum(0) = fresh;
    return complete;
  }

  [[nodiscard]] static int clip(int x) { return x < 0 ? 0 : std::min(x, Tile::kNx); }
};

}  // namespace tessera::jacobi
