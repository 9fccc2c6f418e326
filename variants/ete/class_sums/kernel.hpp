// SPDX-License-Identifier: Apache-2.0
// The kernel of ete/class_sums: what travels along z is sums of points that share a coefficient.
//
//   for each plane k from z0 - R to the tile's last + R       # unrolled 8 times: roles move
//     plane k + 2 on its way to scratch; to registers p- of output k - R, the column of k + 1
//     for each cell of the plane
//       A_m = p(x +- m) + p(y +- m), m = 1 ... R, from scratch
//       outputs k - m: add their classes at distance m, which this plane completes
//       output k: open it with the classes that lie in the plane
//       keep A_m, p and the column; store output k - R
#pragma once

#include "base/tile/cornered_ring.hpp"
#include "base/tile/register_window.hpp"
#include "variants/ete/kernels/launcher.hpp"

namespace tessera::ete {

template <class Real, class ShapeType, class TileType, Home kHome>
struct ClassSumsKernel {
  static constexpr const char* kLabel = "tessera::ete::class_sums::step";
  static constexpr Rows kRowKind = ShapeType::kRowKind;
  static constexpr int kMostThreads =
      (sizeof(Real) == 4 ? 1024 : 512) * (ShapeType::kPoints == 37 ? 4 : 3) / 4;
  static constexpr int kPeriod = 8;  // planes after which windows have their first roles again
  static constexpr int kSlots = 3;
  static constexpr int kMiddle = ShapeType::kInPlane;
  static constexpr int kDiagonals = ShapeType::kDiagonals;
  // Sums A_m that travel, m = 1, 2, 3, 4: 2m planes each, in a window that the period divides.
  static constexpr int kAround[4] = {2, 4, 8, 8};
  static constexpr int kFirst[5] = {0, 2, 6, 14, 22};
  using Ring = CorneredRing<Real, TileType, kR, kSlots>;
  using Table = Coefficients<Real, ShapeType, kHome>;
  using Column = RegisterWindow<Real, 2 * kR, TileType>;
  using Around = RegisterWindow<Real, kFirst[kDiagonals], TileType>;
  using Open = RegisterWindow<Real, kR, TileType>;
  using Columns = RegisterWindow<int, kR, TileType>;

  // A table in scratch has as many columns as there are velocities.
  static constexpr std::size_t kScratch =
      kHome == Home::scratch ? kScratchOfRunTime : Ring::kBytes + 6 * kScratchSlack;
  using TeamHandle = TeamWith<kScratch>;

  Fields<Real> f;
  Tiling tiling;

  [[nodiscard]] static std::size_t scratch_bytes(int columns, MachineKind kind = kThisKind) {
    return Ring::scratch_bytes() + Table::scratch_bytes(columns) + Column::scratch_bytes(kind) +
           Around::scratch_bytes(kind) + Open::scratch_bytes(kind) + Columns::scratch_bytes(kind) +
           6 * kScratchSlack;
  }

  static void count(Plan& plan, double halo) {
    const bool scratch = kHome == Home::scratch;
    plan.loads = 2 + halo + 2.0 / sizeof(Real) + (scratch ? 0 : ShapeType::kClasses);
    plan.stores = 1;
    plan.scratch_stores = 1 + halo;
    plan.scratch_loads = 1 + 4 * kR + 4 * kDiagonals + (scratch ? ShapeType::kClasses : 0);
    gather_rows<Real>(plan, kHome, ShapeType::kClasses, ShapeType::kRows);
    plan.loops.vectorised = false;
    plan.loops.rows = 30;
  }

  /// What travels along z.
  struct Windows {
    Column column;    // p of planes k - 2R ... k - 1
    Around around;    // A_m of planes k - 2m ... k - 1
    Open open;        // sums of outputs k - R ... k - 1
    Columns columns;  // and their columns
    KOKKOS_FORCEINLINE_FUNCTION explicit Windows(const TeamHandle& team)
        : column(team), around(team), open(team), columns(team) {}
  };

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Ring ring(team, f.row, place.extent);
    const Table table(team, f.tables);
    Windows w(team);
    // Outputs before the first have a column too: it is read, and what it gives is dropped.
    for_each_cell(team, TileType{}, {1, place.extent.ny, place.extent.nx},
                  [&](const Cell& c) { static_for<kR>([&](auto i) { w.columns.at(c, i) = 0; }); });
    const int planes = place.extent.nz + 2 * kR;
    std::int64_t first = f.offset(place.z0 - kR, place.y0, place.x0);
    for (int k = 0; k < kSlots - 1; ++k) {
      ring.load(k, f.p + first + k * f.plane);
      commit_copies();
    }
    TileExtent extent = place.extent;
    extent.nz = 1;
    int slot = 0, k = 0;
    int v_ahead = 0;
    while (k < planes) {
      for_each_phase<kPeriod>([&](auto phase) {
        wait_for_copies<kSlots - 2>();
        team.team_barrier();
        const int freed = slot == 0 ? kSlots - 1 : slot - 1;
        if (k + kSlots - 1 < planes) ring.load(freed, f.p + first + (kSlots - 1) * f.plane);
        commit_copies();
        take_plane(phase, team, place, extent, ring, slot, table, w, k, first, v_ahead);
        first += f.plane;
        slot = slot == kSlots - 1 ? 0 : slot + 1;
        return ++k < planes;
      });
    }
  }

