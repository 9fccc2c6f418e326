// SPDX-License-Identifier: Apache-2.0
// Host: what the one thread of a team does with the planes of a tile in a multi-queue stream: rows,
// in vectors, of which only what a stored cell depends on.
#pragma once

#include "base/device/native_launch.hpp"
#include "base/device/prefetch.hpp"
#include "base/device/static_for.hpp"
#include "base/device/streaming_row.hpp"
#include "variants/jacobi/kernels/queue_layout.hpp"

namespace tessera::jacobi {

template <class Layout>
struct QueueRows {
  using Real = typename Layout::Real;
  using Tile = typename Layout::Tile;
  using Window = typename Layout::Window;
  using Made = typename Layout::Made;
  static constexpr int kPlanes = Layout::kPlanes;
  static constexpr int kR = Layout::kR, kRy = Layout::kRy, kPitch = Layout::kPitch;

  const Fields<Real>& f;
  const PlanePlace& place;
  const typename Layout::Exchanged& exchange;
  int steps;           ///< of the pass
  int s_begin, s_end;  ///< planes that are stored

  /// Nothing is under way: the processor prefetches.
  struct Prefetch {
    void land() {}
  };

  /// Copies plane p with its halo to a slot.
  template <class PlaneOfRound>
  void fetch(const NativeTeam& /*team*/, Prefetch& /*prefetched*/, PlaneOfRound /*plane*/, int p,
             Real* slot) const {
    if (p >= f.ns + kR) return;
    const Real* from = f.from + f.offset(p, place.y0, place.x0);
    const int x_begin = clip(-kR - place.x0, -kR, Tile::kNx + kR);
    const int x_end = clip(f.nx + kR - place.x0, -kR, Tile::kNx + kR);
    const int y_begin = clip(-kRy - place.y0, -kRy, Tile::kNy + kRy);
    const int y_end = clip(f.ny + kRy - place.y0, -kRy, Tile::kNy + kRy);
    for (int y = y_begin; y < y_end; ++y) {
      copy_row(slot + y * kPitch, from + y * f.row, x_begin, x_end);
    }
  }

  /// Time step `step`: planes from p on, from the window into slots or, after the last step, past
  /// the caches into memory.
  void update(const NativeTeam& team, const Window& window, int step, int p, unsigned round,
              const Made& to) const {
    for (int plane = 0; plane < kPlanes; ++plane) {
      const int margin = (steps - step) * kR;
      if (p + plane < s_begin - margin || p + plane >= s_end + margin) continue;
      update_plane(window.of + plane, step, p + plane, to.of[plane]);
      if constexpr (Layout::kDeviceTiling) {
        if (step < steps) leave_edges(team.league_rank(), to.of[plane], step, round);
      }
    }
  }

  /// Moves every value of the queues' `range` slots on by the planes of a round.
  static void move_values(const NativeTeam& /*team*/, Real* slots, int range) {
    constexpr int kPlane = Layout::kPlane;
    for (int slot = 0; slot < range - kPlanes; ++slot) {
      copy_row(slots + slot * kPlane, slots + (slot + kPlanes) * kPlane, 0, kPlane);
    }
  }

 private:
  /// One plane. Fixed cells are copied. Beside each step's rows a share of the plane that comes
  /// next from memory is prefetched.
  void update_plane(const Real* const* window, int step, int p, Real* to) const {
    const bool stores = step == steps;
    const int margin = steps - step;
    const int y_begin = clip(place.y_begin - margin * kRy - place.y0, 0, Tile::kNy);
    const int y_end = clip(place.y_end + margin * kRy - place.y0, 0, Tile::kNy);
    const int x_begin = clip(place.x_begin - margin * kR - place.x0, 0, Tile::kNx);
    const int x_end = clip(place.x_end + margin * kR - place.x0, 0, Tile::kNx);
    const int inner_begin = clip(-place.x0, x_begin, x_end);
    const int inner_end = clip(f.nx - place.x0, inner_begin, x_end);
    for (int y = y_begin; y < y_end; ++y) {
      if (y % steps == step - 1) prefetch_row(p + step * Layout::kLag + kPlanes, y);
      Real* const row = to + y * (stores ? f.row : kPitch);
      const Real* const old = window[kR] + y * kPitch;
      if (!f.updated(p, place.y0 + y, 0)) {
        if (!stores) copy_row(row, old, x_begin, x_end);
        continue;
      }
      if (!stores) copy_row(row, old, x_begin, inner_begin);
      const Real* rows[2 * kR + 1];
      static_for<2 * kR + 1>([&](auto i) { rows[i] = window[i] + y * kPitch; });
      if (stores) {
        alignas(kHostLineBytes) Real made[Tile::kNx];
#pragma omp simd
        for (int x = inner_begin; x < inner_end; ++x) made[x] = Layout::value(rows, x);
        store_row_streaming(row + inner_begin, made + inner_begin, inner_end - inner_begin);
      } else {
#pragma omp simd
        for (int x = inner_begin; x < inner_end; ++x) row[x] = Layout::value(rows, x);
        copy_row(row, old, inner_end, x_end);
      }
    }
  }

  /// Leaves what neighbouring teams need of a plane.
  void leave_edges(int rank, const Real* plane, int step, unsigned round) const {
    using Record = EdgeRecord<Tile, kR, kRy>;
    for (int y = 0; y < Tile::kNy; ++y) {
      const bool whole = y < kRy || y >= Tile::kNy - kRy;
      for (int x = 0; x < Tile::kNx; x += !whole && x == kR - 1 ? Tile::kNx - 2 * kR + 1 : 1) {
        exchange.template leave<Record>(rank, step, round, y, x, plane[y * kPitch + x]);
      }
    }
  }

  /// Prefetches row y of the tile in plane p. Inline, or GCC takes a function that only prefetches
  /// for one that does nothing.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_row(int p, int y) const {
    const int gy = place.y0 + y;
    if (p >= f.ns + kR || gy < -kRy || gy >= f.ny + kRy) return;
    const int x_begin = place.x0 < 0 ? 0 : place.x0;
    const int x_end = place.x0 + Tile::kNx < f.nx ? place.x0 + Tile::kNx : f.nx;
    const Real* const from = f.from + f.offset(p, gy, 0);
    for (int x = x_begin; x < x_end; x += Layout::kLine) prefetch_to_l2(from + x);
  }

  [[nodiscard]] static int clip(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
  }
  static void copy_row(Real* to, const Real* from, int begin, int end) {
#pragma omp simd
    for (int x = begin; x < end; ++x) to[x] = from[x];
  }
};

}  // namespace tessera::jacobi
