// SPDX-License-Identifier: Apache-2.0
// Device: what the threads of a multi-queue stream do with the planes of a tile. Each has cells of
// its own, and keeps what it makes in registers until the slot that it goes to is free.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/static_for.hpp"
#include "variants/jacobi/kernels/queue_layout.hpp"

namespace tessera::jacobi {

template <class Layout>
struct QueueCells {
  using Real = typename Layout::Real;
  using Tile = typename Layout::Tile;
  using Window = typename Layout::Window;
  using Made = typename Layout::Made;
  static constexpr int kPlanes = Layout::kPlanes, kOwn = Tile::kOwn;
  static constexpr int kR = Layout::kR, kRy = Layout::kRy, kPitch = Layout::kPitch;
  using Record = EdgeRecord<Tile, kR, kRy>;

  const Fields<Real>& f;
  const PlanePlace& place;
  const typename Layout::Exchanged& exchange;
  int steps;           ///< of the pass
  int s_begin, s_end;  ///< planes that are stored

  /// Cells of the halo that a thread copies of a plane, at most.
  static constexpr int kHalo = (kHaloCells<Tile, kR, kRy> + Tile::kThreads - 1) / Tile::kThreads;
  /// What a thread has fetched of the planes of a round.
  using Prefetch = Prefetched<Real, kPlanes*(kOwn + kHalo)>;

  /// Starts to copy plane p, the `plane`-th of a round, with its halo to a slot.
  template <int kPlaneOfRound>
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const NativeTeam& team, Prefetch& prefetched,
                                         Constant<kPlaneOfRound> plane, int p, Real* slot) const {
    if (p >= f.ns + kR) return;
    const Real* from = f.from + f.offset(p, place.y0, place.x0);
    const int rank = team.team_rank();
    const auto fetch_cell = [&](int i, int y, int x) {
      if (f.template exists<kR, kRy>(p, place.y0 + y, place.x0 + x)) {
        prefetched.fetch(plane * (kOwn + kHalo) + i, slot + y * kPitch + x, from + y * f.row + x);
      }
    };
    static_for<kOwn>([&](auto i) { fetch_cell(i, Tile::y_of(rank, i), Tile::x_of(rank, i)); });
    static_for<kHalo>([&](auto k) {
      const int i = rank + k * Tile::kThreads;
      if (i < kHaloCells<Tile, kR, kRy>) {
        with_halo_cell<Tile, kR, kRy>(i, [&](int y, int x) { fetch_cell(kOwn + k, y, x); });
      }
    });
  }

  /// Time step `step`: planes from p on, from the window into slots or, after the last step, into
  /// memory.
  KOKKOS_FORCEINLINE_FUNCTION void update(const NativeTeam& team, const Window& window, int step,
                                          int p, unsigned round, const Made& to) const {
    const int rank = team.team_rank();
    Real made[kPlanes * kOwn];
    for_each_own([&](auto plane, auto i) {
      const int y = Tile::y_of(rank, i);
      const int x = Tile::x_of(rank, i);
      const Real sum = Layout::value(window.of + plane, y * kPitch + x);
      made[plane * kOwn + i] = f.updated(p + plane, place.y0 + y, place.x0 + x)
                                   ? sum
                                   : window.of[plane + kR][y * kPitch + x];
    });
    if (step == steps) {
      for_each_own([&](auto plane, auto i) {
        const int y = Tile::y_of(rank, i);
        const int x = Tile::x_of(rank, i);
        if (p + plane >= s_begin && p + plane < s_end && place.stores(y, x)) {
          to.of[plane][y * f.row + x] = made[plane * kOwn + i];
        }
      });
      return;
    }
    if (!Layout::kLazy) team.team_barrier();  // all have read the slot that is written now
    for_each_own([&](auto plane, auto i) {
      const int y = Tile::y_of(rank, i);
      const int x = Tile::x_of(rank, i);
      to.of[plane][y * kPitch + x] = made[plane * kOwn + i];
      if constexpr (Layout::kDeviceTiling) {
        exchange.template leave<Record>(team.league_rank(), step, round, y, x, made[i]);
      }
    });
    if (!Layout::kLazy) team.team_barrier();
  }

  /// Moves every value of the queues' `range` slots on by the planes of a round.
  KOKKOS_FORCEINLINE_FUNCTION static void move_values(const NativeTeam& team, Real* slots,
                                                      int range) {
    constexpr int kPlane = Layout::kPlane;
    for (int i = team.team_rank(); i < kPlane; i += Tile::kThreads) {
      for (int slot = 0; slot < range - kPlanes; ++slot) {
        slots[slot * kPlane + i] = slots[(slot + kPlanes) * kPlane + i];
      }
    }
  }

 private:
  /// Calls body(plane, i) for the thread's cells of a round.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_own(const Body& body) {
    static_for<kPlanes>([&](auto plane) { static_for<kOwn>([&](auto i) { body(plane, i); }); });
  }
};

}  // namespace tessera::jacobi