 private:
  /// Column of the output in plane k (counted from z0 - R) of a cell; 0 outside of the tile.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int column_of(const TilePlace& place, const Cell& c,
                                                          int k) const {
    const bool inside = k >= kR && k < place.extent.nz + kR;
    return f.index[f.index_offset(inside ? place.z0 + k - kR : place.z0, place.y0 + c.y,
                                  place.x0 + c.x)];
  }

  /// Plane k: opens output k, completes the classes at distance m of outputs k - m, closes k - R.
  /// Slot (k + i) % depth of a window holds what belongs to plane k + i; k % kPeriod is the phase.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void take_plane(Phase phase, const TeamHandle& team,
                                              const TilePlace& place, const TileExtent& extent,
                                              const Ring& ring, int slot, const Table& table,
                                              Windows& w, int k, std::int64_t first,
                                              int& v_ahead) const {
    const TileType tile;
    const bool closes = k >= 2 * kR;
    Real* next = f.next + first - static_cast<std::int64_t>(kR) * f.plane;
    const int v_here = v_ahead;
    Real minus(0);
    if constexpr (kOnDevice) {
      for_each_cell(team, tile, extent, [&](const Cell& c) {
        v_ahead = column_of(place, c, k + 1);
        if (closes) minus = next[c.y * f.row + c.x];
      });
    }
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* here = ring.at(slot, c.y, c.x);
      const int v = kOnDevice ? v_here : column_of(place, c, k);
      const auto coefficients = [&](auto row, int column, auto& into) {
        if constexpr (kOnDevice) {
          table.template load<row>(column, into);
        } else {
          static_for<std::extent_v<std::remove_reference_t<decltype(into)>>>(
              [&](auto i) { into[i] = table.template one<row + i>(column); });
        }
      };
      // 1. Classes of the outputs k - m that this plane completes; the last one is closed.
      Real closing(0);
      Real around[kR];
      static_for<kR>([&](auto i) {
        constexpr int kM = decltype(i)::value + 1;
        constexpr bool kDiagonal = kM <= kDiagonals;
        around[i] = (here[kM] + here[-kM]) + (here[kM * Ring::kPitch] + here[-kM * Ring::kPitch]);
        const auto output = rotate<kR>(phase, Constant<kR - kM>{});
        Real c_z[kDiagonal ? 2 : 1];
        coefficients(Constant<ShapeType::z_row(kM)>{}, w.columns.at(c, output), c_z);
        const Real below = w.column.at(c, rotate<2 * kR>(phase, Constant<2 * kR - 2 * kM>{}));
        Real sum = w.open.at(c, output);
        if constexpr (kDiagonal) {
          constexpr int kDepth = kAround[i];
          const auto ring_below =
              offset<kFirst[i]>(rotate<kDepth>(phase, Constant<kDepth - 2 * kM>{}));
          const Real diagonal = around[i] + w.around.at(c, ring_below);
          sum += multiply_add(c_z[1], diagonal, c_z[0] * (here[0] + below));
        } else {
          sum = multiply_add(c_z[0], here[0] + below, sum);
        }
        if constexpr (kM == kR) {
          closing = sum;
        } else {
          w.open.at(c, output) = sum;
        }
      });
      // 2. The plane's own classes open output k; what travels on takes the oldest one's place.
      Real c_plane[ShapeType::kPlaneRows];
      coefficients(Constant<kMiddle>{}, v, c_plane);
      Real sum = c_plane[ShapeType::kCentreRow - kMiddle] * here[0];
      static_for<kR>([&](auto i) { sum = multiply_add(c_plane[i], around[i], sum); });
      Real diagonals(0);
      static_for<kDiagonals>([&](auto i) {
        constexpr int kM = decltype(i)::value + 1;
        const Real* up = here + kM * Ring::kPitch;
        const Real* down = here - kM * Ring::kPitch;
        diagonals =
            multiply_add(c_plane[kR + i], (up[kM] + up[-kM]) + (down[kM] + down[-kM]), diagonals);
        w.around.at(c, offset<kFirst[i]>(rotate<kAround[i]>(phase, Constant<0>{}))) = around[i];
      });
      w.open.at(c, rotate<kR>(phase, Constant<0>{})) = sum + diagonals;
      w.columns.at(c, rotate<kR>(phase, Constant<0>{})) = v;
      w.column.at(c, rotate<2 * kR>(phase, Constant<0>{})) = here[0];
      // 3. Output k - R is complete.
      if (closes) {
        Real* cell = next + c.y * f.row + c.x;
        *cell = advanced(closing, kOnDevice ? minus : *cell);
      }
    });
  }

  template <int Offset, int I>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr auto offset(Constant<I>) {
    return Constant<Offset + I>{};
  }
  template <int Offset>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int offset(int i) {
    return Offset + i;
  }
};

}  // namespace tessera::ete
