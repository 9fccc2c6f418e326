// SPDX-License-Identifier: Apache-2.0
// Device: what the threads of a multi-queue stream do with the planes of a tile. Each has cells of
// its own, and keeps what it makes in registers until the slot that it goes to is free.
#pragma once

#include "device/async_copy.hpp"
#include "device/native_launch.hpp"
#include "device/static_for.hpp"
#include "kernels/jacobi/queue_layout.hpp"

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

  /// Starts to copy plane p with its halo to a slot.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const NativeTeam& team, int p, Real* slot) const {
    if (p < f.ns + kR) {
      const Real* from = f.from + f.offset(p, place.y0, place.x0);
      const auto fetch_cell = [&](int y, int x) {
        if (f.template exists<kR, kRy>(p, place.y0 + y, place.x0 + x)) {
          copy_async<1>(slot + y * kPitch + x, from + y * f.row + x);
        }
      };
      static_for<kOwn>([&](auto i) {
        fetch_cell(Tile::y_of(team.team_rank(), i), Tile::x_of(team.team_rank(), i));
      });
      for_each_halo_cell<Tile, kR, kRy>(team, fetch_cell);
    }
    commit_copies();
  }

  /// Time step `step`: planes from p on, from the window into slots or, after the last step, into
  /// memory.
  KOKKOS_FORCEINLINE_FUNCTION void update(const NativeTeam& team, const Window& window, int step, int p,
                                          unsigned round, const Made& to) const {
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
