// SPDX-License-Identifier: Apache-2.0
// Device: what the threads of a register stream do. Each walks along a strip of its own cells and
// loads each value of a plane once; the sums of its cells stay in registers.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/unroll.hpp"
#include "variants/jacobi/partial_sums/layout.hpp"

namespace tessera::jacobi {

template <class Layout>
struct StripCells {
  using Stencil = typename Layout::Stencil;
  using Real = typename Layout::Real;
  using Tile = typename Layout::Tile;
  using Exchanged = typename Layout::Exchanged;
  static constexpr int kR = Layout::kR, kRy = Layout::kRy, kPitch = Layout::kPitch;
  static constexpr int kOpen = Layout::kOpen, kOwn = Tile::kOwn;
  /// From a thread's cell to its next one in scratch.
  static constexpr int kNextRow = Tile::kNy == 1 ? Tile::kThreads : kPitch;

  /// The sums of the thread's own cells.
  struct Sums {
    Real of[Layout::kSteps][kOpen][kOwn];

    KOKKOS_FORCEINLINE_FUNCTION void clear() {
      TESSERA_UNROLL
      for (int i = 0; i < Layout::kSteps * kOpen * kOwn; ++i) (&of[0][0][0])[i] = Real(0);
    }
  };

  // In both: f are the fields, `place` the tile; `inside`, a tile within the grid, has no fixed
  // cells and all of its halo.

  /// Starts to copy plane p with its halo to a slot.
  KOKKOS_FORCEINLINE_FUNCTION static void fetch(const NativeTeam& team, const Fields<Real>& f,
                                                const PlanePlace& place, bool inside, int p,
                                                Real* slot) {
    if (p < f.ns + kR) {
      const Real* const from = f.from + f.offset(p, place.y0, place.x0);
      const auto fetch_cell = [&](int y, int x) {
        if (inside || f.template exists<kR, kRy>(p, place.y0 + y, place.x0 + x)) {
          copy_async<1>(slot + y * kPitch + x, from + y * f.row + x);
        }
      };
      const int y = Tile::y_of(team.team_rank(), 0);
      const int x = Tile::x_of(team.team_rank(), 0);
      if (inside) {
        const Real* source = from + y * f.row + x;
        Real* target = slot + y * kPitch + x;
        TESSERA_UNROLL
        for (int i = 0; i < kOwn; ++i) {
          copy_async<1>(target, source);
          source += Tile::kNy == 1 ? Tile::kThreads : f.row;
          target += kNextRow;
        }
      } else {
        for (int i = 0; i < kOwn; ++i) {
          fetch_cell(Tile::y_of(team.team_rank(), i), Tile::x_of(team.team_rank(), i));
        }
      }
      for_each_halo_cell<Tile, kR, kRy>(team, fetch_cell);
    }
    commit_copies();
  }

  /// Plane p of time step `step`, from the plane R above it and the sums. `own_plane`: the stream
  /// is to store it; before are planes whose sums it has not seen from the beginning.
  KOKKOS_FORCEINLINE_FUNCTION static void advance(const NativeTeam& team, const Fields<Real>& f,
                                                  const Exchanged& exchange,
                                                  const PlanePlace& place, bool inside,
                                                  bool own_plane, int step, int phase, int p,
                                                  unsigned round, const Real* from, Real* cells,
                                                  Sums& sums) {
    const int y0 = Tile::y_of(team.team_rank(), 0);
    const int x0 = Tile::x_of(team.team_rank(), 0);
    const int here = y0 * kPitch + x0;
    const bool plane_updated = p >= 0 && p < f.ns;
    const bool stores = step == Layout::kSteps;
    Real* const made = stores ? f.to + f.offset(p, place.y0 + y0, place.x0 + x0)
                              : Layout::made_plane(cells, step, phase & 1) + here;
    Real fresh[kOwn];
    TESSERA_UNROLL
    for (int r = -kRy; r < kOwn + kRy; ++r) {
      add_row(from + here + r * kNextRow, r, phase, sums.of[step - 1], fresh);
      const int i = r - kRy;  // the cell whose last row this was
      if (i < 0) continue;
      Real& sum = sums.of[step - 1][phase % kOpen][i];
      if (!stores) {
        made[i * kNextRow] = sum;
      } else if (own_plane &&
                 place.stores(Tile::y_of(team.team_rank(), i), Tile::x_of(team.team_rank(), i))) {
        made[Tile::kNy == 1 ? i * Tile::kThreads : i * f.row] = sum;
      }
      sum = fresh[i];
    }
    if (stores) return;
    if (!inside || !plane_updated) {
      for (int i = 0; i < kOwn; ++i) {
        const int y = place.y0 + Tile::y_of(team.team_rank(), i);
        const int x = place.x0 + Tile::x_of(team.team_rank(), i);
        if (!f.updated(p, y, x)) made[i * kNextRow] = fixed_value<Stencil>(f, p, y, x);
      }
    }
    if constexpr (Layout::kDeviceTiling) {
      for (int i = 0; i < kOwn; ++i) {
        const int y = Tile::y_of(team.team_rank(), i);
        const int x = Tile::x_of(team.team_rank(), i);
        exchange.template leave<EdgeRecord<Tile, kR, kRy>>(team.league_rank(), step, round, y, x,
                                                           made[i * kNextRow]);
      }
    }
  }

 private:
  /// Adds what row r of the strip gives to the sums of its cells. Sum m of a cell is that of the
  /// plane m behind the one that is completed; `fresh` begins one.
  KOKKOS_FORCEINLINE_FUNCTION static void add_row(const Real* row, int r, int phase,
                                                  Real (&sums)[kOpen][kOwn], Real (&fresh)[kOwn]) {
    constexpr Point kFirst = Stencil::points()[0];
    Real value[2 * kR + 1];
    TESSERA_UNROLL
    for (int x = -kR; x <= kR; ++x) {
      bool needed = false;  // strip_needs(), here since nvcc takes more registers with a call
      TESSERA_UNROLL
      for (int y = -kRy; y <= kRy; ++y) {
        TESSERA_UNROLL
        for (int s = -kR; s <= kR; ++s) {
          needed = needed || (r - y >= 0 && r - y < kOwn && Stencil::has(s, y, x));
        }
      }
      if (needed) value[kR + x] = row[x];
    }
    TESSERA_UNROLL
    for (int y = -kRy; y <= kRy; ++y) {
      const int i = r - y;
      if (i < 0 || i >= kOwn) continue;
      TESSERA_UNROLL
      for (int s = kR; s >= -kR; --s) {
        TESSERA_UNROLL
        for (int x = -kR; x <= kR; ++x) {
          if (!Stencil::has(s, y, x)) continue;
          const Real weight = weight_at<Stencil, Real>(s, y, x);
          Real& sum = s == -kR ? fresh[i] : sums[(phase + kR - s) % kOpen][i];
          const bool first = s == -kR && y == kFirst.y && x == kFirst.x;
          sum = first ? weight * value[kR + x] : multiply_add(weight, value[kR + x], sum);
        }
      }
    }
  }
};

}  // namespace tessera::jacobi
